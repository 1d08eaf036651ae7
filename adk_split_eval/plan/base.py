"""What every model of the plan stands on: strictness, and the plan's checks as annotated types."""

from __future__ import annotations

from typing import Annotated, Any, Self, cast

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    WithJsonSchema,
    model_validator,
)

from adk_split_eval.plan.checks import (
    check_case_id,
    check_date,
    check_matchers,
    check_name,
    check_path,
    check_persona_text,
    check_plan_id,
    check_regex,
    check_words,
)
from adk_split_eval.plan.checks_mappings import MAPPING_CHECKS


class StrictModel(BaseModel):
    """Base of all plan models: unknown keys refused, nothing coerced, no infinities, the plan's checks applied."""

    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        made = handler(data)
        check = MAPPING_CHECKS.get(cls.__name__)
        if check is not None and isinstance(data, dict):
            check(cast("dict[str, Any]", data))
        return made


def _text(check: str, **more: Any) -> WithJsonSchema:
    return WithJsonSchema({"type": "string", "x-check": check, **more})


Regex = Annotated[str, AfterValidator(check_regex), _text("regex", format="regex")]
"""A regular expression, searched (not anchored) with Python's ``re``."""

Words = Annotated[str, AfterValidator(check_words), _text("words", minLength=1)]
"""Text that is not blank."""

Name = Annotated[str, AfterValidator(check_name), _text("name", minLength=1)]
"""A name as code or ADK spells it."""

Path = Annotated[str, AfterValidator(check_path), _text("path")]
"""Dotted path into an event."""

PlanId = Annotated[str, AfterValidator(check_plan_id), _text("plan_id", pattern="^[a-zA-Z0-9_]+$")]
CaseId = Annotated[str, AfterValidator(check_case_id), _text("case_id", minLength=1)]
PersonaText = Annotated[str, AfterValidator(check_persona_text), _text("persona_text", minLength=1)]
IsoDate = Annotated[str, AfterValidator(check_date), _text("date", format="date")]
Threshold = Annotated[float, Field(gt=0, le=1)]

Matchable = Annotated[Any, AfterValidator(check_matchers), WithJsonSchema({"x-check": "matcher"})]
"""A value compared by value, or a matcher; matchers are honoured at any depth."""
