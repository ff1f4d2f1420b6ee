"""Search among made talk: what a question takes on SQLite and, where it is installed, on a node of OpenSearch.

    PYTHONPATH=. .venv/bin/python tests/bench/search_speed.py [--turns 58820]

Beside it, in the same run, SQLite's own full-text search of the same turns with the same words, which knows neither
meaning nor neighbours. Words come as often as those of a language do.
"""

import argparse
import itertools
import re
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from random import Random

from fresh_process import ROOT
from page import Table

from almanac.kernel.caller import Scope
from almanac.platform.embedder.layer_model import LayerVectors
from almanac.platform.embedder.port import StaticEmbedder
from almanac.search.analysis.derivation import Deriver
from almanac.search.opensearch.calls import Patience, connect
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import LEGS, Document, Filters, SearchIndex
from almanac.search.ranking.rank import judge, rank_hits
from almanac.search.sqlite.index import SqliteIndex
from tests.opensearch import artefacts
from tests.opensearch.node import INSTALLED
from tests.opensearch.node import run_node as running_node

SCOPE = Scope("bench", "talk")
TURNS, QUESTIONS, WARM_UP, SESSION = 58_820, 200, 40, 30
AT_ONCE = 200
SQLITE, OPENSEARCH, FULL_TEXT = "**SQLite, in process**", "**OpenSearch, over HTTP**", "FTS5, any of the words"


@dataclass(frozen=True)
class Figures:
    """Sorted milliseconds of questions; turns written a second, with words and vectors."""

    questions: list[float]
    written: float

    def at(self, share: float) -> float:
        return self.questions[int(share * (len(self.questions) - 1))]


class Talk:
    """The same turns and questions each time, of the words of this repository's pages."""

    def __init__(self) -> None:
        pages = " ".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "docs").rglob("*.md")))
        words = sorted(set(re.findall(r"\b[a-z]{2,12}\b", pages)))
        self._random = Random(13)
        self._random.shuffle(words)
        self._words = words
        self._weights = list(accumulate(1 / rank for rank in range(1, len(words) + 1)))

    def turns(self, count: int) -> Iterator[Document]:
        for number in range(count):
            session, position = divmod(number, SESSION)
            yield Document(
                id=f"{number:08}",
                kind="turn",
                profile="talk",
                version=1,
                text=self.sentence(self._random.choice([8, 15, 25, 45])),
                session=f"session {session}",
                position=position,
                role="user",
                speaker=("Ann", "Ben")[position % 2],
                at=1_700_000_000_000 + session * 3_600_000,
            )

    def sentence(self, length: int) -> str:
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=length))


def measure(turns: int = TURNS) -> dict[str, Figures]:
    static = LayerVectors(ROOT / ".aws-sam/embedder").ready()
    if static is None:
        raise SystemExit("There is no table of vectors: `make embedder` makes it.")
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        figures = {
            FULL_TEXT: _full_text(turns),
            SQLITE: _measure_indexing(SqliteIndex(folder / "index"), static, turns),
        }
        if artefacts.missing_requirement(INSTALLED) is None:
            node = stack.enter_context(running_node(folder / "node"))
            index = OpenSearchIndex(connect(node.endpoint), "bench", sleep=time.sleep, patience=Patience(60, 60))
            figures[OPENSEARCH] = _measure_indexing(index, static, turns)
    return figures


def _measure_indexing(index: SearchIndex, static: StaticEmbedder, turns: int) -> Figures:
    deriver, talk = Deriver(static), Talk()
    began = time.perf_counter()
    for some in _batches(talk.turns(turns)):
        index.index(SCOPE, [deriver.entry(turn) for turn in some])
    written = turns / (time.perf_counter() - began)

    def ask(question: str) -> None:
        asked = deriver.parse_question(question, "talk")
        frame = index.candidates(SCOPE, "talk", asked.question, Filters(), LEGS, 100)
        rank_hits(asked, frame, judge(asked, frame, "talk", 10), "talk", limit=10)

    return Figures(_time_questions(ask, talk), written)


def _full_text(turns: int) -> Figures:
    talk, table = Talk(), sqlite3.connect(":memory:")
    table.execute("CREATE VIRTUAL TABLE turns USING fts5(text, tokenize='porter')")
    began = time.perf_counter()
    for some in _batches(talk.turns(turns)):
        table.executemany("INSERT INTO turns VALUES (?)", [(turn.text,) for turn in some])
    written = turns / (time.perf_counter() - began)

    def ask(question: str) -> None:
        words = " OR ".join(f'"{word}"' for word in question.split())
        table.execute("SELECT rowid FROM turns WHERE turns MATCH ? ORDER BY rank LIMIT 10", (words,)).fetchall()

    return Figures(_time_questions(ask, talk), written)


def _batches(turns: Iterator[Document]) -> Iterator[Sequence[Document]]:
    while some := list(itertools.islice(turns, AT_ONCE)):
        yield some


def _time_questions(ask: Callable[[str], None], talk: Talk) -> list[float]:
    taken: list[float] = []
    for number in range(WARM_UP + QUESTIONS):
        question = talk.sentence(9)
        began = time.perf_counter()
        ask(question)
        if number >= WARM_UP:
            taken.append((time.perf_counter() - began) * 1000)
    return sorted(taken)


def table(figures: dict[str, Figures], turns: int = TURNS) -> Table:
    return Table(
        "Search",
        f"Milliseconds of {QUESTIONS} questions of 9 words among {turns:,} made turns in one project, one at a time, "
        "by words and by the static table, from the question's text to ten ranked hits. Written: turns a second, with "
        "words and vectors. FTS5 is in memory, and ranks by words alone.",
        ["engine", "p50", "p95", "written"],
        [[name, f"{of.at(0.5):.1f}", f"{of.at(0.95):.1f}", f"{of.written:,.0f}"] for name, of in figures.items()],
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--turns", type=int, default=TURNS)
    turns = options.parse_args().turns
    sys.stdout.write(f"{table(measure(turns), turns).markdown()}\n")


if __name__ == "__main__":
    main()
