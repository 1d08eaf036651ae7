"""Mends: safe ones only bring things to be judged, applying twice changes nothing, a mixed set becomes two that lint clean of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from adk_split_eval.lint import lint_paths
from adk_split_eval.lint.command import lint
from adk_split_eval.lint.fixes import apply, fixed_texts
from adk_split_eval.lint.settings import Options
from adk_split_eval.record.finding import Edit

CASES = Path(__file__).parent / "data" / "cases"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(lint, ["--adk-version", "2.13", *arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def write(folder: Path, eval_set: str, config: str) -> None:
    (folder / "a.evalset.json").write_text(eval_set, encoding="utf-8")
    (folder / "test_config.json").write_text(config, encoding="utf-8")


SOUND = (CASES / "11-transfer-and-agenttool" / "evalset.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("config", "wanted"),
    [
        ('{"criterias": {"tool_trajectory_avg_score": 1.0}}', '{"criteria": {"tool_trajectory_avg_score": 1.0}}'),
        ('{"criteria": {"tool_trajectory_avg_score": 1.0,}}', '{"criteria": {"tool_trajectory_avg_score": 1.0}}'),
        ('{"criteria": {"tool_trajectory_avg_score": "1.0"}}', '{"criteria": {"tool_trajectory_avg_score": 1.0}}'),
        (
            '{"criteria": {"token_usage_v1": 5, "tool_trajectory_avg_score": 1.0}}',
            '{"criteria": {"tool_trajectory_avg_score": 1.0}}',
        ),
        (
            '{"criteria": {"tool_trajectory_avg_score": 1.0, "token_usage_v1": 5}}',
            '{"criteria": {"tool_trajectory_avg_score": 1.0}}',
        ),
        ('{"criteria": {"tool_trajectory_avg_score": True}}', '{"criteria": {"tool_trajectory_avg_score": 1.0}}'),
    ],
)
def test_safe_mends_of_configs(config: str, wanted: str, tmp_path: Path) -> None:
    write(tmp_path, SOUND, config)
    code, _ = run(str(tmp_path), "--fix")
    assert (tmp_path / "test_config.json").read_text(encoding="utf-8") == wanted
    assert code == 0
    before = (tmp_path / "test_config.json").stat().st_mtime_ns
    run(str(tmp_path), "--fix")
    assert (tmp_path / "test_config.json").stat().st_mtime_ns == before


def test_mark_and_temporary_keys_go(tmp_path: Path) -> None:
    text = (CASES / "12-session-state-carry" / "wrong_frozen_end_state.evalset.json").read_text(encoding="utf-8")
    write(tmp_path, "\ufeff" + text, '{"criteria": {"tool_trajectory_avg_score": 1.0}}')
    run(str(tmp_path), "--fix")
    raw = (tmp_path / "a.evalset.json").read_bytes()
    assert not raw.startswith(b"\xef\xbb\xbf") and b"temp:" not in raw and b'"branch": "north"' in raw
    json.loads(raw)


def test_camel_case_at_the_top(tmp_path: Path) -> None:
    write(
        tmp_path,
        SOUND.replace('"eval_set_id"', '"evalSetId"').replace('"eval_cases"', '"evalCases"'),
        '{"criteria": {"tool_trajectory_avg_score": 1.0}}',
    )
    run(str(tmp_path), "--fix")
    assert (tmp_path / "a.evalset.json").read_text(encoding="utf-8") == SOUND


def test_unsafe_mends_wait_for_their_flag(tmp_path: Path) -> None:
    config = '{"criteria": {"tool_trajectory_score": 1.0}}'
    write(tmp_path, SOUND, config)
    assert run(str(tmp_path), "--fix")[0] == 1
    assert (tmp_path / "test_config.json").read_text(encoding="utf-8") == config
    assert run(str(tmp_path), "--unsafe-fixes")[0] == 0
    assert json.loads((tmp_path / "test_config.json").read_text(encoding="utf-8")) == {
        "criteria": {"tool_trajectory_avg_score": 1.0}
    }


def test_diff_writes_nothing(tmp_path: Path) -> None:
    config = '{"criterias": {"tool_trajectory_avg_score": 1.0}}'
    write(tmp_path, SOUND, config)
    _, output = run(str(tmp_path), "--diff")
    assert '-{"criterias"' in output and '+{"criteria"' in output
    assert (tmp_path / "test_config.json").read_text(encoding="utf-8") == config


def test_mixed_set_becomes_two_sets_with_configs(tmp_path: Path) -> None:
    source = CASES / "01-scenario-plus-trajectory"
    write(
        tmp_path,
        (source / "evalset.json").read_text(encoding="utf-8"),
        (source / "eval_config.json").read_text(encoding="utf-8"),
    )
    run(str(tmp_path), "--fix")
    assert not (tmp_path / "fixed").exists()
    run(str(tmp_path), "--unsafe-fixes")
    fixed = json.loads((tmp_path / "fixed" / "desk_mixed_fixed.evalset.json").read_text(encoding="utf-8"))
    simulated = json.loads((tmp_path / "simulated" / "desk_mixed_simulated.evalset.json").read_text(encoding="utf-8"))
    assert [c["eval_id"] for c in fixed["eval_cases"]] == ["fixed_hold"]
    assert [c["eval_id"] for c in simulated["eval_cases"]] == ["sim_hold"]
    assert "tool_trajectory_avg_score" in json.loads((tmp_path / "fixed" / "test_config.json").read_text())["criteria"]
    config = json.loads((tmp_path / "simulated" / "test_config.json").read_text())
    assert "tool_trajectory_avg_score" not in config["criteria"] and "user_simulator_config" in config
    for half in ("fixed", "simulated"):
        codes = {f.code for f in lint_paths([tmp_path / half], Options(adk_version="2.13")).findings}
        assert not codes & {"ASE102", "ASE103", "ASE104", "ASE105", "ASE602"}


def test_existing_files_are_never_overwritten_by_a_split(tmp_path: Path) -> None:
    source = CASES / "01-scenario-plus-trajectory"
    write(
        tmp_path,
        (source / "evalset.json").read_text(encoding="utf-8"),
        (source / "eval_config.json").read_text(encoding="utf-8"),
    )
    (tmp_path / "fixed").mkdir()
    (tmp_path / "fixed" / "test_config.json").write_text(
        '{"criteria": {"tool_trajectory_avg_score": 0.9}}', encoding="utf-8"
    )
    code, output = run(str(tmp_path / "a.evalset.json"), "--unsafe-fixes")
    assert code == 2 and "test_config.json is there already" in output
    assert "0.9" in (tmp_path / "fixed" / "test_config.json").read_text(encoding="utf-8")
    # a half-written split would put the fixed cases under somebody else's config
    assert not (tmp_path / "simulated").exists() and len(list((tmp_path / "fixed").iterdir())) == 1


MIXED = {
    "eval_set_id": "desk", "_owner": "returns", "description": "both",
    "eval_cases": [
        {"eval_id": "f", "conversation": [{"user_content": {"parts": [{"text": "Hi"}]}}]},
        {"eval_id": "s", "conversation_scenario": {"starting_prompt": "Hi", "conversation_plan": "Ask."}},
    ],
}  # fmt: skip


def test_two_mixed_sets_of_a_folder_share_the_configs(tmp_path: Path) -> None:
    write(tmp_path, json.dumps(MIXED), '{"_why": "gate", "criteria": {"tool_trajectory_avg_score": 1.0}}')
    (tmp_path / "b.test.json").write_text(json.dumps({**MIXED, "eval_set_id": "two"}), encoding="utf-8")
    run(str(tmp_path), "--unsafe-fixes")
    names = sorted(path.name for path in tmp_path.glob("*/*"))
    assert names == [
        "desk_fixed.evalset.json", "desk_simulated.evalset.json", "test_config.json", "test_config.json",
        "two_fixed.test.json", "two_simulated.test.json",  # AgentEvaluator looks for this ending only
    ]  # fmt: skip
    half = json.loads((tmp_path / "simulated" / "desk_simulated.evalset.json").read_text(encoding="utf-8"))
    assert half["_owner"] == "returns" and half["description"] == "both"
    assert json.loads((tmp_path / "fixed" / "test_config.json").read_text(encoding="utf-8"))["_why"] == "gate"
    found = lint_paths([tmp_path / "simulated"], Options(adk_version="2.13")).findings
    assert [f.code for f in found if f.level == "error"] == []
    code, output = run(str(tmp_path), "--unsafe-fixes")
    assert code == 1 and "not mended" not in output and "wrote" not in output


def test_overlapping_edits_wait() -> None:
    assert apply("abcdef", [Edit("p", 4, 5, "E"), Edit("p", 0, 1, "AA")]) == "AAbcdEf"


def test_line_ends_survive(tmp_path: Path) -> None:
    config = '{\r\n  "criterias": {"tool_trajectory_avg_score": 1.0}\r\n}\r\n'
    (tmp_path / "test_config.json").write_bytes(config.encode())
    result = lint_paths([tmp_path / "test_config.json"], Options(adk_version="2.13"))
    texts, mended = fixed_texts(result.findings, result.sources, unsafe=False)
    assert mended == 1
    assert next(iter(texts.values()))[1] == config.replace("criterias", "criteria")


BOOLEAN = '{"criteria": {"tool_trajectory_avg_score": true}}'
MENDED = BOOLEAN.replace("true", "1.0")


def test_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "shared.json").write_text(BOOLEAN, encoding="utf-8")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "test_config.json").symlink_to("../shared.json")
    assert run(str(tmp_path), "--fix")[0] == 0
    assert (tmp_path / "one" / "test_config.json").is_symlink() and (tmp_path / "two" / "test_config.json").is_symlink()
    assert (tmp_path / "shared.json").read_text(encoding="utf-8") == MENDED


def test_read_only_file_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, SOUND, BOOLEAN)
    (tmp_path / "test_config.json").chmod(0o444)
    code, output = run(str(tmp_path), "--fix")
    assert code == 2 and "test_config.json: not mended: it is read-only" in output
    assert (tmp_path / "test_config.json").read_text(encoding="utf-8") == BOOLEAN


def test_file_changed_meanwhile_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, SOUND, BOOLEAN)
    whole = '{"criteria": {"tool_trajectory_avg_score": true, "response_match_score": 0.8}}'

    def edited_now(*arguments: object) -> object:
        result = lint_paths(*arguments)  # type: ignore[arg-type]
        (tmp_path / "test_config.json").write_text(whole, encoding="utf-8")
        return result

    monkeypatch.setattr("adk_split_eval.lint.api.lint_paths", edited_now)
    code, output = run(str(tmp_path), "--fix")
    assert code == 2 and "not mended: it was changed meanwhile" in output
    assert (tmp_path / "test_config.json").read_text(encoding="utf-8") == whole


def test_diff_shows_every_round_and_can_be_applied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = '{\r\n  "criteria": {"tool_trajectory_avg_score": true,},\r\n  "note": "a\u2028b"\r\n}'
    (tmp_path / "test_config.json").write_bytes(text.encode())
    monkeypatch.chdir(tmp_path)
    patch = CliRunner().invoke(lint, [".", "--diff"]).stdout_bytes
    assert (tmp_path / "test_config.json").read_bytes() == text.encode()
    lines = patch.split(b"\n")
    assert lines[:2] == [b"--- test_config.json", b"+++ test_config.json"]
    assert [line for line in lines if line[:1] in b"-+\\" and line[:1]][2:] == [
        b'-  "criteria": {"tool_trajectory_avg_score": true,},\r',
        b'+  "criteria": {"tool_trajectory_avg_score": 1.0},\r',
        b"\\ No newline at end of file",
    ]
    run(".", "--fix")
    assert (tmp_path / "test_config.json").read_bytes() == text.replace("true,", "1.0").encode()
