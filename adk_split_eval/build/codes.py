"""What the codes of this room mean: the part of ``explain`` that is neither the plan's nor lint's."""

from __future__ import annotations

from adk_split_eval.plan.codes import CodeInfo

CODES: dict[str, CodeInfo] = {
    "ASE203": CodeInfo(
        "Declared and never judged",
        "A criterion stands under criteria, and no case of that set gives it anything to judge.",
        "A threshold nobody applies looks like a check and is none. Plain ADK would leave it unevaluated and still say PASSED.",
        "Give a case what the criterion needs (references, order_rules, rubrics...), or remove the line. With null beside a "
        "case that asks for the criterion it is a warning: the case wins.",
        "fixed_set:\n  criteria: {response_match_score: 0.8}     # and no turn has expect_response",
        "fixed_set:\n  criteria: {response_match_score: 0.8}\n  cases:\n    - case_id: F-01\n      turns:\n"
        "        - {user: hello, expect_response: Hello. What can I do for you?}",
    ),
    "ASE205": CodeInfo(
        "Two response criteria on single turns",
        "Only some turns of a case have a reference, and both response criteria are declared.",
        "ADK's own criteria would compare the other turns with nothing; ours applies one of ADK's to just the turns that have a "
        "reference, and cannot tell which is meant.",
        "Give every turn of the case its expect_response, or declare one of response_match_score, final_response_match_v2.",
        rejects_case=True,
    ),
    "ASE402": CodeInfo(
        "No simulator model",
        "The plan has simulated cases and pins no models.simulator. A warning: recordings can be scored without one.",
        "Plain adk eval would let its default model play the user, without saying so.",
        "Pin models.simulator.",
    ),
    "ASE611": CodeInfo(
        "Recording of an unknown shape",
        "A file of recorded conversations, or of the flat form, holds a key or a value that has no meaning there.",
        "What is not understood would be dropped, and the conversation judged without it.",
        "Compare it with docs/generated-sets.md, Recorded conversations.",
    ),
    "ASE614": CodeInfo(
        "Nothing to import or split",
        "The eval set has no cases, or `split` was given a set that holds one kind of case only.",
        "There would be an empty set, which plain ADK skips without a word.",
        "Name another set; a set of one kind needs no splitting.",
    ),
    "ASE620": CodeInfo(
        "Nothing is overwritten",
        "`init`, `import -o` or `split` would write over a file that exists.",
        "It may be somebody's work.",
        "Choose another folder or name, or move the file away.",
    ),
}
"""Code → what it means."""
