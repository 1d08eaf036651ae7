"""What each code of the plan means, why it matters and how to mend it: the table behind ``explain``."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CodeInfo:
    """One code.

    Attributes:
        title: a few words.
        what: what it reports.
        why: why that is bad.
        mend: what to do.
        bad, good: an example of the mistake, and what to write instead.
        rejects_case: inside a case it rejects that case only; else it concerns the plan as a whole.
    """

    title: str
    what: str
    why: str
    mend: str
    bad: str = ""
    good: str = ""
    rejects_case: bool = False

    def render(self, code: str) -> str:
        """Plain text for a terminal."""
        effect = (
            "inside a case it rejects that case and the others go on; elsewhere the plan cannot be used"
            if self.rejects_case
            else "the plan cannot be used (exit code 2)"
        )
        parts = [
            f"{code}: {self.title}",
            f"Effect: {effect}",
            f"What it does\n{self.what}",
            f"Why is this bad?\n{self.why}",
        ]
        if self.bad:
            parts.append(f"Example\n{self.bad}")
        if self.good:
            parts.append(f"Use instead\n{self.good}")
        return "\n\n".join([*parts, f"How to mend it\n{self.mend}"]) + "\n"


CODES: dict[str, CodeInfo] = {
    "ASE001": CodeInfo(
        "file cannot be read",
        "Reports a plan that does not exist, is a folder, may not be read, or is larger than 64 MB.",
        "A file that was not found must not look like a file with nothing wrong in it.",
        "Check the path and its permissions.",
    ),
    "ASE002": CodeInfo(
        "not UTF-8",
        "Reports bytes that are no UTF-8, and UTF-16 files. A byte order mark is accepted.",
        "Read with another encoding, the user's words would change.",
        "Save the file as UTF-8.",
    ),
    "ASE003": CodeInfo(
        "not YAML",
        "Reports what the YAML parser refuses: tabs, indentation, unclosed quotes and brackets, control characters.",
        "Nothing after that place can be understood.",
        "Mend the place; put text with special characters in quotes.",
        "user: he said: no",
        'user: "he said: no"',
    ),
    "ASE004": CodeInfo(
        "no plan in the file",
        "Reports an empty file, a file whose top is no mapping, and a second document in one file.",
        "A plan is one mapping with plan_id at its top.",
        "Keep one plan a file.",
    ),
    "ASE005": CodeInfo(
        "key written twice",
        "Reports a key that stands twice in one mapping.",
        "YAML readers keep the last one silently; what the first one asked for would never be judged.",
        "Keep one of them.",
        "trials: 1\ntrials: 3",
        "trials: 3",
    ),
    "ASE006": CodeInfo(
        "YAML reads something else",
        "Reports plain words that YAML turns into something else: no, yes, on, off, ~, 012, 1:30, 0x1F, 1_000, 1e5, "
        "+86..., unquoted dates, keys that are no text, and invisible line separators.",
        "The expectation would silently be another value than the one written.",
        "Put text in quotes; write true, false, null and plain decimal numbers for the others.",
        "args: {order_id: 0123, day: 2026-11-30, gift: no}",
        'args: {order_id: "0123", day: "2026-11-30", gift: false}',
    ),
    "ASE007": CodeInfo(
        "too deep or too large",
        "Reports nesting over 200 levels, aliases that repeat more than 100,000 values, and aliases inside themselves.",
        "Such a file costs unbounded time and memory.",
        "Write the values out.",
    ),
    "ASE008": CodeInfo(
        "merge key or tag",
        "Reports merge keys (<<) and tags such as !!int or !local.",
        "Readers disagree about them; a plan should mean the same everywhere. Anchors and aliases are fine.",
        "Repeat the keys, or alias the whole value.",
    ),
    "ASE010": CodeInfo(
        "unknown key",
        "Reports a key the plan format does not have, with the nearest one it has.",
        "A misspelt expectation would silently never be judged.",
        "Correct the key. Keys that belong to frozen cases stand in <plan_id>.frozen.yaml only.",
        "expected_tools: [order_lookup]",
        "expect_tools: [order_lookup]",
    ),
    "ASE011": CodeInfo(
        "wrong type",
        "Reports a value of another type than the key takes.",
        "Nothing is coerced: 12 is not the text 12, and true is not 1.",
        "Write the type named in the message; text that looks like a number goes in quotes.",
        'trials: "3"',
        "trials: 3",
    ),
    "ASE012": CodeInfo(
        "missing key",
        "Reports a key that must be there. A case that lacks its goal, starting_prompt or turns is rejected.",
        "Without it there is nothing to run or to judge.",
        "Add the key.",
        rejects_case=True,
    ),
    "ASE013": CodeInfo(
        "value not allowed",
        "Reports a value of the right type that the key does not take: an unknown match_type, a number out of range, "
        "a path into an event that has no such field.",
        "It would be ignored or fail only when the run has been paid for.",
        "Write one of the values named in the message.",
        "match_type: SUPERSET",
        "match_type: IN_ORDER",
    ),
    "ASE014": CodeInfo(
        "threshold that cannot decide",
        "Reports thresholds that are no number, 0 or below, or above the highest score of the criterion.",
        "ADK takes true for 1, accepts 0 and -1, which nothing can fail, and values that nothing can reach.",
        "Write a number above 0 and at most the highest score, usually 1.",
        "goal_reached_v1: 0",
        "goal_reached_v1: 1.0",
    ),
    "ASE015": CodeInfo(
        "regular expression that does not compile",
        "Reports patterns (says, matches, regex, claims) that Python's re refuses.",
        "The check could never be made.",
        "Mend the pattern; escape characters such as ( and [.",
        'says: "refund ("',
        r'says: "refund \\("',
        rejects_case=True,
    ),
    "ASE016": CodeInfo(
        "malformed matcher",
        "Reports a mapping all of whose keys belong to matchers but which is none: approx without within, any: false.",
        "It would silently be compared as a literal value.",
        "Complete the matcher, or write {equals: ...} for a literal.",
        "args: {amount: {approx: 128}}",
        "args: {amount: {approx: 128, within: 0.01}}",
        rejects_case=True,
    ),
    "ASE017": CodeInfo(
        "keys that do not go together",
        "Reports mappings that need exactly one of several keys, or a key that means nothing without another.",
        "It is not clear what is asked for.",
        "Keep one of the keys, or write two entries.",
        "goal_evidence: [{tool: refund_submit, says: done}]",
        "goal_evidence: [{tool: refund_submit}, {says: done}]",
        rejects_case=True,
    ),
    "ASE020": CodeInfo(
        "duplicate id",
        "Reports a case_id used twice over both sets and the frozen cases, a stage or a contrast named twice.",
        "Results could not be told apart; ADK grades both cases against the first.",
        "Give each its own id.",
    ),
    "ASE021": CodeInfo(
        "id that cannot be used",
        "Reports a plan_id with anything but letters, digits and underscores, and a case_id with slashes, commas, colons "
        "or blanks around it.",
        "adk web refuses such ids, and ADK's selectors split at commas and colons.",
        "Rename it.",
        "plan_id: refund-desk",
        "plan_id: refund_desk",
    ),
    "ASE022": CodeInfo(
        "unknown persona",
        "Reports a persona that is neither shipped, nor under `personas:`, nor written in place.",
        "ADK aborts the whole set when it does not know a persona.",
        "Name a shipped one (`adk-split-eval personas` lists them), or describe it under `personas:`.",
        "persona: huried",
        "persona: hurried",
        rejects_case=True,
    ),
    "ASE023": CodeInfo(
        "braces in a persona",
        "Reports {{, {% and {# in a persona's text; {{ stop_signal }} is allowed.",
        "ADK renders a persona's behaviours as Jinja templates: the case crashes, or the words vanish.",
        "Rephrase it without braces.",
        rejects_case=True,
    ),
    "ASE024": CodeInfo(
        "unknown criterion",
        "Reports a criterion that neither ADK nor this package nor `custom_metrics` knows.",
        "ADK leaves it unevaluated, and beside any other criterion that passes the case is green.",
        "Correct the name, or declare it under custom_metrics.",
        "criteria: {hallucination_v1: 0.8}",
        "criteria: {hallucinations_v1: 0.8}",
    ),
    "ASE025": CodeInfo(
        "unknown option of a criterion",
        "Reports an option that the criterion does not have.",
        "ADK drops unknown options silently and judges with the default.",
        "Correct the option, or put it where it belongs (judge options go under judge_model_options).",
        "tool_trajectory_avg_score: {threshold: 1.0, match_typ: IN_ORDER}",
        "tool_trajectory_avg_score: {threshold: 1.0, match_type: IN_ORDER}",
    ),
    "ASE026": CodeInfo(
        "custom metric with the name of a criterion",
        "Reports a custom metric named like one that exists.",
        "It would silently replace the other.",
        "Rename it.",
    ),
    "ASE027": CodeInfo(
        "reference to something that does not exist",
        "Reports names of events, stages, cases and documents that are nowhere described, and paths into an event that has no such field.",
        "The rule could never be judged.",
        "Correct the name, or describe what it names.",
        rejects_case=True,
    ),
    "ASE029": CodeInfo(
        "shared session",
        "Reports a session_id pinned for the whole plan, or by two cases.",
        "Both would run in one session, and the second one's start state is ignored.",
        "Remove it; every case gets a fresh session.",
    ),
    "ASE030": CodeInfo(
        "tools on some turns only",
        "Reports a case that states expect_tools on some of its turns.",
        "A turn without it would be read as calling nothing by one comparison and as anything by another.",
        "Write it on every turn or on none; [] says that a turn calls nothing.",
        rejects_case=True,
    ),
    "ASE031": CodeInfo(
        "empty text",
        "Reports user words, prompts, texts and patterns that are blank.",
        "ADK accepts an empty user message and the agent answers nothing in particular; an empty text is found in every answer.",
        "Write what is said.",
        rejects_case=True,
    ),
    "ASE032": CodeInfo(
        "until itself",
        "Reports a tool that is forbidden until the same tool was called.",
        "No call of it could ever be legal.",
        "Name the call that must come first, or forbid the tool without `until`.",
        "forbidden_tools: [{name: refund_submit, until: refund_submit}]",
        "forbidden_tools: [{name: refund_submit, until: order_lookup}]",
        rejects_case=True,
    ),
    "ASE033": CodeInfo(
        "hole of a draft",
        "Reports expect_tools: TODO outside a draft.",
        "A person must say what the agent should have done; the recording shows what it did wrong.",
        "Write the calls ([] for none), or remove the key from every turn.",
        rejects_case=True,
    ),
    "ASE034": CodeInfo(
        "key without effect",
        "Reports an interrupt after the last turn, a match_type without expected tools, and an empty list of intermediate responses.",
        "What was asked for would never be checked.",
        "Remove the key, or add what it needs.",
        rejects_case=True,
    ),
    "ASE035": CodeInfo(
        "goal nobody can judge",
        "Reports a required goal without goal_evidence in a plan that names no judge.",
        "Nobody could say whether the goal was reached.",
        "Add goal_evidence, pin models.judge, or write goal_required: false.",
        rejects_case=True,
    ),
    "ASE036": CodeInfo(
        "no judge",
        "Reports judged criteria, and the judged defaults of a simulated set, in a plan that pins no judge model.",
        "ADK would fall back to its default model, or leave them unevaluated.",
        "Pin models.judge, or list under sim_set.criteria only what needs none.",
        rejects_case=True,
    ),
    "ASE037": CodeInfo(
        "votes or trials that cannot decide",
        "Reports an even number of votes or samples, and a gate that asks for more trials than the plan runs.",
        "A tie decides nothing, and a gate that cannot be met is always red.",
        "Write an odd number, or raise `trials`.",
        "policy: {votes: 4}",
        "policy: {votes: 3}",
    ),
    "ASE038": CodeInfo(
        "case that asks for nothing",
        "Reports a fixed case without any expectation, when no criterion of the set judges it either.",
        "Whatever the agent did would pass.",
        "Add expect_tools, response, forbidden_tools or another expectation.",
        rejects_case=True,
    ),
    "ASE039": CodeInfo(
        "set without cases",
        "Reports a plan, fixed_set or sim_set that holds no case.",
        "An empty set passes in silence.",
        "Add a case, or remove the section.",
    ),
    "ASE040": CodeInfo(
        "no plan in the folder",
        "Reports that PLAN was left out and the folder holds no *.plan.yaml.",
        "There is nothing to work on.",
        "Name the plan, or start one with `adk-split-eval init`.",
    ),
    "ASE041": CodeInfo(
        "several plans in the folder",
        "Reports that PLAN was left out and the folder holds more than one, and a plan to be built or run that shares its "
        "folder with another.",
        "Choosing one of them would be a guess, and both would generate the same folders fixed/ and simulated/: each build "
        "would replace the other's sets.",
        "Name the one meant; give each plan a folder of its own.",
    ),
    "ASE042": CodeInfo(
        "frozen cases of another plan",
        "Reports a <plan_id>.frozen.yaml that names another plan_id.",
        "Its cases would guard an agent they were not found with.",
        "Correct plan_id, or rename the file.",
    ),
    "ASE045": CodeInfo(
        "frozen cases without a plan",
        "Reports a *.frozen.yaml beside the plan whose name is the plan_id of no plan in the folder.",
        "A renamed plan_id would drop every frozen case from the gate in silence.",
        "Rename the file to <plan_id>.frozen.yaml and correct the plan_id in it; or remove it when its plan is gone.",
    ),
    "ASE101": CodeInfo(
        "expectation on a simulated case",
        "Reports expect_tools, expect_response, expect_trajectory, order_rules, turns and the like on a simulated case.",
        "The user of a simulated case improvises, so there is nothing to compare with. ADK's documentation lists the criteria "
        "that need a reference as not working with user simulation; ADK leaves them unevaluated and can still say PASSED.",
        "Move the case to the fixed set with its user's words written out, or state an invariant that holds whatever is said.",
        "sim_set:\n  cases:\n    - {case_id: S-01, ..., expect_tools: [ticket_create]}",
        "sim_set:\n  cases:\n    - {case_id: S-01, ..., forbidden_tools: [{name: refund_submit, until: order_lookup}]}",
        rejects_case=True,
    ),
    "ASE102": CodeInfo(
        "reference-based criterion in the simulated set",
        "Reports tool_trajectory_avg_score, response_match_score, final_response_match_v2 and other criteria that compare "
        "with an expected trajectory or response under sim_set.criteria.",
        "Simulated cases have neither: ADK leaves the criterion unevaluated, and beside any other that passes the case is green.",
        "Move it to fixed_set.criteria; for simulated cases use goal_evidence, forbidden_tools and rubrics.",
        "sim_set: {criteria: {tool_trajectory_avg_score: 1.0}}",
        "fixed_set: {criteria: {tool_trajectory_avg_score: 1.0}}",
    ),
    "ASE043": CodeInfo(
        "simulator criterion in the fixed set",
        "Reports per_turn_user_simulator_quality_v1 under fixed_set.criteria.",
        "It judges the simulated user, and fixed cases have none: ADK leaves it unevaluated.",
        "Move it to sim_set.criteria.",
    ),
    "ASE044": CodeInfo(
        "criterion in a set it cannot judge",
        "Reports criteria, and custom metrics, in a set they are not made for, and ADK's efficiency numbers among the criteria.",
        "It would never be evaluated.",
        "Move it to the other set, or remove it.",
    ),
}
"""Code → what `explain` says of it."""
