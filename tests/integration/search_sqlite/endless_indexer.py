"""Indexes, removes, enriches and rebuilds until it is killed, and says each number once what it did is acknowledged.

python -m tests.integration.search_sqlite.endless_indexer FOLDER FIRST

Number n is the version of document n % 20. Every seventh removes it; every fiftieth begins a rebuild, which goes
through all documents, and the twentieth after that finishes it.
"""

import sys
from itertools import count
from pathlib import Path

from almanac.kernel.caller import Scope
from almanac.search.port import Entry, Removal
from almanac.search.sqlite.index import SqliteIndex
from tests.contract.search.index_samples import context, entry

SCOPE = Scope("acme", "web")
DOCUMENTS = 20


def is_removal(number: int) -> bool:
    return number % 7 == 3


def latest(document: int, number: int) -> int:
    """The last version of a document once `number` is done; negative where it has none."""
    return number - (number - document) % DOCUMENTS


def entry_of(number: int) -> Entry:
    text = f"tea number{number} " + "milk " * (number * 37 % 300)
    return entry(f"{number % DOCUMENTS}", text, version=number, session="s", position=number % DOCUMENTS)


def main(folder: str, first: str) -> None:
    index, begun = SqliteIndex(Path(folder)), False
    for number in count(int(first)):
        if number % 50 == 0:
            begun = True
            index.start_rebuild()
            for document in range(DOCUMENTS):
                _write(index, latest(document, number - 1))
        if number % 50 == 20 and begun:
            index.finish_rebuild()
        _write(index, number)
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def _write(index: SqliteIndex, number: int) -> None:
    if number < 0:
        return
    if is_removal(number):
        index.remove(SCOPE, [Removal(id=f"{number % DOCUMENTS}", profile="talk", version=number)])
    else:
        index.index(SCOPE, [entry_of(number)])
        index.enrich(SCOPE, [context(entry_of(number), "ginger tea")])


if __name__ == "__main__":
    main(*sys.argv[1:])
