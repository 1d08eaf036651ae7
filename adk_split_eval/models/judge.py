"""A judge that always answers in the form ADK's judged metrics read: rules give verdicts, this gives the format.

Which form is wanted is read off the prompt (:mod:`adk_split_eval.models.prompts`), so one script serves every judged
criterion. Faults are planted on purpose, to prove that a sick judge is noticed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Literal

from adk_split_eval.models.view import Item, View

Fault = Literal["garbled", "reworded", "partial", "undecided"]
FAULTS: tuple[str, ...] = ("garbled", "reworded", "partial", "undecided")
LABELS: tuple[str, ...] = ("supported", "unsupported", "contradictory", "disputed", "not_applicable")

# A sentence ends after these, or at a line break. A full stop inside a number or an abbreviation is no end.
_SENTENCE_END = re.compile(r"(?<=[。！？；!?])\s*|(?<=[.])(?<!\.[a-z]\.)\s+|\n+")


@dataclass(slots=True)
class Exemption:
    """A verdict for some items only.

    Attributes:
        item: pattern for the rubric's text or id, or for the sentence; None means every item.
        where: pattern for the text under judgement (for sentences: the context); None means any.
        unless: pattern that must not occur there.
        verdict: what to answer; ``label`` refines it for sentences.
    """

    verdict: bool
    item: re.Pattern[str] | None = None
    where: re.Pattern[str] | None = None
    unless: re.Pattern[str] | None = None
    why: str = ""
    label: str | None = None

    def covers(self, view: View, item: Item) -> bool:
        if self.item and not (self.item.search(item.text) or (item.id and self.item.fullmatch(item.id))):
            return False
        if self.where and not self.where.search(view.judged):
            return False
        return not (self.unless and self.unless.search(view.judged))


@dataclass(slots=True)
class JudgeAnswer:
    """What a rule makes the judge say.

    Attributes:
        verdict: for every item no exception covers; None compares the judged answer with the reference.
        exceptions: first that covers an item decides it.
        fault: how the answer is spoilt, if at all.
    """

    verdict: bool | None = True
    why: str = ""
    exceptions: list[Exemption] = field(default_factory=list[Exemption])
    fault: Fault | None = None

    def text(self, view: View) -> str:
        """The judge's answer to the prompt read into ``view``.

        Raises:
            ValueError: the prompt is none of ADK's judge prompts.
        """
        if self.fault == "garbled":
            return "I looked at everything carefully, and on the whole I am content with what I saw."
        if view.judging == "sentences":
            return self._sentences(view)
        if view.judging == "labels":
            return self._labels(view)
        if view.judging == "rubrics":
            return self._rubrics(view)
        if view.judging in ("final_response", "simulator_quality"):
            return self._validity(view)
        raise ValueError("`judge:` answers ADK's judge prompts only, and this prompt is none of them; use `say:`")

    def decide(self, view: View, item: Item) -> tuple[bool, str, str | None]:
        """Verdict, reason and label of one item."""
        for exception in self.exceptions:
            if exception.covers(view, item):
                return exception.verdict, exception.why or "an exception of the script covers it", exception.label
        if self.verdict is None:
            same = _plain(view.reference) in _plain(view.judged)
            return same, "compared with the reference answer", None
        return self.verdict, self.why or "decided by the script", None

    def _shown(self, items: list[Item]) -> list[Item]:
        return items[: len(items) // 2] if self.fault == "partial" else items

    def _sentences(self, view: View) -> str:
        found = [part.strip() for part in _SENTENCE_END.split(view.judged)]
        return "\n".join(f"<sentence>{part}</sentence>" for part in found if any(c.isalnum() for c in part))

    def _labels(self, view: View) -> str:
        blocks: list[str] = []
        for item in self._shown(view.items):
            good, why, label = self.decide(view, item)
            label = label or ("supported" if good else "unsupported")
            if self.fault == "undecided":
                label = "unclear"
            excerpt = "the context" if label in ("supported", "disputed") else "null"
            against = "the context" if label in ("contradictory", "disputed") else "null"
            sentence = f"(reworded) {item.text[::2]}" if self.fault == "reworded" else item.text
            blocks.append(
                f"sentence: {sentence}\nlabel: {label}\nrationale: {why}\n"
                f"supporting_excerpt: {excerpt}\ncontradicting_excerpt: {against}"
            )
        return "\n\n".join(blocks)

    def _rubrics(self, view: View) -> str:
        blocks: list[str] = []
        for item in self._shown(view.items):
            good, why, _ = self.decide(view, item)
            head = f"ID: {item.id}\n" if item.id and self.fault != "reworded" else ""
            wording = f"In other words, {item.text[::2]}" if self.fault == "reworded" else item.text
            verdict = "hard to say" if self.fault == "undecided" else "yes" if good else "no"
            blocks.append(
                f"{head}Property: {wording}\nEvidence: as the script says\nRationale: {why}\nVerdict: {verdict}"
            )
        return "\n\n".join(blocks)

    def _validity(self, view: View) -> str:
        good, why, _ = self.decide(view, view.items[0])
        if view.judging == "final_response":
            data: dict[str, object] = {"reasoning": why, "is_the_agent_response_valid": "valid" if good else "invalid"}
            key = "is_the_agent_response_valid"
        else:
            row = {"name": "SCRIPT", "reasoning": why, "passes": good}
            data = {"criteria": [row], "is_valid": good}
            key = "is_valid"
        if self.fault == "undecided":
            data[key] = "perhaps"
        elif self.fault == "reworded":
            data["verdict_on_the_response"] = data.pop(key)
        elif self.fault == "partial":
            return json.dumps(data, ensure_ascii=False).partition(f'"{key}"')[0]
        return json.dumps(data, ensure_ascii=False)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
