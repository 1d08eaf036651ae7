"""The rules page is what the rules say, and the hooks name commands that exist."""

from __future__ import annotations

import importlib.util
import re
import sys
from pathlib import Path

import yaml

from adk_split_eval.lint.rule import all_rules

ROOT = Path(__file__).parents[2]


def test_rules_page_is_fresh() -> None:
    spec = importlib.util.spec_from_file_location("regenerate_rules_page", ROOT / "tools" / "regenerate_rules_page.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["regenerate_rules_page"] = module
    spec.loader.exec_module(module)
    assert module.render() == (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"), (
        "run tools/regenerate_rules_page.py"
    )


def test_codes_are_unique_and_in_their_hundreds() -> None:
    codes = [r.code for r in all_rules()]
    assert len(set(codes)) == len(codes) == len({r.name for r in all_rules()})
    assert all(re.fullmatch(r"ASE[1-7]\d\d", code) for code in codes)


def test_one_module_a_rule() -> None:
    modules = [r.module for r in all_rules()]
    assert len(set(modules)) == len(modules)
    assert all(m.rpartition(".")[2] == r.name.replace("-", "_") for m, r in zip(modules, all_rules(), strict=True))


def test_hooks_match_what_they_should() -> None:
    hooks = {h["id"]: h for h in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    plans, files = hooks["adk-split-eval-plans"]["files"], hooks["adk-split-eval-adk-files"]["files"]
    for name in ("refund.plan.yaml", "a/b.plan.yml", "refund.frozen.yaml"):
        assert re.search(plans, name) and not re.search(files, name)
    for name in ("a.evalset.json", "x/y.test.json", "test_config.json", "tests/eval/eval_config.json"):
        assert re.search(files, name) and not re.search(plans, name)
    assert not re.search(files, "package.json") and not re.search(files, "mytest_config.json.bak")
