"""Three metrics: one that always passes, one that raises, one that returns too few rows."""

from google.adk.evaluation.eval_metrics import EvalStatus
from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult


def always_ok(eval_metric, actual_invocations, expected_invocations=None, conversation_scenario=None):
    rows = [
        PerInvocationResult(actual_invocation=i, score=1.0, eval_status=EvalStatus.PASSED) for i in actual_invocations
    ]
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED, per_invocation_results=rows)


def boom(eval_metric, actual_invocations, expected_invocations=None, conversation_scenario=None):
    raise RuntimeError("boom: the metric itself is broken")


def short_rows(eval_metric, actual_invocations, expected_invocations=None, conversation_scenario=None):
    return EvaluationResult(overall_score=1.0, overall_eval_status=EvalStatus.PASSED, per_invocation_results=[])
