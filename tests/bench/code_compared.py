"""Forty questions about code, answered with grep by somebody who knows it well, and with Almanac's tools.

    PYTHONPATH=. .venv/bin/python tests/bench/code_compared.py [--each]

The sources come from their registries, at pinned versions; without them there is no table, and the reason is said.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from calendar_tokens import ENCODINGS, OTHERS
from fresh_process import Subject, run
from page import Table

from almanac.local.client.tool_calls import Failed, Session, session
from tests.bench.code_search.agent import Agent
from tests.bench.code_search.expert import Expert, Reading
from tests.bench.code_search.packages import Package, Unavailable, sources
from tests.bench.code_search.scores import f1
from tests.bench.code_search.tasks import Suite, Task, TaskKind, suite
from tests.bench.code_search.units import Units
from tests.integration.local.server_process import ALMANAC, environment, run_server

GREP, OURS = "grep, tuned", "**Almanac**"
_SETTLING_SECONDS = 1800
_LOOK_AGAIN_SECONDS = 3
KINDS: dict[TaskKind, str] = {
    "definition": "find a definition",
    "callers": "who calls it",
    "setting": "where is it set",
    "impact": "what breaks if it changes",
}


@dataclass(frozen=True)
class Result:
    """Of one task by one of both."""

    task: Task
    f1: float
    text: str


Results = dict[str, list[Result]]


def measure() -> Results | str:
    """The results of both, or why there are none."""
    asked = suite()
    with tempfile.TemporaryDirectory() as folder:
        try:
            files = {package.name: sources(package, Path(folder)) for package in asked.packages}
        except Unavailable as why:
            return str(why)
        data = Path(folder, "data")
        with _server(data) as calls:
            _index(calls, asked, files)
            _settle(calls, data)
            return _answer_suite(calls, asked, files)


def table(results: Results) -> Table:
    return Table(
        "Questions about code, against grep",
        "40 questions about five packages (httpx, werkzeug, logrus, mux, mobx; 10 of each kind), by somebody who greps "
        "as experts do (definitions as each language writes them, whole words, the function around each match, several "
        "searches) and by an agent with Almanac's tools on the laptop's server. F1 of the places found, against jedi, "
        "go/types, the TypeScript compiler and reading; tokens, o200k_base, of what has to be read for an answer.",
        ["kind", *(f"{who}, {what}" for what in ("F1", "tokens") for who in (GREP, OURS))],
        list(_rows(results)),
    )


def mean_f1(results: Results, who: str, kind: TaskKind) -> float:
    return fmean(each.f1 for each in results[who] if each.task.kind == kind)


def _rows(results: Results) -> Iterator[list[str]]:
    tokens = {who: _tokens([each.text for each in results[who]]) for who in (GREP, OURS)}
    for kind, title in [*KINDS.items(), (None, "all")]:
        cells = [title]
        for figures in ({who: [each.f1 for each in results[who]] for who in (GREP, OURS)}, tokens):
            for who in (GREP, OURS):
                chosen = [
                    figure
                    for figure, each in zip(figures[who], results[who], strict=True)
                    if kind in (None, each.task.kind)
                ]
                mean = fmean(chosen)
                cells.append(f"{mean:,.0f}" if figures is tokens else f"{100 * mean:.1f}")
        yield cells


def _tokens(texts: list[str]) -> list[int]:
    return run("count_tokens.py", Subject(ENCODINGS[0], ENCODINGS[0], OTHERS), texts)["tokens"]


@contextmanager
def _server(data: Path) -> Generator[Session]:
    serve = run_server([ALMANAC, "serve", "--port", "0", "--data", data])
    with serve as server, session(server.url, server.key or "") as calls:
        yield calls


def _index(calls: Session, asked: Suite, files: dict[str, dict[str, str]]) -> None:
    for package in asked.packages:
        given = [{"path": path, "content": text} for path, text in files[package.name].items()]
        for start in range(0, len(given), 100):
            last = start + 100 >= len(given)
            some = given[start : start + 100]
            answer = calls.call("index_files", {"repo_id": package.name, "files": some, "complete": last})
            if answer.is_error:
                raise SystemExit(f"{package.name} was not indexed: {answer.text}")


def _settle(calls: Session, data: Path) -> None:
    """Until all that was written can be searched, by meaning too: a new installation begins by making its vectors, and
    a later pass gives each text its context. Before that, answers depend on how fast the machine is."""
    until = time.monotonic() + _SETTLING_SECONDS
    while time.monotonic() < until:
        try:
            answer = calls.call("search_code", {"query": "settled", "k": 1})
        except Failed:
            continue
        if not answer.is_error and not answer.structured["pending"] and _has_contexts(data):
            return
        time.sleep(_LOOK_AGAIN_SECONDS)
    raise SystemExit(f"The index of code was not ready after {_SETTLING_SECONDS} s.")


def _has_contexts(data: Path) -> bool:
    told = subprocess.run(
        [ALMANAC, "search", "status", "--data", data, "--json"], env=environment(), capture_output=True, check=True
    )
    return all(row["enriched"] == row["documents"] for row in json.loads(told.stdout))


def _answer_suite(calls: Session, asked: Suite, files: dict[str, dict[str, str]]) -> Results:
    results: Results = {GREP: [], OURS: []}

    def call(tool: str, **arguments: Any) -> tuple[str, Any]:
        """A refusal is an answer, too: with its text, and nothing found."""
        answer = calls.call(tool, arguments)
        return answer.text, {} if answer.is_error else answer.structured

    for package in asked.packages:
        expert, agent = _both(package, files[package.name], call)
        for task in asked.tasks:
            if task.package == package.name:
                for who, whose in ((GREP, expert), (OURS, agent)):
                    reading: Reading = getattr(whose, task.kind)(task)
                    results[who].append(Result(task, f1(task, reading.places), reading.text))
    return results


def _both(package: Package, files: dict[str, str], call: Callable[..., tuple[str, Any]]) -> tuple[Expert, Agent]:
    units = Units(files)
    return Expert(files, units), Agent(call, package.name, units)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--each", action="store_true", help="Show each task as well.")
    chosen = options.parse_args()
    results = measure()
    if isinstance(results, str):
        raise SystemExit(results)
    if chosen.each:
        for grepped, ours in zip(results[GREP], results[OURS], strict=True):
            task = ours.task
            what = task.symbol or task.question
            sys.stdout.write(
                f"{task.kind} {what}: {grepped.f1:.2f} {ours.f1:.2f} {len(grepped.text)} {len(ours.text)}\n"
            )
    sys.stdout.write(f"{table(results).markdown()}\n")


if __name__ == "__main__":
    main()
