"""Test that the files of a killed indexing process open whole, with all acknowledged writes."""

import random
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from almanac.search.port import LEGS, Filters
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.index_samples import question
from tests.integration.search_sqlite.endless_indexer import DOCUMENTS, SCOPE, entry_of, is_removal, latest

ROUNDS = 20
ROOT = Path(__file__).parents[3]


@pytest.mark.slow
def test_a_killed_indexer_loses_nothing_it_acknowledged(tmp_path: Path):
    folder, chance, last = tmp_path / "search", random.Random(9), -1
    for _ in range(ROUNDS):
        last = _index_and_kill(folder, last + 1, chance.randint(1, 90))
        lost: list[str] = []
        index = SqliteIndex(folder, lost=lost.append)
        versions = {each.id: each.version for each in index.list_states(SCOPE, "talk")}
        for document in range(DOCUMENTS):
            # What it did not come to acknowledge may be there as well.
            may_be = {latest(document, last), latest(document, last + 1)}
            assert versions.get(f"{document}", document - DOCUMENTS) in may_be, "an acknowledged write is lost"
        _check_answers(index, versions)
        assert lost == []
        index.close()
        last = max(last, *versions.values())
    for file in folder.glob("*/*.db"):
        with closing(sqlite3.connect(file)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def _check_answers(index: SqliteIndex, versions: dict[str, int]) -> None:
    there = {name: version for name, version in versions.items() if not is_removal(version)}
    for held in index.list_states(SCOPE, "talk"):
        assert held.removed == (held.id not in there)
    frame = index.candidates(SCOPE, "talk", question("tea milk"), Filters(), LEGS, 100)
    assert dict(zip(frame.ids, frame.versions, strict=True)) == there
    assert frame.documents == frame.text_statistics.frequencies[0] == len(there), "words of another version"
    written = [entry_of(version).text for version in frame.versions]
    assert frame.text.tf[:, 1].tolist() == [text.terms.get("milk", 0) for text in written]
    assert frame.text.length.tolist() == [text.length for text in written]
    assert [each.tobytes() for each in frame.text.pieces] == [text.pieces for text in written]


def _index_and_kill(folder: Path, first: int, lines: int) -> int:
    """Kill an indexing process amid its work, and return the last acknowledged number."""
    command = [sys.executable, "-m", "tests.integration.search_sqlite.endless_indexer", str(folder), str(first)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as indexer:
        assert indexer.stdout is not None
        said = [indexer.stdout.readline() for _ in range(lines)]
        indexer.kill()
        said += indexer.stdout.readlines()
    return max(int(line) for line in said if line.endswith("\n"))
