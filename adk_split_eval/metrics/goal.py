"""goal_reached_v1: the evidence of the user's goal, all of it.

* ``{tool, args?, response?}``: some call of that tool, with those arguments and that response, succeeded.
* ``{says: regex}``: found (``re.search``) in something an agent said, final or intermediate.
* ``{state: {...}}``: the session state after the conversation holds these keys. Unknown state cannot be judged.

The score is the share of evidence that holds. A goal that need not be reached (``required: false``) and is not makes the
answer informational. A recording that itself states whether the goal was reached is believed when the case lists no
evidence.
"""

from __future__ import annotations

from typing import Any

from adk_split_eval.metrics.base import Parameters, mapping, only, sequence, text
from adk_split_eval.metrics.differences import summary
from adk_split_eval.metrics.patterns import CallPattern, failure, placed_calls, response_error, response_fits
from adk_split_eval.metrics.text import excerpt, quote, show
from adk_split_eval.metrics.values import ParameterError, compare_keys, compiled, require_sound
from adk_split_eval.record import Conversation, Judgement

NAME = "goal_reached_v1"
_ANY: Any = object()


def judge(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    """See the module's first lines. ``params``: ``{"goal": str, "evidence": [...], "required": bool}``."""
    only(params, {"goal", "evidence", "required"}, NAME)
    evidence = sequence(params.get("evidence") or [], "evidence")
    answers = [_Evidence(raw, f"evidence[{index}]").judge(conversation) for index, raw in enumerate(evidence)]
    if not answers:
        return _stated(conversation, params, threshold)
    missing = [reason for holds, reason in answers if holds is False]
    unknown = [reason for holds, reason in answers if holds is None]
    if unknown and not missing:
        return Judgement.not_evaluated(*unknown)
    score = sum(holds is True for holds, _ in answers) / len(answers)
    reasons = missing or [reason for _, reason in answers]
    return _required(Judgement.scored(score, threshold, reasons), params)


def _stated(conversation: Conversation, params: Parameters, threshold: float) -> Judgement:
    if conversation.goal_reached is None:
        return Judgement.not_applicable()
    verdict = "was" if conversation.goal_reached else "was not"
    reason = f"the recording states that the goal {verdict} reached"
    return _required(Judgement.scored(float(conversation.goal_reached), threshold, [reason]), params)


def _required(judgement: Judgement, params: Parameters) -> Judgement:
    if judgement.status == "failed" and params.get("required") is False:
        return Judgement("informational", judgement.score, ["the goal need not be reached", *judgement.reasons])
    return judgement


class _Evidence:
    """One entry of ``goal_evidence``; :meth:`judge` answers (holds, sentence), with None for what cannot be known."""

    def __init__(self, raw: Any, where: str) -> None:
        entry = mapping(raw, where)
        kinds = [kind for kind in ("tool", "says", "state") if kind in entry]
        if len(kinds) != 1:
            raise ParameterError(f"{where} must have exactly one of tool, says, state")
        self.kind = kinds[0]
        only(entry, {"tool", "args", "response"} if self.kind == "tool" else {self.kind}, where)
        self.entry = entry
        if self.kind == "tool":
            self.pattern = CallPattern.parse({"name": entry["tool"], "args": entry.get("args")}, where)
            require_sound(entry.get("response"), f"{where}.response")
        elif self.kind == "says":
            self.regex = compiled(text(entry["says"], f"{where}.says"))
        else:
            for key, value in mapping(entry["state"], f"{where}.state").items():
                require_sound(value, f"{where}.state.{key}")

    def judge(self, conversation: Conversation) -> tuple[bool | None, str]:
        if self.kind == "tool":
            return self._judge_tool(conversation)
        return self._judge_says(conversation) if self.kind == "says" else self._judge_state(conversation)

    def _judge_tool(self, conversation: Conversation) -> tuple[bool | None, str]:
        calls = [placed for placed in placed_calls(conversation) if self.pattern.fits(placed.call)]
        if not calls:
            return False, f"{self.pattern} is never called{self._other_calls(conversation)}"
        if conversation.flat and not any(placed.call.answered for placed in calls):
            return self._judge_loose(conversation)
        complaints: list[str] = []
        for placed in calls:
            complaint = failure(placed.call)
            wanted = self.entry.get("response", _ANY)
            if complaint is None and wanted is not _ANY and not response_fits(wanted, placed.call.response):
                complaint = f"its response {show(placed.call.response)} is not {show(wanted)}"
            if complaint is None:
                return True, f"{placed} succeeded"
            complaints.append(f"{placed}: {complaint}")
        return False, f"no call of {self.pattern} succeeded as needed; {complaints[-1]}"

    def _other_calls(self, conversation: Conversation) -> str:
        other = next((p for p in placed_calls(conversation) if p.call.name == self.pattern.name), None)
        if other is None:
            return ""
        found = compare_keys(self.pattern.args or {}, other.call.args)
        return f" with these arguments; {other}: {summary(found)}"

    def _judge_loose(self, conversation: Conversation) -> tuple[bool | None, str]:
        """A flat recording: results belong to no call, so one that fits is taken for this call's."""
        results = [result for turn in conversation.turns for result in turn.loose_results]
        good = [result for result in results if response_error(result) is None]
        if "response" not in self.entry:
            if len(good) == len(results):
                return True, f"{self.pattern} is called, and no recorded result is an error"
            return None, f"{self.pattern} is called, but the recording does not say which result is its own"
        wanted = self.entry["response"]
        for result in good:
            if response_fits(wanted, result):
                return True, f"{self.pattern} is called, and the result {show(result)} is recorded"
        return False, f"{self.pattern} is called, but no recorded result is {show(wanted)}"

    def _judge_says(self, conversation: Conversation) -> tuple[bool, str]:
        for index, turn in enumerate(conversation.turns):
            for said in [*(t.text for t in turn.intermediate), turn.response]:
                found = self.regex.search(said)
                if found:
                    return True, f"turn {index + 1}: an agent says {excerpt(said, *found.span())}"
        last = conversation.turns[-1].response if conversation.turns else ""
        return False, f"no agent says {quote(self.entry['says'])}; the last response is {quote(last)}"

    def _judge_state(self, conversation: Conversation) -> tuple[bool | None, str]:
        if conversation.state_after is None:
            return None, "the session state after the conversation is not known; our own runner records it"
        found = compare_keys(self.entry["state"], conversation.state_after, "state")
        return not found, summary(found) if found else f"the final state holds {show(self.entry['state'])}"
