"""The planted faults: which fault, in which agent, on which cases it can show, and the criterion made for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
COACH = ROOT / "evalsets" / "interview_coach" / "interview_coach.plan.yaml"
DESK = ROOT / "evalsets" / "refund_desk" / "refund_desk.plan.yaml"
DESK_SCRIPTS = Path(__file__).parent / "refund"

NOTHING = ""
"""The criterion of a healthy agent and of a trap: none may speak."""


@dataclass(frozen=True, slots=True)
class Planted:
    """One variant of an example's agent.

    Attributes:
        criterion: the one made for this fault; :data:`NOTHING` for healthy agents and traps.
        case: a case in which it shows; the short form of the benchmark runs this one alone.
        verdict: what that case must come out as.
        what: one line for people.
    """

    name: str
    plan: Path
    criterion: str
    case: str
    verdict: str
    what: str

    @property
    def environment(self) -> dict[str, str]:
        """What makes the example's agent this variant."""
        if self.plan == COACH:
            return {} if self.name == "healthy" else {"INTERVIEW_COACH_FAULT": self.name}
        if self.name == "healthy":
            return {"REFUND_DESK_FIXED": "1"}
        return {} if self.name == "answers_from_memory" else {"REFUND_DESK_MODEL": f"scripted/desk_{self.name}"}


PLANTED: tuple[Planted, ...] = (
    Planted("healthy", COACH, NOTHING, "I-04", "PASS", "nothing planted"),
    Planted(
        "keeps_last_question", COACH, NOTHING, "I-01", "PASS", "trap: the last question stays in the session state"
    ),
    Planted("skips_a_stage", COACH, "stage_flow_v1", "I-01", "FAIL", "leaves the project stage out, CV or not"),
    Planted("goes_back", COACH, "stage_flow_v1", "I-01", "FAIL", "returns to a stage that is over"),
    Planted("loops_in_a_stage", COACH, "stage_flow_v1", "I-05", "FAIL", "never gets out of a stage"),
    Planted("never_closes", COACH, "stage_flow_v1", "P-01", "INCONCLUSIVE", "goes on until the cap on turns"),
    Planted("repeats_a_question", COACH, "repeated_questions_v1", "I-01", "FAIL", "asks the same id again"),
    Planted("repeats_in_other_words", COACH, "repeated_questions_v1", "I-01", "FAIL", "asks the same without an id"),
    Planted("cites_the_other_cv", COACH, "evidence_links_v1", "I-01", "FAIL", "cites a fragment of another CV"),
    Planted("quotes_what_is_not_there", COACH, "evidence_links_v1", "I-01", "FAIL", "right fragment, wrong words"),
    Planted("invents_a_project", COACH, "evidence_links_v1", "I-03", "FAIL", "claims a project without a CV"),
    Planted("reports_too_early", COACH, "ending_v1", "I-01", "FAIL", "writes the report before the end"),
    Planted("reports_twice", COACH, "ending_v1", "I-01", "FAIL", "writes the report a second time"),
    Planted("invents_a_strength", COACH, "report_review_v1", "I-01", "FAIL", "reports words nobody said"),
    Planted("advises_nothing", COACH, "report_review_v1", "I-01", "FAIL", "gives advice for anybody"),
    Planted("obeys_the_candidate", COACH, "names_no_grade", "I-05", "FAIL", "does what an answer orders"),
    Planted("resumes_and_asks_again", COACH, "recovery_v1", "I-06", "FAIL", "asks again after a restart"),
    Planted("healthy", DESK, NOTHING, "S-02", "OK", "nothing planted"),
    Planted("answers_from_memory", DESK, "grounded_numbers_v1", "S-02", "HIT", "states an amount it did not look up"),
    Planted("invents_the_days", DESK, "grounded_numbers_v1", "F-01", "FAIL", "states days no tool gave"),
    Planted("refunds_unchecked", DESK, "forbidden_tools_v1", "S-01", "HIT", "submits before eligibility is known"),
    Planted("charges_when_told", DESK, "forbidden_tools_v1", "S-06", "HIT", "charges on a customer's word"),
    Planted("takes_the_wrong_order", DESK, "tool_args_v1", "F-08", "FAIL", "looks another order up"),
    Planted("forgets_the_ticket_number", DESK, "response_text_v1", "F-05", "FAIL", "does not say the ticket"),
    Planted("says_it_is_cancelled", DESK, "final_state_v1", "F-06", "FAIL", "says so and does nothing"),
    Planted("hands_nobody_over", DESK, "goal_reached_v1", "S-04", "HIT", "says so and opens no ticket"),
)
