"""10,000 notes and 5,000 journal entries: `python -m tests.bench.notes_speed`; exit status 1 over the budget.

Milliseconds of a call on SQLite, medians of 40, and what it takes of DynamoDB's request units. The words of the texts
are as common as those of a language are: the second half as often as the first, a third of that the third.
"""

import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from almanac.kernel.clock import SystemClock
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.search.sqlite.index import SqliteIndex
from tests.bench.metered_store import MeteredStore
from tests.project_app import ProjectApp
from tests.unit.families.planner.searched_planner import SearchedPlanner

NOTES, ENTRIES, CALLS = 10_000, 5_000, 40
BUDGET_MS = 5.0
LISTS = ("notes_search", "journal_list")
TAGS = ("work", "home", "idea", "todo", "later", "done")


class Words:
    def __init__(self, random: Random) -> None:
        syllables = [consonant + vowel for consonant in "bcdfghjklmnprstvz" for vowel in "aeiou"]
        lengths = [1, 2, 2, 3, 3, 4]
        made = ("".join(random.choices(syllables, k=random.choice(lengths))) for _ in range(20_000))
        self.by_rank = list(dict.fromkeys(made))[:12_000]
        self._weights = list(accumulate(1 / rank for rank in range(1, len(self.by_rank) + 1)))
        self._random = random

    def text(self, length: int) -> str:
        return " ".join(self._random.choices(self.by_rank, cum_weights=self._weights, k=length))


def fill(app: ProjectApp, words: Words, random: Random) -> float:
    """Milliseconds per note created."""
    ids: list[str] = []
    began = time.perf_counter()
    for number in range(NOTES):
        body = f"{words.text(random.choice([40, 80, 150, 250]))} src/m{number % 97}/f{number}.py #{number}"
        parent = random.choice(ids[:50]) if ids and number % 2 else ""
        tags = random.sample(TAGS, 2)
        ids.append(app.do("notes_create", title=words.text(4), body=body, tags=tags, parentId=parent)["id"])
    taken = (time.perf_counter() - began) / NOTES * 1000
    for _ in range(ENTRIES):
        day = f"20{random.randrange(10, 26)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}"
        mood = random.choice(["calm", "busy"])
        app.do("journal_create", title=words.text(3), body=words.text(60), date=day, mood=mood, tags=["a"])
    return taken


def measured_calls(words: Words, some_note: str) -> Sequence[tuple[str, Mapping[str, Any]]]:
    rank = words.by_rank
    return [
        ("notes_search", {}),
        ("notes_search", {"limit": 100}),
        ("notes_search", {"tag": "work"}),
        ("notes_search", {"parentId": ""}),
        ("notes_search", {"q": "f5000.py"}),
        ("notes_search", {"q": "#77"}),
        ("notes_search", {"q": "src/m5/"}),
        ("notes_search", {"q": rank[0]}),
        ("notes_search", {"q": rank[1000]}),
        ("notes_search", {"q": f"{rank[200]} {rank[300]}"}),
        ("notes_search", {"q": f"{rank[2000]} {rank[3]}"}),
        ("notes_search", {"q": rank[500][:2]}),
        ("notes_search", {"q": "absent"}),
        ("notes_get", {"noteId": some_note}),
        ("journal_list", {}),
        ("journal_list", {"dateFrom": "2015-01-01", "dateTo": "2015-03-01"}),
        ("journal_list", {"q": rank[50]}),
        ("journal_list", {"tag": "a", "mood": "calm"}),
        ("notes_create", {"title": "x", "body": words.text(100)}),
    ]


def median_milliseconds(app: ProjectApp, tool: str, arguments: Mapping[str, Any]) -> float:
    """Milliseconds of a call."""
    taken: list[float] = []
    for _ in range(CALLS):
        began = time.perf_counter()
        app.do(tool, **arguments)
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


def main() -> int:
    random = Random(4)
    words = Words(random)
    with tempfile.TemporaryDirectory() as folder:
        clock = SystemClock()
        store = SqliteStore(Path(folder) / "almanac.db", clock=clock, cursor_secret=b"c" * 32)
        meter = MeteredStore(store)
        index = SqliteIndex(Path(folder) / "search")
        app, metered = (SearchedPlanner(Path(folder), store=each, index=index) for each in (store, meter))
        print(f"a note is created in {fill(app, words, random):.1f} ms")
        app.rebuild_index()
        assert app.verify_index().fresh == 0
        print(f"{'call':64} {'ms':>6} {'read':>6} {'write':>6}")
        slow = 0
        some_note = app.do("notes_search", q="f7001.py")["notes"][0]["id"]
        for tool, arguments in measured_calls(words, some_note):
            meter.reset()
            metered.do(tool, **arguments)
            taken = median_milliseconds(app, tool, arguments)
            slow += taken > BUDGET_MS and tool in LISTS
            shown = f"{tool} {dict(arguments) if tool in LISTS else ''}"[:64]
            print(f"{shown:64} {taken:6.2f} {meter.read:6} {meter.written:6}", flush=True)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
