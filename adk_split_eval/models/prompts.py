"""Reading ADK's own prompts back: the user simulator's, and those of its judges (ADK 2.10 to 2.13 and alike).

ADK puts a simulator's or judge's whole conversation into one prompt text. The headings and tags below are those of
ADK's templates (``google.adk.evaluation``); a prompt that has none of them is left alone and can still be matched
with ``prompt:``.
"""

from __future__ import annotations

import json
import re
from typing import Any, cast

from adk_split_eval.models.view import Item, View

STOP_SIGNAL = "</finished>"

_SEGMENTER = "**Your Sentence Segmentation Output:**"
_SEGMENTER_TASK = "**Now, given the following response"
_VALIDATOR_TASK = "**Now, please analyze the following context and sentences:**"
_SENTENCE = re.compile(r"<sentence>(.*?)</sentence>", re.DOTALL)
_RUBRIC_LINE = re.compile(r"^\*\s+(?:\[id: (?P<id>[^\]\n]*)\]\s*)?", re.MULTILINE)
_SPEAKER = re.compile(r"\A[A-Za-z_][A-Za-z0-9_]*: ")
_USER_TURN = re.compile(r"(?:\A|\n\n)user: ")


def read_prompt(view: View) -> None:
    """Recognise the prompt of ``view`` and fill in what only its text tells; an agent's request stays as it is."""
    text = view.prompt
    if "quality of a User Simulator" in text and "# Generated User Response\n" in text:
        _read_simulator_judge(view, text)
    elif "You are a Simulated User" in text and "# Conversation History\n" in text:
        _read_simulator(view, text)
    elif _SEGMENTER in text and _SEGMENTER_TASK in text:
        view.judging = "sentences"
        view.judged = _last_between(text[text.index(_SEGMENTER_TASK) :], "**Response Begin**", "**Response End**")
    elif _VALIDATOR_TASK in text:
        view.judging = "labels"
        task = text[text.index(_VALIDATOR_TASK) :]
        view.judged = _last_between(task, "**Context Begin**", "**Context End**")
        sentences = task[task.rindex("**Sentences Begin**") :] if "**Sentences Begin**" in task else ""
        view.items = [Item("", sentence) for sentence in _SENTENCE.findall(sentences)]
    elif '"is_the_agent_response_valid"' in text:
        _read_response_match(view, text)
    elif "<properties>" in text and "Verdict:" in text:
        _read_rubrics(view, text)
    if view.judging is not None:
        view.kind = "judge"


def split_history(history: str) -> tuple[list[str], list[str]]:
    """User messages and agent utterances of a history as ADK writes it (``author: text``, blank line between).

    Everything from one user message to the next counts as one utterance, because a paragraph that looks like
    ``Note: ...`` cannot be told from an author's name.
    """
    users: list[str] = []
    agents: list[str] = []
    starts = list(_USER_TURN.finditer(history))
    for number, start in enumerate(starts):
        end = starts[number + 1].start() if number + 1 < len(starts) else len(history)
        block = history[start.end() : end]
        cut = re.search(r"\n\n(?=[A-Za-z_][A-Za-z0-9_]*(?:: | called tool '))", block)
        users.append((block[: cut.start()] if cut else block).strip())
        if cut:
            agents.append(_SPEAKER.sub("", block[cut.end() :]).strip())
    return users, agents


def _read_simulator(view: View, text: str) -> None:
    view.kind = "simulator"
    view.plan = _between(text, "# Conversation Plan\n", "\n# Conversation History\n")
    view.persona = _between(text, "# Persona Description\n", "\n# Conversation Plan\n")
    view.user, view.agent = split_history(_after(text, "\n# Conversation History\n"))


def _read_simulator_judge(view: View, text: str) -> None:
    view.judging = "simulator_quality"
    view.plan = _between(text, "\n# Conversation Plan\n", "\n# Conversation History\n")
    view.persona = _between(text, "\n# Persona Description\n", "\n# Generated User Response\n")
    end = "\n# Persona Description\n" if view.persona else "\n# Generated User Response\n"
    view.user, view.agent = split_history(_between(text, "\n# Conversation History\n", end))
    view.judged = text[text.rindex("# Generated User Response\n") + len("# Generated User Response\n") :].strip()
    view.items = [Item("is_valid", view.judged)]


def _read_response_match(view: View, text: str) -> None:
    view.judging = "final_response"
    data = _after(text, "Below are the inputs:\n")
    response, _, rest = data.partition('"Agent response": ')[2].partition(',\n  "Reference response": ')
    view.user = [data.partition('"User prompt": ')[2].partition(',\n  "Agent response": ')[0].strip()]
    view.judged = response.strip()
    view.reference = rest.partition(",\n}\n\nThe answer should be a json")[0].strip()
    view.items = [Item("is_the_agent_response_valid", view.judged)]


def _read_rubrics(view: View, text: str) -> None:
    view.judging = "rubrics"
    block = _last_between(text, "<properties>", "</properties>")
    view.items = _rubric_items(block)
    before = text[: text.rindex("<properties>")]
    if "<conversation_history>" in before:
        view.judged = _last_between(before, "<conversation_history>\n", "</conversation_history>")
        view.user = re.findall(r"^USER TURN \d+: (.*)$", view.judged, re.MULTILINE)
        return
    view.judged = _last_between(before, "<response>", "</response>")
    asked = _last_between(before, "<user_prompt>", "</user_prompt>")
    view.user = [_last_between(asked, "<main_prompt>", "</main_prompt>") if "<main_prompt>" in asked else asked]


def _rubric_items(block: str) -> list[Item]:
    """Rubrics of a prompt: a JSON list (multi-turn metric) or lines ``*  [id: x] text`` whose text may go on below."""
    try:
        listed: Any = json.loads(block)
    except ValueError:
        marks = list(_RUBRIC_LINE.finditer(block))
        ends = [mark.start() for mark in marks[1:]] + [len(block)]
        return [
            Item((mark.group("id") or "").strip(), " ".join(block[mark.end() : end].split()))
            for mark, end in zip(marks, ends, strict=True)
        ]
    rows = [cast("dict[str, Any]", row) for row in cast("list[Any]", listed) if isinstance(row, dict)]
    return [Item(str(row.get("id") or ""), " ".join(str(row.get("property", "")).split())) for row in rows]


def _between(text: str, start: str, end: str) -> str:
    """Text from the first ``start`` to the first ``end`` after it; "" when ``start`` is missing."""
    _, found, rest = text.partition(start)
    return rest.partition(end)[0].strip() if found else ""


def _last_between(text: str, start: str, end: str) -> str:
    """Text from the last ``start`` to the last ``end``: templates give their examples first."""
    if start not in text:
        return ""
    rest = text[text.rindex(start) + len(start) :]
    return (rest[: rest.rindex(end)] if end in rest else rest).strip()


def _after(text: str, start: str) -> str:
    return text.partition(start)[2].strip()
