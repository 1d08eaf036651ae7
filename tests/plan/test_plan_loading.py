"""Loading: what is merged, expanded, rejected and refused, and where everything stands."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from adk_split_eval.plan import PlanError, find_plan, load_plan
from adk_split_eval.plan.models import FrozenCase

HERE = Path(__file__).parent

FIXED = "fixed_set: {cases: [{case_id: F-01, turns: [{user: hello, expect_tools: [look]}]}]}\n"
FROZEN = """\
plan_id: demo
cases:
  - case_id: F-S-02
    goal: to hear what the insurance pays
    turns:
      - {user: "wait\\u2028no", expect_tools: [look], tool_results: [{name: look, response: {orders: []}}]}
    grounded_numbers: true
    replay_tools: true
    provenance: {candidate: S-02-1a2b.yaml, fingerprint: 1a2b, invented_later: [1]}
    pending: {owner: team, until: "2027-01-31"}
"""


def write(folder: Path, text: str, name: str = "demo.plan.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refused(path: Path) -> list[str]:
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    return [finding.code for finding in caught.value.findings]


def test_acceptance_plan() -> None:
    loaded = load_plan(HERE / "data" / "refund_desk.plan.yaml")
    assert loaded.plan.plan_id == "refund_desk_acceptance"
    assert loaded.plan.fixed_set and loaded.plan.sim_set
    assert [case.case_id for case in loaded.plan.fixed_set.cases] == ["F-01", "F-02"]
    assert [case.case_id for case in loaded.plan.sim_set.cases] == ["S-01", "S-02"]
    (rejected,) = loaded.rejected
    assert (rejected.set, rejected.case_id) == ("simulated", "S-03")
    (finding,) = rejected.findings
    assert finding.code == "ASE101" and "expect_tools" in finding.message
    assert (finding.line, finding.column) == (44, 7)
    assert loaded.findings == [finding]


def test_places_of_cases_and_of_the_plan() -> None:
    loaded = load_plan(HERE / "data" / "refund_desk.plan.yaml")
    assert loaded.plan.fixed_set
    second = loaded.plan.fixed_set.cases[1]
    place = loaded.place(second, "turns", 0, "user")
    assert (place.line, place.column, place.end_line, place.end_column) == (17, 18, 17, 29)
    assert loaded.place(second, "order_rules", key=True).line == 18
    assert loaded.place(None, "sim_set", "criteria", "goal_reached_v1", key=True).line == 21
    assert loaded.place(second, "nowhere", 3).line == loaded.place(second).line


def test_frozen_cases_join_the_fixed_set(tmp_path: Path) -> None:
    plan = write(tmp_path, "plan_id: demo\n" + FIXED)
    write(tmp_path, FROZEN, "demo.frozen.yaml")
    loaded = load_plan(plan)
    assert loaded.plan.fixed_set
    authored, frozen = loaded.plan.fixed_set.cases
    assert authored.frozen is None and isinstance(frozen, FrozenCase) and frozen.frozen is frozen
    assert frozen.turns[0].user == "wait\u2028no"
    assert frozen.turns[0].tool_results and frozen.turns[0].tool_results[0].response == {"orders": []}
    assert frozen.provenance and frozen.provenance.model_extra == {"invented_later": [1]}
    assert frozen.pending and frozen.pending.until_date.year == 2027
    assert loaded.frozen_path == tmp_path / "demo.frozen.yaml"
    place = loaded.place(frozen, "turns", 0, "user")
    assert (Path(place.path).name, place.line) == ("demo.frozen.yaml", 5 + 1)


def test_frozen_cases_alone_make_a_fixed_set(tmp_path: Path) -> None:
    plan = write(tmp_path, "plan_id: demo\n")
    write(tmp_path, FROZEN, "demo.frozen.yaml")
    loaded = load_plan(plan)
    assert loaded.plan.fixed_set and [case.case_id for case in loaded.plan.fixed_set.cases] == ["F-S-02"]


def test_frozen_cases_that_no_plan_reads_are_an_error(tmp_path: Path) -> None:
    plan = write(tmp_path, "plan_id: renamed\n" + FIXED)
    write(tmp_path, FROZEN, "demo.frozen.yaml")
    with pytest.raises(PlanError, match=r"demo\.frozen\.yaml:1:1: ASE045 .*guard nothing"):
        load_plan(plan)
    other = write(tmp_path, "plan_id: demo\n" + FIXED, "second.plan.yaml")
    assert load_plan(plan) and load_plan(other).plan.fixed_set
    write(tmp_path, "plan_id: [", "second.plan.yaml")
    assert load_plan(plan)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (("plan_id: demo", "plan_id: other"), "ASE042"),
        (("F-S-02", "F-01"), "ASE020"),
        (("goal:", "gaol:"), "ASE010"),
        (("until: ", "until: 2027-01-31 #"), "ASE006"),
        (('"2027-01-31"', '"soon"'), "ASE013"),
        (("plan_id: demo\n", ""), "ASE012"),
        (("cases:", "cases: [}"), "ASE003"),
    ],
)
def test_errors_are_located_in_the_frozen_file(tmp_path: Path, change: tuple[str, str], code: str) -> None:
    plan = write(tmp_path, "plan_id: demo\n" + FIXED)
    write(tmp_path, FROZEN.replace(*change), "demo.frozen.yaml")
    with pytest.raises(PlanError) as caught:
        load_plan(plan)
    assert code in [finding.code for finding in caught.value.findings]
    assert all(Path(finding.path).name == "demo.frozen.yaml" for finding in caught.value.findings)
    assert all(finding.line for finding in caught.value.findings)


def test_a_hole_rejects_the_frozen_case_only(tmp_path: Path) -> None:
    plan = write(tmp_path, "plan_id: demo\n" + FIXED)
    write(tmp_path, FROZEN.replace("expect_tools: [look]", "expect_tools: TODO"), "demo.frozen.yaml")
    loaded = load_plan(plan)
    assert [(one.case_id, one.findings[0].code) for one in loaded.rejected] == [("F-S-02", "ASE033")]
    assert loaded.plan.fixed_set and len(loaded.plan.fixed_set.cases) == 1


def test_good_golden_loads_with_its_spread() -> None:
    loaded = load_plan(HERE / "golden" / "good.plan.yaml")
    assert not loaded.rejected and loaded.plan.sim_set
    cases = loaded.plan.sim_set.cases
    assert [case.case_id for case in cases] == ["S-01", "S-02-mine", "S-02-complaining", "S-03"]
    assert [case.persona for case in cases[:3]] == ["hurried", "mine", "complaining"]
    assert cases[1].personas is None
    assert cases[1].origin == cases[2].origin
    assert cases[3].process is False


def test_spread_over_all_personas(tmp_path: Path) -> None:
    text = "plan_id: demo\nmodels: {judge: j}\nsim_set: {cases: [{case_id: S, personas: all, starting_prompt: a, goal: b}]}\n"
    loaded = load_plan(write(tmp_path, text))
    assert loaded.plan.sim_set
    names = [case.case_id for case in loaded.plan.sim_set.cases]
    assert len(names) == 11 and names == sorted(names) and "S-hurried" in names


def test_documents_of_evidence_are_read(tmp_path: Path) -> None:
    process = "process: {evidence: {event: {tool: ask}, cites: args.id, source: {file: cv.json}}}\n"
    plan = write(tmp_path, "plan_id: demo\n" + FIXED + process)
    assert refused(plan) == ["ASE027"]
    write(tmp_path, '{"id": "cv", "fragments": {"p1": "text"}}', "cv.json")
    load_plan(plan)
    write(tmp_path, '{"id": "cv"}', "cv.json")
    assert refused(plan) == ["ASE027"]


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"plan_id: d\xff\n", "ASE002"),
        ("plan_id: demo\n".encode("utf-16"), "ASE002"),
        (b"", "ASE004"),
        (b"\xef\xbb\xbf", "ASE004"),
        (b"plan_id: demo\x00\n", "ASE003"),
        (b"[" * 100_000, "ASE003"),
        (b"a: " * 50_000, "ASE003"),
    ],
)
def test_unusable_bytes(tmp_path: Path, raw: bytes, code: str) -> None:
    path = tmp_path / "demo.plan.yaml"
    path.write_bytes(raw)
    assert refused(path) == [code]


def test_place_of_a_byte_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "demo.plan.yaml"
    path.write_bytes("\ufeffplan_id: demo\nagent: 你好".encode() + b"\xfe\n")
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert (caught.value.findings[0].line, caught.value.findings[0].column) == (2, 10)
    assert "0xfe" in caught.value.findings[0].message
    path.write_bytes("plan_id: demo\nagent: 你好".encode() + b"\xff\n")
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert (caught.value.findings[0].line, caught.value.findings[0].column) == (2, 10)
    assert "0xff" in caught.value.findings[0].message


def test_byte_order_mark_and_crlf_are_fine(tmp_path: Path) -> None:
    path = tmp_path / "demo.plan.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + ("plan_id: demo\n" + FIXED).replace("\n", "\r\n").encode())
    assert load_plan(path).plan.plan_id == "demo"


def test_missing_file_and_folder(tmp_path: Path) -> None:
    assert refused(tmp_path / "none.yaml") == ["ASE001"]
    assert refused(tmp_path) == ["ASE001"]
    assert refused(Path("no\x00name")) == ["ASE001"]


def test_alias_bomb_is_bounded(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    assert refused(write(tmp_path, "\n".join(lines) + "\n")) == ["ASE007"]


def test_aliases_are_fine(tmp_path: Path) -> None:
    text = (
        "plan_id: demo\nfixed_set:\n  cases:\n"
        "    - {case_id: F-01, turns: &turns [{user: hello, expect_tools: [look]}]}\n"
        "    - {case_id: F-02, turns: *turns}\n"
    )
    loaded = load_plan(write(tmp_path, text))
    assert loaded.plan.fixed_set
    assert loaded.plan.fixed_set.cases[0].turns == loaded.plan.fixed_set.cases[1].turns


def test_deep_but_legal_values(tmp_path: Path) -> None:
    deep = "[" * 150 + "]" * 150
    loaded = load_plan(write(tmp_path, f"plan_id: demo\nsession_input: {{state: {{deep: {deep}}}}}\n" + FIXED))
    assert loaded.plan.session_input
    assert refused(
        write(tmp_path, f"plan_id: demo\nsession_input: {{state: {{deep: {'[' * 300 + ']' * 300}}}}}\n")
    ) == ["ASE007"]


def test_find_plan(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="ASE040"):
        find_plan(tmp_path)
    first = write(tmp_path, "plan_id: demo\n" + FIXED)
    write(tmp_path, FROZEN, "demo.frozen.yaml")
    assert find_plan(tmp_path) == first
    write(tmp_path, "", "other.plan.yaml")
    with pytest.raises(PlanError, match=r"ASE041.*demo\.plan\.yaml, other\.plan\.yaml"):
        find_plan(tmp_path)
    with pytest.raises(PlanError, match="ASE001"):
        find_plan(tmp_path / "nowhere")


def test_errors_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, "plan_id: demo\nzzz: 1\nfixed_set: {cases: [{case_id: F-01, turns: []}]}\naaa: 2\n")
    with pytest.raises(PlanError) as caught:
        load_plan(path)
    assert [finding.line for finding in caught.value.findings] == [2, 3, 4]


def test_plan_error_carries_case_errors_too(tmp_path: Path) -> None:
    text = "plan_id: demo\nzzz: 1\nfixed_set: {cases: [{case_id: F-01, turns: [{user: ''}]}]}\n"
    assert refused(write(tmp_path, text)) == ["ASE010", "ASE031"]


def test_checking_needs_no_pydantic() -> None:
    plan = HERE / "golden" / "good.plan.yaml"
    program = (
        "import sys; from adk_split_eval.plan.checking import check_plan; "
        f"assert not check_plan({str(plan)!r}).findings; sys.exit('pydantic' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
