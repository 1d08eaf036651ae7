"""Stop signal that the simulator never sends.

## What it does
Reports a `stop_signal` of `per_turn_user_simulator_quality_v1` other than the simulator's own `</finished>`.

## Why is this bad?
The judge is asked whether a signal was right that this simulator cannot send; the last turn is judged on nothing.

## Example
`"stop_signal": "<done>"`

## Use instead
Leave it out.

## Fix safety
Safe: without the key the criterion uses the simulator's own signal.
"""

from collections.abc import Iterator

from adk_split_eval.lint.config_view import Config
from adk_split_eval.lint.fixes import remove_entry
from adk_split_eval.lint.rule import Report, Rule
from adk_split_eval.lint.rules._common import quoted

SIGNAL = "</finished>"


def check(config: Config) -> Iterator[Report]:
    if config.document is None:
        return
    for criterion in config.criteria:
        signal = criterion.options.get("stop_signal")
        if criterion.metric and criterion.metric.needs_scenario and isinstance(signal, str) and signal != SIGNAL:
            path = (*criterion.path, "stop_signal")
            yield Report(config.document, path, f"the judge waits for `{quoted(signal)}`, the simulator sends `{SIGNAL}`", "remove the key",
                         fix=remove_entry(config.document, path))  # fmt: skip


RULE = Rule(
    "ASE405",
    "stop-signal-mismatch",
    "Stop signal that the simulator never sends",
    "error",
    "config",
    check,
    fixable="safe",
    in_plans=True,
    module=__name__,
)
