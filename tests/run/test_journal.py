"""The journal: what is stored is durable, and read back as it was."""

from __future__ import annotations

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adk_split_eval.record import Call, Conversation, TrialResult, Turn
from adk_split_eval.run.engine import seed_of
from adk_split_eval.run.journal import Journal, JournalError, Unit

UNIT = Unit("simulated", "S-01", 0)


def test_acted_then_judged(tmp_path: Path) -> None:
    conversation = Conversation([Turn("hi", [Call("t", {"a": 1}, {"ok": True}, answered=True)], response="done")])
    with Journal(tmp_path / "j.sqlite") as journal:
        assert journal.get(UNIT) is None
        journal.store_acted(UNIT, 7, conversation, [{"invocation_id": "x"}], ["w"])
        stored = journal.get(UNIT)
        assert stored is not None
        assert stored.result is None
        journal.store_judged(UNIT, TrialResult("OK", 7, reasons=["r"]))
    with Journal(tmp_path / "j.sqlite") as journal:
        stored = journal.get(UNIT)
        assert stored is not None
        assert stored.conversation.to_json() == conversation.to_json()
        assert stored.result is not None
        assert stored.result.verdict == "OK"
        assert journal.count() == 1


@settings(max_examples=50, deadline=None)
@given(text=st.text(), key=st.text(), value=st.one_of(st.none(), st.booleans(), st.integers(), st.text()))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str, key: str, value: object) -> None:
    path = tmp_path_factory.mktemp("journal") / "j.sqlite"
    conversation = Conversation([Turn(text, [Call(text, {key: value}, {key: value}, answered=True)], response=text)])
    with Journal(path) as journal:
        journal.store_acted(UNIT, 1, conversation, [], [])
        stored = journal.get(UNIT)
    assert stored is not None
    assert stored.conversation.to_json() == conversation.to_json()


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    path.write_text("this is not a database, " * 50)
    with pytest.raises(JournalError, match="cannot be opened"):
        Journal(path)


def test_a_newer_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    with Journal(path) as journal:
        journal.set_meta("schema_version", "99")
    with pytest.raises(JournalError, match="newer"):
        Journal(path)


WRITER = """
import sys
from pathlib import Path
from adk_split_eval.record import Conversation, TrialResult, Turn
from adk_split_eval.run.journal import Journal, Unit
journal = Journal(Path(sys.argv[1]))
for number in range(10**6):
    unit = Unit("fixed", f"F-{number:06}", 0)
    journal.store_acted(unit, number, Conversation([Turn("x" * 500)]), [], [])
    journal.store_judged(unit, TrialResult("PASS", number))
    print(number, flush=True)
"""


def test_a_killed_writer_loses_nothing_it_reported(tmp_path: Path) -> None:
    path = tmp_path / "j.sqlite"
    writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True)
    assert writer.stdout is not None
    reported = -1
    for line in writer.stdout:
        reported = int(line)
        if reported >= 40:
            break
    os.kill(writer.pid, signal.SIGKILL)
    for line in writer.stdout:
        reported = int(line)
    writer.wait()
    writer.stdout.close()
    with Journal(path) as journal:
        units = {u.unit.case_id: u for u in journal.units()}
    for number in range(reported + 1):
        stored = units[f"F-{number:06}"]
        assert stored.result is not None
        assert stored.result.verdict == "PASS"


def test_seeds_depend_on_the_unit_alone() -> None:
    assert seed_of(UNIT) == seed_of(Unit("simulated", "S-01", 0))
    assert len({seed_of(Unit("fixed", f"F-{n}", t)) for n in range(50) for t in range(4)}) == 200


def test_a_journal_that_another_process_writes_to_cannot_be_claimed_meanwhile(tmp_path: Path) -> None:
    """It is an error of the journal, which a run passes over, and no traceback."""
    path = tmp_path / "journal.sqlite"
    with Journal(path) as journal, contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        journal._db.execute("PRAGMA busy_timeout = 0")
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(JournalError, match="database is locked"):
            journal.claim("1", lambda _: False)
        other.execute("ROLLBACK")
        assert journal.claim("1", lambda _: False)
