"""What `format: toon` saves: the answers of list_events as JSON and as TOON, in tokens."""

import tempfile
from pathlib import Path

from calendar_agent import Agent
from calendar_year import YEAR, fill, open_store
from fresh_process import ROOT, Subject, run
from page import Table

OTHERS = ROOT / ".tools/bench/bin/python"
ENCODINGS = ("o200k_base", "cl100k_base")
SIZES = (10, 50, 500)

Counts = dict[int, dict[str, tuple[int, int]]]


def measure() -> Counts:
    """By the number of events, of each encoding (and of `bytes`): what the JSON takes, and what the TOON."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_store(Path(folder))
        fill(store)
        agent = Agent(store)
        answers = {
            size: [agent.do("list_events", **YEAR, limit=size, format=name) for name in ("json", "toon")]
            for size in SIZES
        }
    return {size: _count_tokens(texts) for size, texts in answers.items()}


def saved_part(pair: tuple[int, int]) -> float:
    """The part of the JSON's tokens that the TOON does not take."""
    return 1 - pair[1] / pair[0]


def table(counts: Counts) -> Table:
    rows = [
        [str(size), *(f"{count:,}" for count in by["bytes"])]
        + [
            cell
            for name in ENCODINGS
            for cell in (*(f"{count:,}" for count in by[name]), f"{saved_part(by[name]):.0%}")
        ]
        for size, by in counts.items()
    ]
    return Table(
        "Events as TOON",
        "The whole answer of `list_events` as a model reads it, as JSON and with `format: toon`, for events with and "
        "without places, guests and descriptions. Tokens as OpenAI's o200k_base (GPT-4o) and cl100k_base (GPT-4) split "
        "the text; other models split it a little differently.",
        ["events", "JSON, bytes", "TOON, bytes"]
        + [title for name in ENCODINGS for title in (f"JSON, tokens {name}", "TOON", "saved")],
        rows,
    )


def _count_tokens(texts: list[str]) -> dict[str, tuple[int, int]]:
    found = {name: run("count_tokens.py", Subject(name, name, OTHERS), texts)["tokens"] for name in ENCODINGS}
    found["bytes"] = [len(text.encode()) for text in texts]
    return {name: (as_json, as_toon) for name, (as_json, as_toon) in found.items()}
