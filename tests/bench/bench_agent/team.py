"""Metrics a team might bring, good and bad ones."""

from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def _result(actual, overall, rows=None, score=1.0):
    statuses = rows or [overall] * len(actual)
    per_turn = [
        PerInvocationResult(actual_invocation=i, score=1.0 if s == EvalStatus.PASSED else 0.0, eval_status=s)
        for i, s in zip(actual, statuses, strict=True)
    ]
    return EvaluationResult(overall_score=score, overall_eval_status=overall, per_invocation_results=per_turn)


def fine(metric, actual, expected=None, scenario=None):
    return _result(actual, EvalStatus.PASSED)


def raises(metric, actual, expected=None, scenario=None):
    raise RuntimeError("the metric itself is broken")


def two_arguments(metric, actual):
    return _result(actual, EvalStatus.PASSED)


def reads_threshold(metric, actual, expected=None, scenario=None):
    passed = metric.threshold <= 0.9
    return _result(actual, EvalStatus.PASSED if passed else EvalStatus.FAILED, score=0.9)


def never_evaluates(metric, actual, expected=None, scenario=None):
    return _result(actual, EvalStatus.NOT_EVALUATED, score=None)


def all_turns_failed(metric, actual, expected=None, scenario=None):
    return _result(actual, EvalStatus.PASSED, [EvalStatus.FAILED] * len(actual))


NOT_A_FUNCTION = 7
