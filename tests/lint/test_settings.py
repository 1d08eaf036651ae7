"""Pairing and pyproject settings: which config governs, what is selected, which ADK version is assumed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from adk_split_eval.lint import lint_paths
from adk_split_eval.lint.settings import Options, SettingsError, load_options

SIMULATED = json.dumps(
    {
        "eval_set_id": "s",
        "eval_cases": [
            {"eval_id": "a", "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Buy."}}
        ],
    }
)
TRAJECTORY = '{"criteria": {"tool_trajectory_avg_score": 1.0}}'
HALLUCINATIONS = '{"criteria": {"hallucinations_v1": {"threshold": 0.8, "judge_model_options": {"judge_model": "gemini-2.5-flash"}}}}'


def lay(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def codes(folder: Path, *paths: str, **options: object) -> set[str]:
    return {
        f.code
        for f in lint_paths([folder / p for p in paths] or [folder], Options(adk_version="2.13", **options)).findings
    }


def test_beside_wins_over_above(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {"eval_config.json": TRAJECTORY, "sets/a.evalset.json": SIMULATED, "sets/test_config.json": HALLUCINATIONS},
    )
    assert "ASE102" not in codes(tmp_path, "sets/a.evalset.json")


def test_above_is_a_guess(tmp_path: Path) -> None:
    lay(tmp_path, {"eval_config.json": TRAJECTORY, "sets/a.evalset.json": SIMULATED})
    assert {"ASE102", "ASE701"} <= codes(tmp_path, "sets/a.evalset.json")
    found = lint_paths([tmp_path / "sets" / "a.evalset.json"], Options(adk_version="2.13")).findings
    assert {f.confidence for f in found if f.code == "ASE102"} == {"medium"}


def test_a_repository_root_ends_the_search(tmp_path: Path) -> None:
    lay(tmp_path, {"eval_config.json": TRAJECTORY, "repo/.git/HEAD": "", "repo/sets/a.evalset.json": SIMULATED})
    assert "ASE103" in codes(tmp_path, "repo/sets/a.evalset.json")


def test_option_wins_over_all(tmp_path: Path) -> None:
    lay(tmp_path, {"other.json": TRAJECTORY, "a.evalset.json": SIMULATED, "test_config.json": HALLUCINATIONS})
    assert "ASE102" in codes(tmp_path, "a.evalset.json", config=str(tmp_path / "other.json"))


def test_pairs_of_pyproject(tmp_path: Path) -> None:
    pairs = '[tool.adk-split-eval]\npairs = [{set = "sets/*.json", config = "cfg/sim.json"}]\n'
    lay(
        tmp_path,
        {
            "pyproject.toml": pairs,
            "cfg/sim.json": TRAJECTORY,
            "sets/a.evalset.json": SIMULATED,
            "sets/test_config.json": HALLUCINATIONS,
        },
    )
    assert "ASE102" in codes(tmp_path, "sets/a.evalset.json")
    (tmp_path / "cfg" / "sim.json").unlink()
    assert "ASE706" in codes(tmp_path, "sets/a.evalset.json")


def test_a_changed_config_is_linted_with_its_sets(tmp_path: Path) -> None:
    lay(tmp_path, {"a.evalset.json": SIMULATED, "test_config.json": TRAJECTORY})
    assert "ASE102" in codes(tmp_path, "test_config.json")


def test_select_ignore_and_per_file(tmp_path: Path) -> None:
    files = {
        "a.evalset.json": SIMULATED,
        "old/b.evalset.json": SIMULATED.replace('"s"', '"t"'),
        "test_config.json": TRAJECTORY,
        "old/test_config.json": TRAJECTORY,
    }
    lay(
        tmp_path,
        {
            **files,
            "pyproject.toml": '[tool.adk-split-eval]\nselect = ["ASE102"]\n[tool.adk-split-eval.per-file-ignores]\n"old/*" = ["reference-metric-on-scenario"]\n',
        },
    )
    found = lint_paths([tmp_path]).findings
    assert [(f.code, Path(f.path).parent.name) for f in found] == [("ASE102", tmp_path.name)]
    (tmp_path / "pyproject.toml").write_text('[tool.adk-split-eval]\nignore = ["ASE1"]\n', encoding="utf-8")
    assert not any(f.code.startswith("ASE1") for f in lint_paths([tmp_path]).findings)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('[tool.adk-split-eval]\nadk-version = "2.0"\n', ("2.0", "as asked")),
        ('[project]\nname = "x"\ndependencies = ["google-adk[eval]==2.7.1"]\n', ("2.7.1", "pinned in pyproject.toml")),
        (
            '[project]\nname = "x"\n[dependency-groups]\ndev = ["google-adk ~= 1.39"]\n',
            ("1.39", "pinned in pyproject.toml"),
        ),
        ('[project]\ndependencies = ["google_adk === 2.0.0"]\n', ("2.0.0", "pinned in pyproject.toml")),
        ('[project]\ndependencies = ["Google-ADK==1.39.*"]\n', ("1.39", "pinned in pyproject.toml")),
        ('[tool.poetry.dependencies]\ngoogle-adk = "2.7.1"\n', ("2.7.1", "pinned in pyproject.toml")),
        (
            '[tool.poetry.dependencies]\ngoogle-adk = {version = "==2.0.0", extras = ["eval"]}\n',
            ("2.0.0", "pinned in pyproject.toml"),
        ),
        (
            '[tool.adk-split-eval]\nadk-version = "2.8"\n',
            ("2.8", "as asked, judged by what is known of 2.7"),
        ),
    ],
)
def test_version_from_the_project(text: str, wanted: tuple[str, str], tmp_path: Path) -> None:
    lay(tmp_path, {"pyproject.toml": text, "a.evalset.json": SIMULATED})
    result = lint_paths([tmp_path / "a.evalset.json"])
    assert (result.adk_version, result.assumed_how) == wanted


@pytest.mark.parametrize("wanted", ['"google-adk>=2.0,<3"', '"google-adk==2.*"', '"google-adk ~= 2.3"'])
def test_range_is_no_pin(wanted: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("adk_split_eval.lint.settings.installed_version", lambda: "2.10.0")
    lay(tmp_path, {"pyproject.toml": f"[project]\ndependencies = [{wanted}]\n", "a.evalset.json": SIMULATED})
    result = lint_paths([tmp_path / "a.evalset.json"])
    assert (result.adk_version, result.assumed_how) == ("2.10.0", "installed")


@pytest.mark.parametrize(
    "glob", ["**/old/*.json", "old/**/*.json", "./old/*", "old\\\\*.evalset.json", "b.evalset.json"]
)
def test_globs_as_people_write_them(glob: str, tmp_path: Path) -> None:
    settings = f'[tool.adk-split-eval]\nper-file-ignores = {{"{glob}" = ["ASE1"]}}\n'
    lay(tmp_path, {"old/b.evalset.json": SIMULATED, "old/test_config.json": TRAJECTORY, "pyproject.toml": settings})
    assert "ASE102" not in codes(tmp_path)


@pytest.mark.parametrize(
    "text",
    ["pairs = 3", 'pairs = [{set = "a"}]', "per-file-ignores = 3", "adk-version = 2.0", 'ignore = "ASE1"',
     'adk-version = "newest"', 'ignore = ["ASE9999"]', 'select = ["nobody"]', 'per-file-ignores = {"a" = ["ASE99"]}',
     'per_file_ignores = {"a" = ["ASE1"]}', "strict = true"],
)  # fmt: skip
def test_settings_errors_are_said(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.adk-split-eval]\n{text}\n", encoding="utf-8")
    with pytest.raises(SettingsError, match="pyproject"):
        load_options(Options(), str(tmp_path))


def test_what_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "package.json": '{"name": "x"}',
            "data.json": "[1, 2",
            "node_modules/a.evalset.json": "{",
            ".venv/test_config.json": "{",
            "hello.yaml": "a: 1",
        },
    )
    assert lint_paths([tmp_path]).files == []


def test_any_json_of_that_shape_is_found(tmp_path: Path) -> None:
    lay(
        tmp_path,
        {
            "cases/one.json": SIMULATED,
            "cases/settings.json": TRAJECTORY,
            "cases/s.json": '{"scenarios": [{"starting_prompt": "Hi", "conversation_plan": "x"}]}',
        },
    )
    assert {Path(f).name for f in lint_paths([tmp_path]).files} == {"one.json", "settings.json", "s.json"}


def test_pairs_written_on_windows(tmp_path: Path) -> None:
    pair = '[tool.adk-split-eval]\npairs = [{set = "sets\\\\*.evalset.json", config = "configs\\\\c.json"}]\n'
    lay(tmp_path, {"sets/a.evalset.json": SIMULATED, "configs/c.json": TRAJECTORY, "pyproject.toml": pair})
    assert {"ASE102"} == codes(tmp_path, "sets/a.evalset.json") & {"ASE102", "ASE103", "ASE706"}
