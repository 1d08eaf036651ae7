"""Recorded tool results instead of real tools: hermetic, or an ERROR, never the tool itself.

Import this module only after :func:`adk_split_eval.run.adk.load`: it needs ADK's plugin base class.
"""

from __future__ import annotations

import copy
import json
from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, cast

from google.adk.plugins.base_plugin import BasePlugin

from adk_split_eval.metrics import values
from adk_split_eval.record import Case
from adk_split_eval.run.tools import CONTROL_TOOLS


class ReplayMismatchError(Exception):
    """The agent called a tool for which the recording holds no (further) result."""


class ReplayPlugin(BasePlugin):
    """Answers every tool call from a recording: one ordered queue a tool and arguments.

    A call that finds no result ends the turn with :class:`ReplayMismatchError`; its sentence stays in ``misses``. State
    writes of the replaced tool are applied again. Recorded arguments may hold matchers, for those that are generated.

    Args:
        results: recorded results in order, each ``{name, args, response, state?, error?}``.
        control_tools: names that are let through.
    """

    def __init__(self, results: Iterable[Mapping[str, Any]], *, control_tools: frozenset[str] = CONTROL_TOOLS) -> None:
        super().__init__(name="adk_split_eval_replay")
        self.misses: list[str] = []
        self._control_tools = control_tools
        self._queues: dict[str, list[tuple[dict[str, Any], deque[Mapping[str, Any]]]]] = {}
        for result in results:
            self._add(result)

    def _add(self, result: Mapping[str, Any]) -> None:
        args = dict(result.get("args") or {})
        queues = self._queues.setdefault(str(result["name"]), [])
        mark = _canonical(args)
        for known, queue in queues:
            if _canonical(known) == mark:
                queue.append(result)
                return
        queues.append((args, deque([result])))

    @property
    def unused(self) -> list[str]:
        """Tools whose recorded results were not asked for, one entry a result."""
        return [name for name, queues in self._queues.items() for _, queue in queues for _ in queue]

    async def before_tool_callback(
        self, *, tool: Any, tool_args: dict[str, Any], tool_context: Any
    ) -> dict[str, Any] | None:
        """The recorded result of this call. Raises ReplayMismatchError when there is none."""
        name = str(tool.name)
        if name in self._control_tools:
            return None
        result = self._take(name, tool_args)
        for key, value in cast("dict[str, Any]", result.get("state") or {}).items():
            tool_context.state[key] = copy.deepcopy(value)
        if result.get("error"):
            raise RuntimeError(str(result["error"]))
        response = copy.deepcopy(result["response"])
        # ADK wraps what is no mapping in the same way.
        return cast("dict[str, Any]", response) if isinstance(response, dict) else {"result": response}

    def _take(self, name: str, args: dict[str, Any]) -> Mapping[str, Any]:
        queues = self._queues.get(name, [])
        mark = _canonical(args)
        fitting = [queue for known, queue in queues if _canonical(known) == mark]
        fitting += [queue for known, queue in queues if values.holds_matcher(known) and values.matches(known, args)]
        for queue in fitting:
            if queue and ("response" in queue[0] or queue[0].get("error")):
                return queue.popleft()
        raise self._miss(name, args, known=bool(queues), exhausted=bool(fitting))

    def _miss(self, name: str, args: dict[str, Any], *, known: bool, exhausted: bool) -> ReplayMismatchError:
        why = "no further result" if exhausted else "no result for these arguments" if known else "no result"
        sentence = f"replayed tools: the recording holds {why} of {name}({_shown(args)}); the real tool was not called"
        self.misses.append(sentence)
        return ReplayMismatchError(sentence)


def replay_plugin(case: Case) -> ReplayPlugin | None:
    """The plugin a case asks for by ``replay_tools``, a fresh one for every trial; None when it asks for none."""
    if not case.runner.get("replay_tools"):
        return None
    turns = cast("list[list[dict[str, Any]]]", case.runner.get("tool_results") or [])
    return ReplayPlugin(result for turn in turns for result in turn)


def _canonical(args: Mapping[str, Any]) -> str:
    return json.dumps(_numbers(args), ensure_ascii=True, sort_keys=True, default=str)


def _numbers(value: Any) -> Any:
    """1 and 1.0 are the same argument; true is not 1."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(k): _numbers(v) for k, v in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_numbers(v) for v in cast("list[Any]", value)]
    return value


def _shown(args: dict[str, Any]) -> str:
    text = json.dumps(args, ensure_ascii=False, default=str)
    return text if len(text) <= 200 else text[:197] + "..."
