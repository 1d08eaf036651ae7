"""A case that is interrupted on purpose: the runner drops everything and goes on in the same session with a new agent.

What is dropped is what a process loses when it dies: the agent, whose folder is imported anew, the Runner and its
services. What stays is what was written down: the session, in ADK's SqliteSessionService, and the user, who does not know
that anything happened. ``after_turn`` interrupts between two turns. ``in_tool`` interrupts after the first call of a tool
ran and before its answer was stored, so that the tool's effect outside is there and everything in the session about it is
not; the user then sends the same message again, as people do.
"""

from __future__ import annotations

import asyncio
import copy
import sys
import tempfile
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from adk_split_eval.record import Case, Event
from adk_split_eval.run import adk as border
from adk_split_eval.run.act import Acted, build_service, infer, raw_events, record, session_identity
from adk_split_eval.run.agents import LoadedAgent, load_agent
from adk_split_eval.run.loop import unfinished
from adk_split_eval.run.observe import describe
from adk_split_eval.run.simulate import Ending, ObservingProvider

_IMPORTING = threading.Lock()
PLUGIN = "adk_split_eval_interrupt"


class ProcessDied(BaseException):
    """Raised inside a tool call to stand for a process that dies there: nobody can catch it and write about it."""


@dataclass(slots=True)
class Gate:
    """Stands between ADK and the simulated user over both halves of the case: the user survives the agent.

    Attributes:
        after_turn: messages let through before the interruption; None for no limit.
        sent: messages let through so far.
        past: the session's events before the interruption, which the user remembers.
        resend: the message to send once more, when the interruption came while it was answered.
    """

    statuses: Any
    next_message: Any
    after_turn: int | None
    inner: Any = None
    sent: int = 0
    stopped: bool = False
    past: list[Any] = field(default_factory=list[Any])
    last: Any = None
    resend: Any = None

    async def get_next_user_message(self, events: list[Any]) -> Any:
        if self.resend is not None:
            answer, self.resend = self.resend, None
            return answer
        if self.after_turn is not None and self.sent == self.after_turn:
            self.stopped = True
            return self.next_message(status=self.statuses.STOP_SIGNAL_DETECTED)
        answer = await self.inner.get_next_user_message([*copy.deepcopy(self.past), *events])
        if answer.status == self.statuses.SUCCESS:
            self.sent += 1
            self.last = answer
        return answer

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class _GatedProvider:
    """Gives both halves of the case the same simulated user."""

    def __init__(self, provider: ObservingProvider, gate: Gate) -> None:
        self._provider = provider
        self._gate = gate

    def provide(self, eval_case: Any) -> Gate:
        if self._gate.inner is None:
            self._gate.inner = self._provider.provide(eval_case)
        return self._gate


def interrupting_plugin(tool_name: str) -> Any:
    """A plugin that lets the first call of a tool run and then ends everything; ``fired`` says whether it did."""
    from google.adk.plugins.base_plugin import BasePlugin

    class Interrupting(BasePlugin):
        def __init__(self) -> None:
            super().__init__(name=PLUGIN)
            self.fired = False

        async def after_tool_callback(self, *, tool: Any, tool_args: Any, tool_context: Any, result: Any) -> None:
            del tool_args, tool_context, result
            if tool.name == tool_name and not self.fired:
                self.fired = True
                raise ProcessDied(tool_name)

    return Interrupting()


def session_services(database: Path) -> Callable[[], Any]:
    """Makes services that keep sessions in one database, each as a new process would have its own."""
    from google.adk.sessions.sqlite_session_service import SqliteSessionService

    class Sessions(SqliteSessionService):
        def _is_migration_needed(self) -> bool:
            # The database is ours and new; ADK's look into it leaves a connection open.
            return False

    return lambda: Sessions(str(database))


def reloaded(agent: LoadedAgent) -> LoadedAgent:
    """The agent folder imported once more, as a new process would; the modules loaded before stay as they are.

    Raises:
        AgentLoadError: importing it again fails.
    """
    with _IMPORTING:
        kept = {
            name: sys.modules.pop(name) for name in list(sys.modules) if name == "agent" or name.startswith("agent.")
        }
        try:
            return load_agent(agent.directory, shared=agent.shared)
        finally:
            for name in [n for n in sys.modules if n == "agent" or n.startswith("agent.")]:
                del sys.modules[name]
            sys.modules.update(kept)


async def act_interrupted(
    case: Case,
    agent: LoadedAgent,
    simulator_config: dict[str, Any] | None,
    *,
    session_id: str,
    unit_timeout: float | None = None,
) -> Acted:
    """As :func:`adk_split_eval.run.act.act`, with the interruption the case asks for."""
    adk = border.load()
    with tempfile.TemporaryDirectory(prefix="adk-split-eval-") as folder:
        run = _Interrupted(adk, case, agent, simulator_config, session_id, Path(folder) / "sessions.db")
        error: str | None = None
        try:
            async with asyncio.timeout(unit_timeout):
                error = await run.both_halves()
        except TimeoutError:
            error = unfinished(unit_timeout)
            run.ending.stop_reason = "timeout"
        except Exception as problem:  # noqa: BLE001 - one case's crash never touches another
            error = describe(problem)
        return run.acted(await run.session(), error)


class _Interrupted:
    """Both halves of one case, and the conversation they make together."""

    def __init__(
        self,
        adk: Any,
        case: Case,
        agent: LoadedAgent,
        simulator_config: dict[str, Any] | None,
        session_id: str,
        database: Path,
    ) -> None:
        self.adk, self.case, self.agent, self.config = adk, case, agent, simulator_config
        self.interrupt: dict[str, Any] = case.runner["interrupt"]
        self.new_sessions = session_services(database)
        self.eval_case = adk.EvalCase.model_validate(case.eval_case)
        if self.eval_case.session_input.session_id is None:
            self.eval_case.session_input.session_id = session_id
        self.session_id: str = self.eval_case.session_input.session_id
        self.ending = Ending()
        self.gate = Gate(adk.Status, adk.NextUserMessage, self.interrupt.get("after_turn"))
        self.invocations: list[Any] = []
        self.aborted: list[Any] = []
        self.cut_before: int | None = None
        from adk_split_eval.run.replay import (
            replay_plugin,
        )  # needs ADK's plugin base class, so it comes after the border

        self.replay = replay_plugin(case)

    async def session(self) -> Any:
        app_name, user_id = session_identity(self.case, self.agent.app_name)
        return await self.new_sessions().get_session(app_name=app_name, user_id=user_id, session_id=self.session_id)

    async def both_halves(self) -> str | None:
        """Act until the interruption and from there to the end; answers what broke it off, if anything did."""
        tool = self.interrupt.get("in_tool")
        plugin = interrupting_plugin(tool) if tool else None
        made, error = await self._half(self.agent, [plugin] if plugin else [])
        if plugin is not None and plugin.fired:
            await self._take_stock_of_the_broken_turn()
        elif self.gate.stopped and error is None:
            self.invocations = made or []
            self.gate.past = list((await self.session()).events)
        else:
            self.invocations = made or []
            return error
        self.gate.after_turn = None
        self.cut_before = len(self.invocations)
        rest, error = await self._half(reloaded(self.agent), [])
        self._join(rest or [])
        return error

    async def _half(self, agent: LoadedAgent, plugins: list[Any]) -> tuple[list[Any] | None, str | None]:
        if self.replay is not None:
            plugins = [*plugins, self.replay]
        service = await build_service(
            self.adk,
            agent,
            self.eval_case,
            self.config,
            self.new_sessions(),
            lambda provider: _GatedProvider(ObservingProvider(provider, self.ending, self.adk), self.gate),
            self.session_id,
            plugins,
        )
        try:
            return await infer(self.adk, service, agent.app_name, self.eval_case, use_live=False)
        except ProcessDied:
            return None, None

    async def _take_stock_of_the_broken_turn(self) -> None:
        """ADK gives nothing back of a half that failed; the session has what was stored of it."""
        events: list[Any] = list((await self.session()).events)
        self.gate.past = events
        self.gate.resend = self.gate.last
        made = self.adk.EvaluationGenerator.convert_events_to_eval_invocations(events)
        last = events[-1].invocation_id if events else None
        self.aborted = [event for event in events if event.invocation_id == last]
        self.invocations = [invocation for invocation in made if invocation.invocation_id != last]

    def _join(self, rest: list[Any]) -> None:
        """The turns of both halves as one list; what was done of the broken turn goes before its second try."""
        if self.aborted and rest:
            made = self.adk.EvaluationGenerator.convert_events_to_eval_invocations(self.aborted)
            for invocation in made:
                rest[0].intermediate_data.invocation_events[:0] = invocation.intermediate_data.invocation_events
        if rest:
            for invocation in self.invocations:
                invocation.app_details = invocation.app_details or rest[0].app_details
        self.invocations += rest

    def acted(self, session: Any, error: str | None) -> Acted:
        if self.replay is not None and self.replay.misses:
            error = f"replay: {self.replay.misses[0]}"
        found = record(self.adk, self.case, self.ending, session, self.invocations or None, error)
        turns = found.conversation.turns
        if self.cut_before is not None and self.cut_before < len(turns):
            turn = turns[self.cut_before]
            mark = Event("interrupt", data=dict(self.interrupt))
            turn.events = [*raw_events(self.aborted), mark, *turn.events]
        return found
