"""How a plan names tool calls: steps, patterns, order rules and forbidden tools, in their short and long forms."""

from __future__ import annotations

from typing import Any, cast

from pydantic import Field, GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from adk_split_eval.plan.base import Matchable, Name, StrictModel


def _short(schema: JsonSchemaValue, description: str) -> JsonSchemaValue:
    """The long form's schema, or just the name."""
    return {"description": description, "anyOf": [{"type": "string", "minLength": 1, "x-check": "name"}, schema]}


class _Named(StrictModel):
    """A model whose short form is its ``name`` alone; dumped in the shortest form that says the same."""

    name: Name = Field(description="Tool name as the agent calls it; `transfer_to_agent` for a transfer.")

    @model_validator(mode="before")
    @classmethod
    def _accept_name(cls, data: Any) -> Any:
        return {"name": data} if isinstance(data, str) else data

    @model_serializer
    def shortest(self) -> Any:
        """The shortest YAML form that says the same."""
        long: dict[str, Any] = {}
        for key, field in type(self).model_fields.items():
            value = getattr(self, key)
            if key != "name" and value == field.default:
                continue
            long[key] = value.shortest() if isinstance(value, _Named) else value
        return self.name if set(long) == {"name"} else long

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        description = str(schema.pop("description", "")) or (cls.__doc__ or "")
        return _short(dict(schema), description)


class ToolCall(_Named):
    """One expected call: a tool name, or a name with arguments."""

    args: dict[str, Matchable] | None = Field(
        default=None,
        description="Arguments to compare, by value or matcher; only the keys given. Absent: any arguments.",
    )
    args_exact: bool = Field(default=False, description="Compare the whole set of arguments, not only the keys given.")


class Step(StrictModel):
    """One model answer's expected calls: one call, or a list of parallel calls compared as a set.

    Attributes:
        calls: the calls of this step, one or more; more than one are parallel.
        parallel: whether it was written as a list.
    """

    calls: list[ToolCall] = Field(min_length=1)
    parallel: bool = False

    @model_validator(mode="before")
    @classmethod
    def _accept_forms(cls, data: Any) -> Any:
        if isinstance(data, list):
            return {"calls": cast("list[Any]", data), "parallel": True}
        return {"calls": [data]}

    @model_serializer
    def _short_form(self) -> Any:
        calls = [call.shortest() for call in self.calls]
        return calls if self.parallel else calls[0]

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        schema = handler.resolve_ref_schema(handler(core))
        calls: dict[str, Any] = dict(schema["properties"]["calls"])
        calls.pop("title", None)
        return {
            "description": "One step: a call, or a list of parallel calls that are compared as a set.",
            "anyOf": [calls["items"], calls],
        }


class ToolPattern(_Named):
    """Which call is meant: a tool name, or a name with (some of) its arguments."""

    args: dict[str, Matchable] | None = Field(
        default=None, description="Arguments the call must carry, by value or matcher; only the keys given."
    )


class ForbiddenTool(_Named):
    """A tool that must never be called; with `args` only those calls, with `until` only before that call succeeded."""

    args: dict[str, Matchable] | None = Field(
        default=None, description="Forbid only calls that carry these arguments, by value or matcher."
    )
    until: ToolPattern | None = Field(
        default=None,
        description="Allowed after this call: in an earlier step, with a response that is no error.",
    )


class OrderRule(StrictModel):
    """One tool before another over the whole conversation; either one missing fails."""

    before: ToolPattern = Field(description="The call that must come first.")
    after: ToolPattern = Field(description="The call that must not come before the first one.")


class ToolResult(StrictModel):
    """One recorded tool result, replayed in order for the same tool and arguments."""

    name: Name = Field(description="Tool name.")
    args: dict[str, Any] = Field(default_factory=dict[str, Any], description="Arguments of the recorded call.")
    response: Any = Field(default=None, description="What the tool returned.")
    state: dict[str, Any] | None = Field(default=None, description="Session-state writes of the tool, applied again.")
    error: str | None = Field(
        default=None, description="Message of the exception the tool raised, instead of a response."
    )
