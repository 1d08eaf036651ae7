"""One unit acting: ADK's inference on one case, and the conversation it leaves behind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from adk_split_eval.record import Case, Conversation, Event
from adk_split_eval.run import adk as border
from adk_split_eval.run.agents import LoadedAgent
from adk_split_eval.run.loop import isolated, unfinished
from adk_split_eval.run.observe import current_watcher, describe
from adk_split_eval.run.simulate import Ending, ObservingProvider

DEFAULT_APP = "EvaluationGenerator"
DEFAULT_USER = "test_user_id"


@dataclass(slots=True)
class Acted:
    """What acting left behind: the conversation, and ADK's invocations for its own metrics, as JSON and as they came."""

    conversation: Conversation
    invocations: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    warnings: list[str] = field(default_factory=list[str])
    live: list[Any] | None = None


class _Heard(logging.Logger):
    """A logger whose warnings and errors reach the unit in whose task they are logged, whatever the logging's settings.

    An agent may switch logging off (``logging.disable``, ``dictConfig`` with its default of disabling what exists).
    """

    def isEnabledFor(self, level: int) -> bool:
        return level >= logging.WARNING or super().isEnabledFor(level)

    def handle(self, record: logging.LogRecord) -> None:
        watcher = current_watcher()
        error = record.exc_info[1] if record.exc_info else None
        if error is None and isinstance(record.args, tuple):
            error = next((a for a in record.args if isinstance(a, BaseException)), None)
        if watcher is not None and error is not None:
            watcher.failures.append((record.getMessage(), error))
        if super().isEnabledFor(record.levelno):
            super().handle(record)


def collect_failures() -> None:
    """Listen to ADK's loggers that alone know of some failures."""
    for name in ("evaluation.local_eval_service", "agents.llm_agent", "tools.mcp_tool.mcp_tool"):
        logger = logging.getLogger(f"google_adk.google.adk.{name}")
        if not isinstance(logger, _Heard):
            kind = type(logger)
            logger.__class__ = _Heard if kind is logging.Logger else type(_Heard.__name__, (_Heard, kind), {})


def _lost_toolset() -> str | None:
    """ADK lets an agent go on without a toolset that cannot be reached, or that went away while one of its tools was
    called: what the agent then does says nothing about the agent."""
    watcher = current_watcher()
    for message, error in watcher.failures if watcher else []:
        if "will run without the tools from toolset" in message:
            return f"a toolset could not be loaded: {describe(error)} ({message.split(', which failed')[0]})"
        if border.lost_server(message, error):
            return f"a tool's MCP server was lost while it was called: {describe(error)}"
    return None


def session_identity(case: Case, app_name: str) -> tuple[str, str]:
    given = case.eval_case.get("session_input")
    if not given:
        return DEFAULT_APP, DEFAULT_USER
    return given.get("app_name") or app_name, given.get("user_id") or DEFAULT_USER


async def act(
    case: Case,
    agent: LoadedAgent,
    simulator_config: dict[str, Any] | None,
    *,
    session_id: str,
    unit_timeout: float | None = None,
    use_live: bool = False,
) -> Acted:
    """Run the agent on one case and record what happened; never raises for what the agent does.

    The conversation's ``error`` says why it broke off; the turns before that are kept.
    """
    adk = border.load()
    # Its module needs ADK's plugin base class, so it comes after the border has been opened.
    from adk_split_eval.run.replay import replay_plugin

    collect_failures()
    if case.runner.get("interrupt"):
        from adk_split_eval.run.recovery import act_interrupted

        return await act_interrupted(case, agent, simulator_config, session_id=session_id, unit_timeout=unit_timeout)
    ending = Ending()
    sessions = adk.InMemorySessionService()
    eval_case = adk.EvalCase.model_validate(case.eval_case)
    pinned = eval_case.session_input.session_id if eval_case.session_input else None
    actual_session = pinned or session_id
    error: str | None = None
    invocations: list[Any] | None = None
    replay = replay_plugin(case) if case.runner.get("replay_tools") else None
    plugins: list[Any] = [replay] if replay is not None else []
    try:
        async with asyncio.timeout(unit_timeout):
            service = await build_service(
                adk,
                agent,
                eval_case,
                simulator_config,
                sessions,
                lambda provider: ObservingProvider(provider, ending, adk),
                session_id,
                plugins,
            )
            invocations, error = await infer(adk, service, agent.app_name, eval_case, use_live)
    except TimeoutError:
        error = unfinished(unit_timeout)
        ending.stop_reason = "timeout"
    except BaseException as problem:  # noqa: BLE001 - one case's crash never touches another, not even its sys.exit
        error = isolated(problem)
    if replay is not None and replay.misses:
        error = f"replay: {replay.misses[0]}"
    app_name, user_id = session_identity(case, agent.app_name)
    session: Any = await sessions.get_session(app_name=app_name, user_id=user_id, session_id=actual_session)
    return record(adk, case, ending, session, invocations, error)


async def build_service(
    adk: Any,
    agent: LoadedAgent,
    eval_case: Any,
    simulator_config: dict[str, Any] | None,
    sessions: Any,
    observed: Callable[[Any], Any],
    session_id: str,
    plugins: list[Any],
) -> Any:
    """ADK's evaluation service for one case and a fresh agent; ``observed`` wraps ADK's user-simulator provider."""
    app, root_agent = await agent.fresh()
    app = with_plugins(adk, app, root_agent, agent.app_name, plugins)
    config = adk.EvalConfig.model_validate({"user_simulator_config": simulator_config} if simulator_config else {})
    manager = adk.InMemoryEvalSetsManager()
    manager.create_eval_set(app_name=agent.app_name, eval_set_id="unit")
    manager.add_eval_case(app_name=agent.app_name, eval_set_id="unit", eval_case=eval_case)
    provider = adk.UserSimulatorProvider(user_simulator_config=config.user_simulator_config)
    return adk.LocalEvalService(
        root_agent=root_agent,
        app=app,
        eval_sets_manager=manager,
        session_service=sessions,
        session_id_supplier=lambda: session_id,
        user_simulator_provider=observed(provider),
    )


def with_plugins(adk: Any, app: Any, root_agent: Any, name: str, plugins: list[Any]) -> Any:
    """The agent's App with our plugins in front of its own; an App is made where there is none."""
    if not plugins:
        return app
    if app is None:
        return adk.App(name=name, root_agent=root_agent, plugins=plugins)
    return app.model_copy(update={"plugins": [*plugins, *app.plugins]})


async def infer(
    adk: Any, service: Any, app_name: str, eval_case: Any, use_live: bool
) -> tuple[list[Any] | None, str | None]:
    watcher = current_watcher()
    seen = len(watcher.failures) if watcher else 0
    request = adk.InferenceRequest(
        app_name=app_name,
        eval_set_id="unit",
        eval_case_ids=[eval_case.eval_id] if eval_case.eval_id else None,
        inference_config=adk.InferenceConfig(parallelism=1, use_live=use_live),
    )
    results = [result async for result in service.perform_inference(request)]
    if not results:
        return None, "ADK returned no inference for this case"
    result = results[-1]
    if result.status == adk.InferenceStatus.FAILURE:
        logged = [describe(e) for _, e in (watcher.failures[seen:] if watcher else [])]
        return None, (logged[-1] if logged else result.error_message) or "the agent failed without a message"
    return list(result.inferences or []), None


def record(
    adk: Any, case: Case, ending: Ending, session: Any, invocations: list[Any] | None, error: str | None
) -> Acted:
    from adk_split_eval.metrics.adapter import conversation_from_invocations

    events: list[Any] = list(session.events) if session is not None else list(ending.events)
    found: list[Any] = invocations if invocations is not None else []
    if invocations is None and events:
        found = adk.EvaluationGenerator.convert_events_to_eval_invocations(events)
    conversation: Conversation = conversation_from_invocations(found)
    given: dict[str, Any] = case.eval_case.get("session_input") or {}
    conversation.state_before = dict(given.get("state") or {})
    conversation.state_after = dict(session.state) if session is not None else None
    conversation.stop_reason = ending.stop_reason
    conversation.glued_text = ending.glued_text
    warnings: list[str] = []
    if error is None and ending.stop_reason == "simulator_error":
        error = f"the simulator's model failed: {ending.error}"
    if error is not None and ending.stop_reason not in ("timeout", "simulator_error"):
        conversation.stop_reason = "agent_error"
    conversation.error = error or _silent_failure(case, conversation, events, warnings, ending)
    _attach_events(conversation, found, events)
    data = [i.model_dump(mode="json", exclude_none=True) for i in found]
    return Acted(conversation, data, warnings, found)


def _silent_failure(
    case: Case, conversation: Conversation, events: list[Any], warnings: list[str], ending: Ending
) -> str | None:
    """Failures ADK does not call failures: a lost toolset, error codes, empty answers, turns without any event."""
    if (lost := _lost_toolset()) is not None:
        return lost
    for event in events:
        code = getattr(event, "error_code", None)
        if code:
            return f"the agent's model answered with an error: {code}: {getattr(event, 'error_message', None) or ''}".rstrip(
                ": "
            )
    scripted: list[Any] | None = case.eval_case.get("conversation")
    sent = len(scripted) if scripted is not None else ending.messages
    if len(conversation.turns) < sent:
        return f"the agent produced no event on {sent - len(conversation.turns)} of {sent} turns"
    waiting = _long_running(events)
    for number, turn in enumerate(conversation.turns, start=1):
        if turn.response.strip():
            continue
        if not turn.tool_calls and not turn.intermediate:
            return f"turn {number}: the agent answered nothing"
        if lacking := [c.name for c in turn.tool_calls if not c.answered and c.name not in waiting]:
            return f"turn {number}: {lacking[0]} was called and never came back, and the agent said nothing more"
        warnings.append(f"turn {number}: the agent gave no final response")
    return None


def _long_running(events: list[Any]) -> set[str]:
    """Names of tools whose answer may come later than the turn's end."""
    found: set[str] = set()
    for event in events:
        ids: Any = getattr(event, "long_running_tool_ids", None) or ()
        found |= {c.name for c in event.get_function_calls() if c.id in ids} if ids else set()
    return found


def _attach_events(conversation: Conversation, invocations: list[Any], events: list[Any]) -> None:
    """Put the session's own events, state changes included, in raw order on each turn."""
    by_invocation: dict[str, list[Any]] = {}
    for event in events:
        by_invocation.setdefault(event.invocation_id, []).append(event)
    for turn, invocation in zip(conversation.turns, invocations, strict=False):
        own = by_invocation.get(invocation.invocation_id)
        if own:
            turn.events = list(raw_events(own))


def raw_events(events: list[Any]) -> Iterator[Event]:
    step = -1
    for event in events:
        if getattr(event, "author", None) == "user" or getattr(event, "partial", None):
            continue
        parts: list[Any] = (event.content.parts or []) if event.content else []
        calls: list[Any] = [p.function_call for p in parts if p.function_call]
        texts: list[str] = [p.text for p in parts if p.text and not getattr(p, "thought", None)]
        if calls or texts:
            step += 1
        if texts:
            # One model answer is one thing said, however many parts it comes in; plain ADK's recording has it so.
            yield Event("text", data="\n".join(texts), author=event.author, step=max(step, 0))
        for call in calls:
            args: dict[str, Any] = dict(call.args or {})
            yield Event("call", call.name or "", args, event.author, max(step, 0))
            if call.name == "transfer_to_agent":
                yield Event("transfer", str(args.get("agent_name", "")), args, event.author, max(step, 0))
        for response in (p.function_response for p in parts if p.function_response):
            yield Event("response", response.name or "", response.response, event.author, max(step, 0))
        delta = getattr(event.actions, "state_delta", None) if getattr(event, "actions", None) else None
        if delta:
            yield Event("state", data=dict(delta), author=event.author, step=max(step, 0))
