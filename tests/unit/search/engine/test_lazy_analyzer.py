"""The deriver changes once, when the table of vectors is there, and costs nothing before it is needed."""

import subprocess
import sys

from almanac.search.engine.lazy_analyzer import Derivers
from almanac.search.port import Document
from tests.doubles.five_words import Table


class PendingVectors:
    """Vectors that become available later."""

    def __init__(self) -> None:
        self.there: Table | None = None

    def ready(self) -> Table | None:
        return self.there


def test_it_is_of_words_until_there_is_a_table_and_then_of_both() -> None:
    vectors = PendingVectors()
    derivers = Derivers(vectors)
    first = derivers()
    document = Document(id="a", kind="thing", profile="documents", version=1, text="boat")
    assert derivers() is first
    assert (derivers.vectors_of(), first.entry(document).embedder) == ("", "")
    vectors.there = Table()
    second = derivers()
    assert second is derivers() is not first
    assert (derivers.vectors_of(), second.entry(document).embedder) == ("five words/1", "five words/1")


def test_neither_who_writes_nor_who_opens_search_loads_what_ranking_needs() -> None:
    program = """
import sys
from almanac.composition.families import declaration, every_job, every_reaction
from almanac.composition.search import without_index
from almanac.platform.services import Services
declaration("planner").open(Services({}))
indexing = without_index()
assert indexing.vectors_of() == ""
every_reaction(), every_job()
print([name for name in ("numpy", "Stemmer", "opensearchpy") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"
