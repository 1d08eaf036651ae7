"""Regenerates what is known of one google-adk version from its source, without importing it.

    python tools/regenerate_adk_knowledge.py                       # the installed google-adk
    python tools/regenerate_adk_knowledge.py --source DIR --version 2.7.1
    python tools/regenerate_adk_knowledge.py --check               # exit 1 when the stored file differs

Everything is read from syntax trees, so any unpacked release can be read, whatever runs here.
"""

from __future__ import annotations

import argparse
import ast
import importlib.metadata
import importlib.util
import json
import re
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "adk_split_eval" / "criteria" / "adk"

MODEL_FILES = (
    "evaluation/common.py",
    "evaluation/app_details.py",
    "evaluation/eval_rubrics.py",
    "evaluation/eval_case.py",
    "evaluation/eval_set.py",
    "evaluation/conversation_scenarios.py",
    "evaluation/eval_metrics.py",
    "evaluation/eval_config.py",
    "evaluation/simulation/user_simulator.py",
    "evaluation/simulation/llm_backed_user_simulator.py",
    "evaluation/simulation/_llm_audio_user_simulator.py",
    "evaluation/simulation/user_simulator_personas.py",
    "agents/common_configs.py",
)
KEPT_MODELS = (
    "EvalSet", "EvalCase", "Invocation", "IntermediateData", "InvocationEvents", "InvocationEvent", "SessionInput",
    "AppDetails", "AgentDetails", "Rubric", "RubricContent", "ConversationScenario", "ConversationScenarios", "UserPersona",
    "UserBehavior", "EvalConfig", "CustomMetricConfig", "CodeConfig", "MetricInfo", "MetricValueInfo", "Interval",
    "LiveModelConfig", "BaseCriterion", "LlmAsAJudgeCriterion", "RubricsBasedCriterion", "HallucinationsCriterion",
    "ToolTrajectoryCriterion", "LlmBackedUserSimulatorCriterion", "JudgeModelOptions", "LlmBackedUserSimulatorConfig",
    "LlmAudioUserSimulatorConfig",
)  # fmt: skip
GENAI_MODELS = ("Content", "Part", "FunctionCall", "FunctionResponse", "GenerateContentConfig", "ThinkingConfig")
ALIASES = {"Threshold": "float", "SessionState": "dict[any]", "StaticConversation": "list[Invocation]"}
SCALARS = {
    "str": "str",
    "int": "int",
    "float": "float",
    "bool": "bool",
    "Any": "any",
    "object": "any",
    "dict": "dict[any]",
}


class Source:
    """The classes of one unpacked release."""

    def __init__(self, root: Path, genai: Path | None) -> None:
        self.root = root
        self.classes: dict[str, ast.ClassDef] = {}
        self.aliases: dict[str, ast.expr] = {}
        for name in MODEL_FILES:
            path = root / name
            if path.exists():
                self._collect(ast.parse(path.read_text(encoding="utf-8")))
        self.genai: dict[str, ast.ClassDef] = {}
        if genai is not None:
            for node in ast.parse(genai.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and node.name in GENAI_MODELS:
                    self.genai[node.name] = node

    def _collect(self, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
                for inner in node.body:
                    if isinstance(inner, ast.ClassDef):
                        self.classes[inner.name] = inner
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.aliases[node.target.id] = node.value
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self.aliases[node.targets[0].id] = node.value

    def text(self, name: str) -> str:
        path = self.root / name
        return path.read_text(encoding="utf-8") if path.exists() else ""


def render_type(node: ast.expr, source: Source, depth: int = 0) -> str:
    """The annotation in the small type grammar of ``criteria/knowledge.py``."""
    if isinstance(node, ast.Constant):
        if node.value is None:
            return "none"
        if isinstance(node.value, str):
            return render_type(ast.parse(node.value, mode="eval").body, source, depth)
        return "any"
    if isinstance(node, ast.BinOp):
        return _union([node.left, node.right], source, depth)
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    if name:
        return _named_type(name, source, depth)
    if isinstance(node, ast.Subscript):
        return _generic_type(node, source, depth)
    return "any"


def _named_type(name: str, source: Source, depth: int) -> str:
    if name in ALIASES:
        return ALIASES[name]
    if name in SCALARS:
        return SCALARS[name]
    if name in KEPT_MODELS or name in GENAI_MODELS:
        return name
    if name in source.classes and _is_enum(source.classes[name]):
        return "enum[" + ",".join(_enum_members(source.classes[name])) + "]"
    if name in source.aliases and depth < 5:
        return render_type(source.aliases[name], source, depth + 1)
    return "any"


def _generic_type(node: ast.Subscript, source: Source, depth: int) -> str:
    base = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    inner = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if base in ("Optional",):
        return f"optional[{render_type(inner[0], source, depth)}]"
    if base in ("Union",):
        return _union(inner, source, depth)
    if base in ("list", "List", "Sequence"):
        return f"list[{render_type(inner[0], source, depth)}]"
    if base in ("dict", "Dict"):
        return f"dict[{render_type(inner[-1], source, depth)}]"
    if base in ("tuple", "Tuple"):
        return "tuple[" + ",".join(render_type(i, source, depth) for i in inner) + "]"
    if base == "Literal":
        return "literal[" + ",".join(str(i.value) for i in inner if isinstance(i, ast.Constant)) + "]"
    if base in ("SerializeAsAny", "Annotated", "SkipJsonSchema", "ClassVar"):
        return render_type(inner[0], source, depth)
    return "any"


def _union(members: list[ast.expr], source: Source, depth: int) -> str:
    rendered = [render_type(m, source, depth) for m in members]
    rest = [r for r in rendered if r != "none"]
    if "any" in rest:
        return "any"
    joined = rest[0] if len(rest) == 1 else f"union[{','.join(rest)}]"
    return joined if len(rest) == len(rendered) else f"optional[{joined}]"


def _is_enum(node: ast.ClassDef) -> bool:
    return any(getattr(b, "id", getattr(b, "attr", "")) == "Enum" for b in node.bases)


def _enum_members(node: ast.ClassDef) -> list[str]:
    return [t.id for s in node.body if isinstance(s, ast.Assign) for t in s.targets if isinstance(t, ast.Name)]


def _bases(node: ast.ClassDef) -> list[str]:
    return [getattr(b, "id", getattr(b, "attr", "")) for b in node.bases]


def _config(node: ast.ClassDef, source: Source) -> dict[str, Any]:
    """Pydantic's ``extra`` and aliasing of a class, own settings over inherited ones."""
    found: dict[str, Any] = {}
    for base in _bases(node):
        if base in source.classes:
            found.update(_config(source.classes[base], source))
    for statement in node.body:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Name) and target.id == "model_config" and isinstance(statement, ast.Assign):
            call = statement.value
            if isinstance(call, ast.Call):
                for keyword in call.keywords:
                    if keyword.arg == "extra" and isinstance(keyword.value, ast.Constant):
                        found["extra"] = keyword.value.value
                    elif keyword.arg == "alias_generator":
                        found["camel"] = True
    return found


def _default(value: ast.expr | None) -> tuple[bool, Any, dict[str, Any]]:
    """(required, literal default or None, bounds) of a field's right-hand side."""
    if value is None:
        return True, None, {}
    bounds: dict[str, Any] = {}
    if isinstance(value, ast.Call) and getattr(value.func, "id", getattr(value.func, "attr", "")) == "Field":
        required, default = True, None
        if value.args:
            required, default = False, _literal(value.args[0])
        for keyword in value.keywords:
            if keyword.arg == "default":
                required, default = False, _literal(keyword.value)
            elif keyword.arg == "default_factory":
                required = False
            elif keyword.arg in ("ge", "gt", "le", "lt"):
                bounds[keyword.arg] = _literal(keyword.value)
        return required, default, bounds
    return False, _literal(value), bounds


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _fields(node: ast.ClassDef, source: Source) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for base in _bases(node):
        if base in source.classes:
            found.update(_fields(source.classes[base], source))
    for statement in node.body:
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        name = statement.target.id
        if name.startswith("_") or "ClassVar" in ast.dump(statement.annotation) or name == "model_config":
            continue
        required, default, bounds = _default(statement.value)
        field: dict[str, Any] = {"type": render_type(statement.annotation, source)}
        if required:
            field["required"] = True
        if default not in (None, [], {}, ""):
            field["default"] = default
        field.update(bounds)
        found[name] = field
    return found


def read_models(source: Source) -> dict[str, Any]:
    models: dict[str, Any] = {}
    for name in KEPT_MODELS:
        node = source.classes.get(name)
        if node is None:
            continue
        config = _config(node, source)
        models[name] = {
            "extra": config.get("extra", "ignore"),
            "camel": bool(config.get("camel")),
            "fields": _fields(node, source),
        }
    for name, node in source.genai.items():
        models[name] = {"extra": "forbid", "camel": True, "fields": _fields(node, source)}
    return models


def read_metrics(source: Source) -> dict[str, Any]:
    """Each built-in metric with what its evaluator's own source says about it."""
    names = {k: v.value for k, v in _enum_values(source.classes["PrebuiltMetrics"])}
    registry = source.text("evaluation/metric_evaluator_registry.py")
    infos = source.text("evaluation/metric_info_providers.py") or _inline_infos(source)
    modules = dict(re.findall(r"from \.([\w.]+) import (\w+)", registry))
    by_class = {class_name: module for module, class_name in modules.items()}
    by_class.update({c: m for m, c in re.findall(r"from \.([\w.]+) import (\w+)", registry)})
    pairs = _registered(registry)
    metrics: dict[str, Any] = {}
    for member, value in names.items():
        evaluator = pairs.get(member) or _evaluator_for(value, pairs, infos)
        module = by_class.get(evaluator or "", "").replace(".", "/")
        metrics[value] = _metric(value, source.text(f"evaluation/{module}.py") if module else "", infos, member)
    return metrics


def _enum_values(node: ast.ClassDef) -> list[tuple[str, ast.Constant]]:
    return [
        (statement.targets[0].id, statement.value)
        for statement in node.body
        if isinstance(statement, ast.Assign)
        and isinstance(statement.targets[0], ast.Name)
        and isinstance(statement.value, ast.Constant)
    ]


def _inline_infos(source: Source) -> str:
    return "".join(p.read_text(encoding="utf-8") for p in sorted((source.root / "evaluation").glob("*evaluator*.py")))


def _registered(registry: str) -> dict[str, str]:
    """Provider class → evaluator class, in the order the registry registers them."""
    found: dict[str, str] = {}
    for provider, member, evaluator in re.findall(
        r"metric_info=(\w+)\(\s*(?:PrebuiltMetrics\.(\w+)\.value)?[\s,]*\)\.get_metric_info\(\),\s*evaluator=(\w+)",
        registry,
    ):
        found[member or provider] = evaluator
    return found


def _evaluator_for(metric: str, pairs: dict[str, str], infos: str) -> str | None:
    for provider, evaluator in pairs.items():
        body = re.search(rf"class {provider}\b.*?(?=\nclass |\Z)", infos, re.S)
        if body and re.search(rf"PrebuiltMetrics\.{metric.upper()}\b", body.group(0)):
            return evaluator
    return None


def _metric(name: str, text: str, infos: str, member: str) -> dict[str, Any]:
    reference = bool(re.search(r"expected_invocations is (needed|required)|expected_invocations_required=True", text))
    cloud = "_VertexAiEvalFacade" in text or "VertexAiEvalFacade" in text or "vertexai" in text
    if name == "response_match_score":
        reference, cloud = True, False  # shares its class with the metric that asks Google Cloud
    rubric = re.search(r"RUBRIC_TYPE[^=]*=\s*[\"'](\w+)[\"']", text)
    info = re.search(rf"metric_name=PrebuiltMetrics\.{member}\b.*?(?=metric_name=|\Z)", infos, re.S)
    interval = re.search(r"min_value=([\d.]+),\s*max_value=([\d.]+)", info.group(0)) if info else None
    threshold = not (info and re.search(r"requires_threshold=False", info.group(0)))
    criterion = re.search(r"criterion_type[^=]*=\s*\(?\s*(\w+)", text)
    return {
        "reference_based": reference,
        "needs_scenario": "conversation_scenario is needed" in text,
        "rubric_type": rubric.group(1) if rubric and "rubric_based" in name else None,
        "google_cloud": cloud,
        "judged": cloud or "LlmAsJudge" in text or "RubricBasedEvaluator" in text or "LLMRegistry" in text,
        "takes_threshold": threshold,
        "range": [float(interval.group(1)), float(interval.group(2))] if interval and threshold else None,
        "criterion": criterion.group(1) if criterion and name != "response_match_score" else "BaseCriterion",
    }


def read_personas(source: Source) -> list[str]:
    text = source.text("evaluation/simulation/pre_built_personas.py")
    return sorted(re.findall(r"^\s+id=[\"'](\w+)[\"']", text, re.M))


def read_features(source: Source) -> dict[str, bool]:
    """What changed between versions and a rule must know, each read off the source that decides it."""
    cli = source.text("cli/cli_tools_click.py")
    agent_evaluator = source.text("evaluation/agent_evaluator.py")
    return {
        "config_beside_set": "test_config.json" in cli and "_resolve_eval_config_file_path" in cli,
        "exit_code_on_failure": "sys.exit(1 if total_failed" in cli,
        "informational_status": "INFORMATIONAL = " in source.text("evaluation/eval_metrics.py"),
        "custom_metrics_in_pytest": "register_custom_metrics_from_config" in agent_evaluator
        or "custom_metric" in agent_evaluator,
        "unicode_rouge": "_UnicodeAwareTokenizer" in source.text("evaluation/final_response_match_v1.py"),
        "rubric_verdict_by_id": "_ID_PATTERN" in source.text("evaluation/rubric_based_evaluator.py"),
    }


def read_defaults(source: Source) -> dict[str, Any]:
    text = source.text("evaluation/eval_config.py")
    criteria = re.search(r"_DEFAULT_EVAL_CONFIG = EvalConfig\(\s*criteria=(\{[^}]*\})", text)
    return {"criteria": ast.literal_eval(criteria.group(1)) if criteria else {}}


def build(source: Source, version: str) -> dict[str, Any]:
    """Everything known of one version, ready to be written as JSON."""
    return {
        "version": ".".join(version.split(".")[:2]),
        "taken_from": version,
        "metrics": read_metrics(source),
        "personas": read_personas(source),
        "defaults": read_defaults(source),
        "features": read_features(source),
        "models": read_models(source),
    }


def installed() -> tuple[Path, str]:
    spec = importlib.util.find_spec("google.adk")
    if spec is None or spec.origin is None:
        raise SystemExit("google-adk is not installed; give --source and --version")
    return Path(spec.origin).parent, importlib.metadata.version("google-adk")


def genai_types() -> Path | None:
    spec = importlib.util.find_spec("google.genai")
    return Path(spec.origin).parent / "types.py" if spec and spec.origin else None


def render(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", type=Path, help="the google/adk folder of an unpacked release")
    parser.add_argument("--version", help="its version")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    options = parser.parse_args()
    root, version = (options.source, options.version) if options.source else installed()
    data = build(Source(root, genai_types()), version)
    target = DATA / f"{data['version']}.json"
    text = render(data)
    if options.check:
        if target.exists() and target.read_text(encoding="utf-8") == text:
            return 0
        print(f"{target} differs from google-adk {version}; run this tool without --check", file=sys.stderr)
        return 1
    target.write_text(text, encoding="utf-8")
    print(f"wrote {target}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
