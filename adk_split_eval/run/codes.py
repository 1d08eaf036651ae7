"""What the codes of a run that cannot start mean: the part of ``explain`` that concerns run and score."""

from __future__ import annotations

from adk_split_eval.plan.codes import CodeInfo

UNKNOWN_NAME = ("ASE201", "ASE227")
"""What lint calls a criterion that is no metric: with a near name, and without one."""

CODES: dict[str, CodeInfo] = {
    "ASE901": CodeInfo(
        "Selected case does not exist",
        "`--case ID`, or the ids behind a set's colon, name a case that is not there.",
        "Plain ADK drops such a selector, and a run that judged nothing looks like one that passed.",
        "Use the nearest id the message gives.",
    ),
    "ASE902": CodeInfo(
        "Nothing to run",
        "The plan has no case in the half that was asked for.",
        "A gate without cases would be green for ever.",
        "Add cases to that half, or run the other one.",
    ),
    "ASE903": CodeInfo(
        "No agent",
        "The plan names no agent folder, and something is to act.",
        "Without an agent there is nothing to evaluate; `score` judges recordings without one.",
        "Add `agent: FOLDER`, relative to the plan.",
        "plan_id: shop",
        "plan_id: shop\nagent: shop_agent",
    ),
    "ASE904": CodeInfo(
        "Agent cannot be loaded",
        "The agent folder is missing, has no __init__.py, offers no agent, or its import raises.",
        "Everything after that would be about another agent than the one meant.",
        "Import the folder by hand as ADK does (its __init__.py imports a module `agent` with `app`, `root_agent` or "
        "`get_agent_async`) and mend what it raises.",
    ),
    "ASE905": CodeInfo(
        "google-adk is missing or out of range",
        "google-adk with its eval extra is not installed, or its version is not >=2.10,<3.",
        "Verdicts rest on behaviour of ADK that was measured on these versions.",
        "pip install 'adk-split-eval[adk]'",
    ),
    "ASE906": CodeInfo(
        "File cannot be read",
        "An eval set or config is missing, unreadable, not UTF-8 or not JSON.",
        "With a mistyped config path plain ADK silently applies its default criteria.",
        "Go to the place named; `adk-split-eval lint FILE` says more.",
    ),
    "ASE907": CodeInfo(
        "Not what it should be",
        "The file is JSON, but no ADK eval set or config.",
        "ADK would hide the reason behind a TypeError, or judge nothing.",
        "`adk-split-eval lint FILE` names the key at fault.",
    ),
    "ASE908": CodeInfo(
        "Sets that cannot be told apart, or are empty",
        "An eval_set_id or eval_id stands twice, or a set has no cases.",
        "Plain ADK grades both cases against the first, and an empty set vanishes beside a full one.",
        "Give every case its own id; drop empty sets from the command.",
    ),
    "ASE909": CodeInfo(
        "Run that lacks what it takes",
        "The stored run does not hold its conversations, does not say which plan it was made from, or was scored, not run.",
        "There is nothing to judge anew, nothing to judge it by, or nothing to resume.",
        "Name the plan beside `--run`, judge a scored run anew with `score --run`, or run again.",
    ),
    "ASE910": CodeInfo(
        "Run of another plan",
        "The run that is to be resumed, or judged anew, belongs to another plan.",
        "Its conversations are of other cases.",
        "Name the plan of that run, or start anew.",
    ),
    "ASE911": CodeInfo(
        "Run is still going on",
        "The run that is to be resumed is being worked on by another process.",
        "Two processes would act the same units twice.",
        "Wait for it, or end that process; what it finished is stored.",
    ),
    "ASE912": CodeInfo(
        "Answers that are no sample",
        "A file given to `audit --agree` cannot be read, is no YAML, or was not drawn by `audit`.",
        "Agreement would be computed over something else than judged verdicts.",
        "Answer in the audit.yaml that the run, or `adk-split-eval audit RUN`, has written.",
    ),
    "ASE913": CodeInfo(
        "Nobody has answered yet",
        "The sample holds no answer at all.",
        "No answers are no agreement.",
        "Put yes or no behind `answer` of the verdicts you have checked.",
    ),
    "ASE914": CodeInfo(
        "Answer to a verdict that is not there",
        "The run the sample names holds no judged verdict of that id.",
        "The answer cannot be compared with anything.",
        "Leave `run_id` and `id` as they were drawn.",
    ),
    "ASE915": CodeInfo(
        "Stored answers cannot be read",
        "`.adk-split-eval/judges.json`, where people's answers are kept, is damaged.",
        "A judge under its threshold would no longer be named.",
        "Restore the file, or remove it and read the answered samples again.",
    ),
    "ASE916": CodeInfo(
        "Neither yes nor no",
        "An answer in a sample is something else than yes or no.",
        "It would have to be guessed.",
        "Write yes (it passes) or no (it fails); leave blank what you cannot tell.",
    ),
    "ASE917": CodeInfo(
        "Run of another selection",
        "The run that is to be resumed has other cases than `--only` and `--case` name now.",
        "Its result would be replaced by that of a part, or of more, than it was asked for.",
        "Resume it with the selection it has, or start a new run.",
    ),
}
