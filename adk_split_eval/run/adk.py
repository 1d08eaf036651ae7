"""The border with google-adk: what is imported of it, how cheaply, and every private name we touch.

Importing ADK's evaluator costs seconds because three of its dependency shims pull in Vertex AI, ROUGE (with NLTK and
SciPy) and pandas, which most runs never use. They are held back behind proxies that import the real thing on first use,
so every metric still works when it is asked for.
"""

# All private names of google-adk that we use are used here.
# pyright: reportPrivateUsage=false, reportPrivateImportUsage=false

from __future__ import annotations

import contextlib
import functools
import gc
import importlib
import importlib.util
import logging
import re
import sys
import types
import warnings
from collections.abc import Generator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

OLDEST_ADK = (2, 10)
NEWEST_ADK_EXCLUSIVE = (3,)

_SHIMS: dict[str, dict[str, str]] = {
    "google.adk.dependencies.vertexai": {"vertexai": "vertexai"},
    "google.adk.dependencies._agentplatform": {"agentplatform": "agentplatform"},
    "google.adk.dependencies.rouge_scorer": {
        "rouge_scorer": "rouge_score.rouge_scorer",
        "tokenizers": "rouge_score.tokenizers",
    },
}


class AdkMissingError(Exception):
    """google-adk (with its eval extra) is not installed, or its version is out of range."""


class _LazyModule(types.ModuleType):
    """Stands in for a module until one of its attributes is asked for."""

    def __init__(self, name: str, target: str) -> None:
        super().__init__(name)
        self.__dict__["_target"] = target

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return getattr(importlib.import_module(self.__dict__["_target"]), name)


class _LazyVertexShim(types.ModuleType):
    """ADK's vertexai shim offers ``rag`` on demand; so does its stand-in."""

    def __getattr__(self, name: str) -> Any:
        if name == "rag":
            return importlib.import_module("vertexai.preview.rag")
        raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")


def _hold_back_heavy_imports() -> None:
    for shim, names in _SHIMS.items():
        if shim in sys.modules:
            continue
        # A shim this ADK does not have is not invented.
        try:
            if importlib.util.find_spec(shim) is None:
                continue
        except ModuleNotFoundError:
            continue
        kind = _LazyVertexShim if shim.endswith(".vertexai") else types.ModuleType
        module = kind(shim)
        for attribute, target in names.items():
            setattr(module, attribute, _LazyModule(f"{shim}.{attribute}", target))
        sys.modules[shim] = module


@contextlib.contextmanager
def _pandas_on_demand() -> Generator[None]:
    """While ADK is imported, ``pandas`` is a stand-in; afterwards an import of it finds the real one as ever.

    The standard library's lazy loader will not do: before Python 3.12 the import statement itself wakes it.
    """
    if "pandas" in sys.modules or importlib.util.find_spec("pandas") is None:
        yield
        return
    stand_in = sys.modules["pandas"] = _LazyModule("pandas", "pandas")
    try:
        yield
    finally:
        if sys.modules.get("pandas") is stand_in:
            del sys.modules["pandas"]


@contextlib.contextmanager
def _models_of_fastapi_alone() -> Generator[None]:
    """ADK describes credentials with the models of FastAPI's ``openapi.models``; the web framework around them stays out.

    While ADK is imported, FastAPI's packages are there without their ``__init__`` having run. Afterwards an import of
    FastAPI finds the real ones, and its models are the very same classes.
    """
    spec = importlib.util.find_spec("fastapi") if "fastapi" not in sys.modules else None
    if spec is None or not spec.submodule_search_locations:
        yield
        return
    home = Path(spec.submodule_search_locations[0])
    before = set(sys.modules)
    packages = {name: types.ModuleType(name) for name in ("fastapi", "fastapi.openapi")}
    for name, package in packages.items():
        package.__path__ = [str(home if name == "fastapi" else home / "openapi")]
        sys.modules[name] = package
    try:
        importlib.import_module("fastapi.openapi.models")
    except Exception:  # noqa: BLE001 - another FastAPI is built otherwise: it is imported as a whole then
        for name in [n for n in sys.modules if n not in before and n.split(".")[0] == "fastapi"]:
            del sys.modules[name]
        packages.clear()
    try:
        yield
    finally:
        for name, package in packages.items():
            if sys.modules.get(name) is package:
                del sys.modules[name]


@contextlib.contextmanager
def _collector_at_rest() -> Generator[None]:
    """No garbage collection while a thousand modules come in, which stay anyway: saves a sixth of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # What was imported lives as long as the process; later collections need not walk it.
        gc.freeze()
        if was_on:
            gc.enable()


def adk_version() -> str:
    """The installed google-adk version.

    Raises:
        AdkMissingError: when google-adk is not installed.
    """
    try:
        return metadata.version("google-adk")
    except metadata.PackageNotFoundError as missing:
        raise AdkMissingError(
            "google-adk is not installed; install it with: pip install 'adk-split-eval[adk]'"
        ) from missing


def version_tuple(version: str) -> tuple[int, ...]:
    """``"2.13.0"`` → ``(2, 13, 0)``; what follows the first non-numeric part is dropped."""
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])


@cache
def load_models() -> None:
    """Import the model classes that all of google-adk stands on, a third of :func:`load`."""
    with warnings.catch_warnings(), _collector_at_rest():
        warnings.simplefilter("ignore")
        importlib.import_module("google.genai.types")


@cache
def load() -> types.SimpleNamespace:
    """Import what the runner uses of ADK's evaluation package, once.

    Raises:
        AdkMissingError: when ADK or its eval extra is missing, or its version is outside ``>=2.10,<3``.
    """
    version = version_tuple(adk_version())
    if not OLDEST_ADK <= version < NEWEST_ADK_EXCLUSIVE:
        raise AdkMissingError(
            f"google-adk {adk_version()} is installed; adk-split-eval runs on >=2.10,<3 "
            "(lint works with every version): pip install 'google-adk[eval]>=2.10,<3'"
        )
    quiet_adk()
    _hold_back_heavy_imports()
    try:
        with warnings.catch_warnings(), _pandas_on_demand(), _collector_at_rest():
            warnings.simplefilter("ignore")
            try:
                with _models_of_fastapi_alone():
                    return _namespace()
            except ImportError:
                # An ADK that wants more of FastAPI than its models gets all of it.
                return _namespace()
    except ModuleNotFoundError as missing:
        if (missing.name or "").startswith("google.adk"):
            raise
        raise AdkMissingError(
            f"google-adk's eval extra is incomplete ({missing.name} is missing): pip install 'google-adk[eval]'"
        ) from missing


_EVALUATION = "google.adk.evaluation"
_NAMES: dict[str, str] = {
    "App": "google.adk.apps.app",
    "BaseLlm": "google.adk.models.base_llm",
    "DEFAULT_METRIC_EVALUATOR_REGISTRY": f"{_EVALUATION}.metric_evaluator_registry",
    "EvalCase": f"{_EVALUATION}.eval_case",
    "EvalConfig": f"{_EVALUATION}.eval_config",
    "EvalMetric": f"{_EVALUATION}.eval_metrics",
    "EvalSet": f"{_EVALUATION}.eval_set",
    "EvalStatus": f"{_EVALUATION}.eval_metrics",
    "EvaluateConfig": f"{_EVALUATION}.base_eval_service",
    "EvaluateRequest": f"{_EVALUATION}.base_eval_service",
    "EvaluationGenerator": f"{_EVALUATION}.evaluation_generator",
    "InMemoryEvalSetsManager": f"{_EVALUATION}.in_memory_eval_sets_manager",
    "InMemorySessionService": "google.adk.sessions.in_memory_session_service",
    "InferenceConfig": f"{_EVALUATION}.base_eval_service",
    "InferenceRequest": f"{_EVALUATION}.base_eval_service",
    "InferenceResult": f"{_EVALUATION}.base_eval_service",
    "InferenceStatus": f"{_EVALUATION}.base_eval_service",
    "Invocation": f"{_EVALUATION}.eval_case",
    "LocalEvalService": f"{_EVALUATION}.local_eval_service",
    "NextUserMessage": f"{_EVALUATION}.simulation.user_simulator",
    "Status": f"{_EVALUATION}.simulation.user_simulator",
    "UserSimulatorProvider": f"{_EVALUATION}.simulation.user_simulator_provider",
    "get_eval_metrics_from_config": f"{_EVALUATION}.eval_config",
}
"""What the runner uses of ADK's public API, and where it lives."""


_FIRST_UNIT = ("google.adk.workflow._workflow", "google.adk.flows.llm_flows.single_flow")
"""What ADK imports when the first conversation starts: it comes beforehand, so that no unit's time is spent on it."""


def _namespace() -> types.SimpleNamespace:
    for name in _FIRST_UNIT:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    _ask_without_importing()
    found = {name: getattr(importlib.import_module(home), name) for name, home in _NAMES.items()}
    return types.SimpleNamespace(**found, genai_types=importlib.import_module("google.genai.types"))


_PAIRING_BY_ID = (
    ("google.adk.models.anthropic_llm", "AnthropicLlm"),
    ("google.adk.models.lite_llm", "LiteLlm"),
    ("google.adk.integrations.openai._openai_responses_llm", "OpenAIResponsesLlm"),
)


def _ask_without_importing() -> None:
    """ADK before 2.12 imports whole model SDKs in the first conversation, to ask whether its model is of one of them.

    A model can only be of a class whose module is there already, so the question is answered from ``sys.modules``.
    """
    try:
        contents: Any = importlib.import_module("google.adk.flows.llm_flows.context._contents")
    except ModuleNotFoundError:
        return
    if hasattr(contents, "_is_id_pairing_model") or not hasattr(contents, "_id_pairing_model_types"):
        return

    def types_there_are() -> tuple[type[Any], ...]:
        found = (getattr(sys.modules.get(module), name, None) for module, name in _PAIRING_BY_ID)
        return tuple(kind for kind in found if kind is not None)

    contents._id_pairing_model_types = types_there_are


def metric_registry(eval_config: Any) -> Any:
    """A registry of ADK's metrics plus the custom ones of ``eval_config``; process-wide state stays untouched."""
    from google.adk.evaluation import metric_evaluator_registry as registry_module

    registry: Any = registry_module.DEFAULT_METRIC_EVALUATOR_REGISTRY
    register: Any = getattr(registry_module, "register_custom_metrics_from_config", None)
    if hasattr(registry, "fork"):
        forked = registry.fork()
        if register is not None and eval_config.custom_metrics:
            register(eval_config, forked)
        return forked
    fresh: Any = registry_module.MetricEvaluatorRegistry()
    if eval_config.custom_metrics:
        if register is not None:
            register(eval_config, fresh)
        else:
            _register_by_hand(registry_module, eval_config, fresh)
    return fresh


def _register_by_hand(registry_module: Any, eval_config: Any, registry: Any) -> None:
    from google.adk.evaluation.custom_metric_evaluator import _CustomMetricEvaluator

    for name, config in eval_config.custom_metrics.items():
        info = config.metric_info or registry_module._get_default_metric_info(name, config.description)
        registry.register_evaluator(info, _CustomMetricEvaluator)


def simulator_label(text: str | None) -> str | None:
    """What ADK reads out of one answer of the simulator-quality judge: ``valid``, ``invalid`` or None (unreadable)."""
    if not text:
        return None
    from google.adk.evaluation.simulation import per_turn_user_simulator_quality_v1 as quality

    label: Any = quality._parse_llm_response(text)
    if label == quality.Label.VALID:
        return "valid"
    if label == quality.Label.INVALID:
        return "invalid"
    return None


def hallucination_verdicts(text: str | None) -> list[tuple[str, str]]:
    """What ADK reads out of one answer of the sentence validator: (sentence, label in lower case), in order."""
    from google.adk.evaluation import hallucinations_v1

    blocks: list[dict[str, str | None]] = hallucinations_v1._parse_validation_results(text or "")
    return [((block.get("sentence") or "").strip(), (block.get("label") or "").strip().lower()) for block in blocks]


def lost_server(message: str, error: BaseException) -> bool:
    """Whether ADK logged that a call to an MCP server broke off. It hands the agent a made-up answer then.

    What the server itself answered, if only that the arguments are wrong, is the agent's business and no loss.
    """
    if message.startswith("Unexpected error during MCP tool execution"):
        return True
    answer: Any = getattr(error, "error", None)
    if not message.startswith("MCP tool execution failed") or answer is None:
        return False
    return answer.code in _MCP_LOST or getattr(answer, "message", "") == "Session terminated"


_MCP_LOST = frozenset({-32000, -32001, 408, 32600})
"""Connection closed; timed out (MCP SDK 2 and 1); session forgotten (SDK 1)."""


def compile_templates_once() -> None:
    """ADK makes a Jinja environment for every message of a simulated user and compiles the same templates in it again.

    The compiled code is remembered by source, for environments that are as ADK's are: sandboxed, nothing configured.
    """
    from jinja2.sandbox import SandboxedEnvironment

    kind: Any = SandboxedEnvironment
    original: Any = kind.compile
    if getattr(original, "_adk_split_eval", False):
        return
    known: dict[tuple[Any, ...], Any] = {}

    @functools.wraps(original)
    def compiled(
        self: Any, source: Any, name: Any = None, filename: Any = None, raw: bool = False, defer_init: bool = False
    ) -> Any:
        settings = tuple(getattr(self, option) for option in _JINJA_SETTINGS)
        plain = type(self) is kind and not self.extensions and self.finalize is None and self.autoescape is False
        if not plain or not isinstance(source, str):
            return original(self, source, name, filename, raw, defer_init)
        key = (source, name, filename, raw, defer_init, *settings)
        if key not in known:
            if len(known) >= 512:
                known.clear()
            known[key] = original(self, source, name, filename, raw, defer_init)
        return known[key]

    compiled._adk_split_eval = True  # type: ignore[attr-defined]
    kind.compile = compiled


_JINJA_SETTINGS = (
    "block_start_string",
    "block_end_string",
    "variable_start_string",
    "variable_end_string",
    "comment_start_string",
    "comment_end_string",
    "line_statement_prefix",
    "line_comment_prefix",
    "trim_blocks",
    "lstrip_blocks",
    "newline_sequence",
    "keep_trailing_newline",
    "optimized",
    "undefined",
    "is_async",
)


def quiet_adk() -> None:
    """Keep ADK's log lines off the terminal; what matters in them is collected per unit and reported."""
    for name in ("google_adk", "google_genai", "google.adk", "LiteLLM"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())
        logger.propagate = False
    warnings.filterwarnings("ignore", message=r".*EXPERIMENTAL.*")
