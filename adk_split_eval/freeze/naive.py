"""A frozen case that takes the failure for what is right guards the bug: such cases are refused here, without running them."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Any

from adk_split_eval.metrics.registry import METRICS
from adk_split_eval.pool.candidate import Candidate, Hit
from adk_split_eval.pool.collect import ABOUT_CALLS, keeps_criterion
from adk_split_eval.pool.emit import as_list, as_mapping
from adk_split_eval.pool.locate import blamed_numbers, failing_turn
from adk_split_eval.pool.reading import PoolError, place_of, read_text, refuse
from adk_split_eval.pool.review import conversation_of
from adk_split_eval.record import Case, Conversation, Criterion

NAIVE = "ASE957"

EXPECTATIONS = frozenset(
    {
        "tool_args_v1",
        "tool_trajectory_avg_score",
        "tool_order_v1",
        "response_text_v1",
        "expected_response_v1",
        "response_match_score",
        "final_state_v1",
        "intermediate_responses_v1",
        "forbidden_tools_v1",
    }
)
"""What stands in for a criterion that a fixed case cannot carry (a goal, a judged answer)."""

_SEEN = frozenset(
    {
        "tool_args_v1",
        "tool_order_v1",
        "response_text_v1",
        "final_state_v1",
        "intermediate_responses_v1",
        "forbidden_tools_v1",
        "grounded_numbers_v1",
    }
)
"""Criteria that a candidate keeps enough of the conversation for."""

_ALIKE = 0.5
_PART = 0.4
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def located(candidate: Candidate, code: str, message: str, mend: str, steps: tuple[str | int, ...]) -> PoolError:
    """A refusal at a place of the candidate's draft."""
    line, column = place_in(candidate, ("draft", *steps))
    return refuse(code, message, path=str(candidate.path or ""), help=mend, line=line, column=column)


def place_in(candidate: Candidate, steps: tuple[str | int, ...]) -> tuple[int, int]:
    """Line and column of something in the candidate's file; zeros when there is none."""
    return place_of(read_text(candidate.path), steps) if candidate.path and candidate.path.is_file() else (0, 0)


def aligned(candidate: Candidate, case: dict[str, Any]) -> list[int | None]:
    """For each user turn of ``case`` the recorded turn (0-based) it came from: turns may be gone, and words changed."""
    recorded = [str(t.get("user") or "") for t in candidate.transcript]
    written = [str(as_mapping(t).get("user") or "") for t in as_list(case.get("turns"))]
    failing = candidate.hit.turn - 1 if candidate.hit.turn is not None else None
    known = set(recorded)
    likeness = [
        [
            _likeness(own, other, own in known) + (0.01 if place == failing else 0.0)
            for place, other in enumerate(recorded)
        ]
        for own in written
    ]
    best = [[0.0] * (len(recorded) + 1) for _ in range(len(written) + 1)]
    for row in range(len(written) - 1, -1, -1):
        for column in range(len(recorded) - 1, -1, -1):
            paired = likeness[row][column] + best[row + 1][column + 1] if likeness[row][column] >= _ALIKE else 0.0
            best[row][column] = max(paired, best[row + 1][column], best[row][column + 1])
    return _walk(likeness, best)


def _walk(likeness: list[list[float]], best: list[list[float]]) -> list[int | None]:
    origins: list[int | None] = [None] * len(likeness)
    row = column = 0
    while row < len(likeness) and column < len(best[0]) - 1:
        here = best[row][column]
        if likeness[row][column] >= _ALIKE and here == likeness[row][column] + best[row + 1][column + 1]:
            origins[row] = column
            row, column = row + 1, column + 1
        elif here == best[row][column + 1]:
            column += 1
        else:
            row += 1
    return origins


def _likeness(own: str, other: str, unchanged: bool) -> float:
    if own == other:
        return 1.0
    if unchanged:
        return 0.0
    matcher = SequenceMatcher(None, own[:2000], other[:2000], autojunk=False)
    return matcher.ratio() * 0.9 if matcher.quick_ratio() >= _ALIKE else 0.0


def hit_in(candidate: Candidate, case: dict[str, Any]) -> Hit:
    """The candidate's hit, with its turn as it stands in ``case``; no turn when the case does not hold it."""
    failing = candidate.hit.turn
    origins = aligned(candidate, case) if failing is not None else []
    turn = next((n for n, origin in enumerate(origins, 1) if origin is not None and origin + 1 == failing), None)
    return replace(candidate.hit, turn=turn)


def refuse_naive(candidate: Candidate, case: dict[str, Any]) -> None:
    """Refuse a case that takes the failing answer, or the failing calls, for what is right. Raises PoolError."""
    hit = candidate.hit
    if hit.kind == "recorded":
        return
    if hit.turn is not None and 1 <= hit.turn <= len(candidate.transcript):
        turn = hit_in(candidate, case).turn
        if turn is None:
            message = (
                f"turn {hit.turn} of the recording, which shows the failure, is not in the draft: it would miss it"
            )
            mend = f"put the turn back, with the user's words as recorded: {candidate.transcript[hit.turn - 1].get('user')}"
            raise located(candidate, NAIVE, message, mend, ("turns",))
        turns = [as_mapping(t) for t in as_list(case.get("turns"))]
        for number, origin in list(enumerate(aligned(candidate, case)))[turn - 1 :]:
            said = str(candidate.transcript[origin].get("response") or "") if origin is not None else ""
            _refuse_failing_words(candidate, turns[number], number, said)
        _refuse_failing_calls(candidate, turns[turn - 1], candidate.transcript[hit.turn - 1], turn - 1)
    if not keeps_criterion(hit.criterion, case) and keeps_criterion(
        hit.criterion, as_mapping(candidate.provenance.get("carries"))
    ):
        raise lost_criterion(candidate)


def lost_criterion(candidate: Candidate) -> PoolError:
    """The refusal of a draft that switched off the criterion that hit."""
    message = f"{candidate.hit.criterion} hit, and the draft no longer carries it: the case would pass with the bug still there"
    return located(candidate, NAIVE, message, "put back the key that switches it on", ())


def _refuse_failing_words(candidate: Candidate, turn: dict[str, Any], number: int, said: str) -> None:
    sentence = candidate.hit.sentence or ""
    reference, wrong = _letters(str(turn.get("expect_response") or "")), _letters(sentence)
    mend = "write what the agent should have said, or leave the reference out and keep the counter-example"
    if reference and (reference == _letters(said) or (wrong and wrong in reference)):
        message = (
            f"turn {number + 1}: expect_response is the answer of the conversation that failed: it would guard the bug"
        )
        raise located(candidate, NAIVE, message, mend, ("turns", number, "expect_response"))
    response = as_mapping(turn.get("response"))
    for text in as_list(response.get("contains")):
        if _asks_for(str(text), candidate.hit):
            message = f"turn {number + 1}: response.contains asks for the very sentence that failed, or for part of it"
            raise located(candidate, NAIVE, message, mend, ("turns", number, "response"))
    if sentence and _meets(response.get("matches"), sentence):
        message = f"turn {number + 1}: response.matches is met by the very sentence that failed"
        raise located(candidate, NAIVE, message, mend, ("turns", number, "response"))


def _asks_for(text: str, hit: Hit) -> bool:
    """Whether ``text`` is the failing sentence or what is wrong in it: most of its words, or the number blamed.

    A word or two of it are no copy: the right answer is about the same thing.
    """
    wanted, wrong = _letters(text), _letters(hit.sentence or "")
    if not wanted or not wrong:
        return False
    if wrong in wanted:
        return True
    numbers = blamed_numbers(hit.reasons).intersection(_DIGITS.findall(hit.sentence or ""))
    return wanted in wrong and (len(wanted) >= _PART * len(wrong) or bool(numbers.intersection(_DIGITS.findall(text))))


def _meets(pattern: Any, sentence: str) -> bool:
    try:
        return isinstance(pattern, str) and re.search(pattern, sentence) is not None
    except re.error:
        return False  # no valid case: the plan's own check says so, with its place


def _refuse_failing_calls(candidate: Candidate, turn: dict[str, Any], failing: dict[str, Any], number: int) -> None:
    """Only where the fault is in the calls: an agent that says something wrong may well have called the right tools."""
    expected = turn.get("expect_tools")
    if candidate.hit.criterion not in ABOUT_CALLS or not isinstance(expected, list):
        return
    observed = [str(as_mapping(call).get("name")) for call in as_list(failing.get("tool_calls"))]
    if call_names(as_list(expected)) == observed:
        message = f"turn {number + 1}: expect_tools are the calls of the turn that failed: it would guard the bug"
        mend = f"write the calls the agent should have made ({candidate.hit.criterion} says what was wrong)"
        raise located(candidate, NAIVE, message, mend, ("turns", number, "expect_tools"))


def call_names(steps: list[Any]) -> list[str]:
    """The tool names of expected steps, parallel ones in the order written."""
    names: list[str] = []
    for step in steps:
        if isinstance(step, list):
            names += call_names(as_list(step))
        else:
            names.append(str(as_mapping(step).get("name")) if isinstance(step, dict) else str(step))
    return names


def _letters(text: str) -> str:
    """``text`` without blanks, punctuation and case: what is left is what it says."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())


def refuse_blind(candidate: Candidate, case: dict[str, Any], found: Case) -> None:
    """Refuse a case that the conversation that failed would pass, judged by the case's own criteria. Raises PoolError."""
    if candidate.hit.kind == "recorded" or not _passes(candidate, case, found):
        return
    message = (
        f"the conversation that failed ({candidate.hit.criterion}) passes this case: it would not notice the fault"
    )
    mend = "say in the draft what the agent must do or say that it did not: expect_tools, response, expect_state"
    raise located(candidate, NAIVE, message, mend, ("turns",))


def _passes(candidate: Candidate, case: dict[str, Any], found: Case) -> bool:
    """Whether nothing that would show the fault is red on the recording; False when that cannot be told."""
    recorded = conversation_of(candidate)
    origins = aligned(candidate, case)
    if recorded.flat or None in origins:
        return False
    whole = len(origins) == len(recorded.turns)
    turns = [recorded.turns[n] for n in origins if n is not None]
    conversation = Conversation(
        turns, "script_end", state_before=recorded.state_before, state_after=recorded.state_after if whole else None
    )
    hit = hit_in(candidate, case)
    own = [c for c in found.criteria if c.name == hit.criterion]
    watching = own or [c for c in found.criteria if c.name in EXPECTATIONS]
    return bool(watching) and not any(_red(c, case, conversation, hit, not own) for c in watching)


def _red(criterion: Criterion, case: dict[str, Any], conversation: Conversation, hit: Hit, stands_in: bool) -> bool:
    """Whether ``criterion`` is red on the recording for the fault; what cannot be judged here counts as red."""
    if criterion.name == "tool_trajectory_avg_score":
        return _other_calls(case, conversation)
    if criterion.name in ("expected_response_v1", "response_match_score"):
        return _other_words(case, conversation)
    if criterion.name not in _SEEN or (criterion.name == "final_state_v1" and conversation.state_after is None):
        return True
    judged = METRICS[criterion.name](conversation, criterion.params, criterion.threshold or 1.0)
    if judged.status != "failed":
        return judged.status == "not_evaluated"
    blamed = failing_turn(judged.reasons, conversation.turns)
    return not (stands_in and hit.turn is not None and blamed is not None and blamed < hit.turn)


def _other_calls(case: dict[str, Any], conversation: Conversation) -> bool:
    steps: list[Any] = []
    for turn in (as_mapping(t) for t in as_list(case.get("turns"))):
        expected = as_list(turn.get("expect_tools")) if "expect_tools" in turn else None
        steps.append(None if expected is None else {"expect": [{"calls": _calls(step)} for step in expected]})
    params = {"match_type": str(case.get("match_type") or "EXACT"), "turns": steps}
    return METRICS["tool_args_v1"](conversation, params, 1.0).status in ("failed", "not_evaluated")


def _calls(step: Any) -> list[dict[str, Any]]:
    return [as_mapping(one) or {"name": str(one)} for one in (as_list(step) or [step])]


def _other_words(case: dict[str, Any], conversation: Conversation) -> bool:
    turns = (as_mapping(t) for t in as_list(case.get("turns")))
    stated = [str(turn.get("expect_response") or "") for turn in turns]
    pairs = zip(stated, conversation.turns, strict=False)
    return any(words and _letters(words) != _letters(turn.response) for words, turn in pairs)
