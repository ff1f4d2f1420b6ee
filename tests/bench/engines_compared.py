"""Resolving, expanding and validating, beside what others use for it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from fresh_process import HERE, ROOT, Subject, in_turn, quickest_runs
from page import Table, times, us
from phrases import ANCHOR, EXPRESSIONS, LOCAL_TIMES

OTHERS = ROOT / ".tools/bench/bin/python"
NODE_PACKAGES = ROOT / ".tools/bench/node"
PYTHON = Path(sys.executable)
ROUNDS = 3

ALMANAC = Subject("**Almanac**, `resolve_datetime`", "resolve_almanac", PYTHON)
CHRONO = Subject("chrono-node", "resolve_chrono.mjs", PYTHON)
PARSERS = (
    ALMANAC,
    Subject("dateparser", "resolve_dateparser", OTHERS),
    Subject("parsedatetime", "resolve_parsedatetime", OTHERS),
)
EXPAND = (Subject("Almanac", "expand_almanac", PYTHON), Subject("dateutil", "expand_dateutil", PYTHON))
VALIDATE = (Subject("Almanac", "validate_almanac", PYTHON), Subject("dateutil", "validate_dateutil", PYTHON))

ByInput = dict[str, dict[str, float]]


def measure(subjects: tuple[Subject, ...]) -> dict[Subject, ByInput]:
    """Subject -> input -> us, and understood (1 or 0)."""
    runs = in_turn("engine_speed.py", dict.fromkeys(subjects), ROUNDS)
    return {subject: quickest_runs(each) for subject, each in runs.items()}


def chrono() -> ByInput | None:
    """chrono-node's figures; None where there is no Node or the package is not installed."""
    node = shutil.which("node")
    if node is None or not (NODE_PACKAGES / "node_modules/chrono-node").is_dir():
        return None
    task = {"anchor": ANCHOR, "expressions": EXPRESSIONS, "warmUp": 5, "calls": 200}
    finished = subprocess.run(
        [node, HERE / "engines" / CHRONO.module, f"{NODE_PACKAGES}/"],
        input=json.dumps(task),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode:
        raise SystemExit(f"chrono-node failed:\n{finished.stderr}")
    return json.loads(finished.stdout)


def resolve_table(figures: dict[Subject, ByInput]) -> Table:
    ours = middle(figures[ALMANAC])
    rows: list[list[str]] = []
    for subject, by_input in figures.items():
        slowest = max(by_input.values(), key=lambda one: one["us"])["us"]
        answered = sum(bool(one["understood"]) for one in by_input.values())
        cells = [us(middle(by_input)), us(slowest), f"{answered} of {len(by_input)}"]
        rows.append([subject.title, *cells, times(middle(by_input), ours)])
    return Table(
        "Expressions in words",
        f"{len(EXPRESSIONS)} everyday expressions, each with a moving anchor: the median one and the slowest. Answered "
        "says that something came back, not that it was right: parsedatetime answers what it half understands, and "
        "Almanac also writes out the interpretation, checks for gaps and overlaps and formats the result.",
        ["engine", "median, µs", "slowest, µs", "answered", "of ours"],
        rows,
    )


def beside_dateutil(title: str, note: str, first: str, figures: dict[Subject, ByInput]) -> Table:
    ours, theirs = figures.values()
    rows = [
        [name, us(one["us"]), us(theirs[name]["us"]), times(theirs[name]["us"], one["us"])]
        for name, one in ours.items()
    ]
    return Table(title, note, [first, "**Almanac**, µs", "dateutil, µs", "of ours"], rows)


def expand_table(figures: dict[Subject, ByInput]) -> Table:
    note = (
        "`expand_rrule` with everything it does: parsing, the guard, gaps and overlaps, each instance written out in "
        "UTC and local time. dateutil only yields them."
    )
    return beside_dateutil("Recurrence rules", note, "rule", figures)


def validate_table(figures: dict[Subject, ByInput]) -> Table:
    note = (
        f"{len(LOCAL_TIMES)} local times, some in gaps and overlaps. `validate_local_datetime` says what is wrong and "
        "proposes what would be right; dateutil's `datetime_exists` and `datetime_ambiguous` say yes or no."
    )
    return beside_dateutil("Local times", note, "local time", figures)


def middle(by_input: dict[str, Any]) -> float:
    return median(one["us"] for one in by_input.values())
