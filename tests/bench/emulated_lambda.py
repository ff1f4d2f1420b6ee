"""Cold starts and warm calls of the built functions under the runtime interface emulator, beside others'."""

import json
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import inf
from statistics import median

import page
from emulated_functions import AWSLABS, SDK, SESSIONS, STORING, UNTIMED, Event, Subject
from lambda_emulator import Emulator, emulator

COLD, WARM = 8, 300


@dataclass(frozen=True)
class Figures:
    """Sorted milliseconds from event to answer, `cpu` those of processor until the first; the most memory, in MB."""

    cold: list[float]
    cpu: list[float]
    calls: list[float]
    lists: list[float]
    peak_megabytes: float

    @property
    def median_cold(self) -> float:
        return median(self.cold)


def measure(subjects: Sequence[Subject]) -> dict[str, Figures]:
    """By the functions' titles. Cold starts take turns, so that a busy moment hits them all."""
    for subject in subjects:
        _start(subject)  # writes bytecode where none was delivered
    cold: dict[str, list[tuple[float, float]]] = {subject.function.title: [] for subject in subjects}
    for _ in range(COLD):
        for subject in subjects:
            cold[subject.function.title].append(_start(subject))
    return {subject.function.title: _warm(subject, cold[subject.function.title]) for subject in subjects}


def least_cpu(subjects: Sequence[Subject]) -> dict[str, float]:
    """Milliseconds of processor until the first answer, by the functions' titles: the least of starts in turns. A start
    that got no answer of the store in time, as on a busy machine, is left out."""
    least: dict[str, float] = {}
    for _ in range(1 + COLD):  # the first writes bytecode where none was delivered
        for subject in subjects:
            title = subject.function.title
            with suppress(SystemExit):
                least[title] = min(_start(subject)[1], least.get(title, inf))
    if lacking := [each.function.title for each in subjects if each.function.title not in least]:
        raise SystemExit(f"{', '.join(lacking)}: no start was answered.")
    return least


def starts_table(cpu: dict[str, float]) -> page.Table:
    return page.Table(
        "Cold starts by processor time",
        "Milliseconds of processor that the Python process of a function takes until its first answer, under Lambda's "
        f"runtime interface emulator: the least of {COLD} starts of each, which take turns, as a part of what "
        "awslabs.mcp-lambda-handler takes with its sessions in DynamoDB. Search by meaning finds turns among sixteen.",
        ["function", "CPU ms", "part"],
        [[title, f"{taken:.0f}", f"{taken / cpu[SESSIONS]:.2f}"] for title, taken in cpu.items()],
    )


def _start(subject: Subject) -> tuple[float, float]:
    """Milliseconds until the first answer, and of processor."""
    with emulator(subject.function) as one:
        return _time_answer(one, subject, subject.calling), one.cpu_milliseconds()


def _warm(subject: Subject, starts: list[tuple[float, float]]) -> Figures:
    cold, cpu = map(sorted, zip(*starts, strict=True))
    events = [subject.calling, *([subject.listing] if subject.listing else [])]
    with emulator(subject.function) as one:
        for event in events * 10:
            _time_answer(one, subject, event)
        calls, *lists = [sorted(_time_answer(one, subject, event) for _ in range(WARM)) for event in events]
        return Figures(cold, cpu, calls, lists[0] if lists else [], one.peak_megabytes())


def _time_answer(one: Emulator, subject: Subject, event: Event) -> float:
    """A benchmark of refusals would be a fast one: only a right answer counts."""
    answer, milliseconds = one.invoke(event)
    if not subject.is_right(json.loads(answer)):
        raise SystemExit(f"{subject.function.title} did not answer: {answer[:400]}")
    return milliseconds


def table(figures: dict[str, Figures]) -> page.Table:
    return page.Table(
        "Under Lambda's runtime interface emulator",
        f"Every function of the template but {_join(sorted(UNTIMED))}, as it was built. Milliseconds from event to "
        f"answer over loopback. Cold: the first call of {COLD} fresh environments; CPU: what the Python process used "
        f"until then, the median. Warm: {WARM} calls. {_join(STORING)} read the store in each call, and what answers "
        "events does too: it is an emulator of DynamoDB on the same machine. Memory: the most that the process held. "
        "The emulator gives out whole processors; at 512 MB Lambda gives less than a third of one, and fetches the "
        "function first: there, cold starts take longer, everybody's. At the end, the same nine time tools behind "
        "others: the "
        f"{SDK}, with a new app for each event, for Mangum ends the app's life with the event and the SDK's app begins "
        f"only once; and {AWSLABS}, alone and with a store.",
        ["function", "cold min", "median", "max", "CPU", "call p50", "p99", "list p50", "p99", "memory, MB"],
        [_row(title, of) for title, of in figures.items()],
    )


def _row(title: str, of: Figures) -> list[str]:
    p99 = WARM * 99 // 100
    lists = (median(of.lists), of.lists[p99]) if of.lists else ()
    cold = (of.cold[0], of.median_cold, of.cold[-1], median(of.cpu))
    warm = [f"{figure:.1f}" for figure in (median(of.calls), of.calls[p99], *lists)]
    return [title, *(f"{figure:.0f}" for figure in cold), *warm, *[""] * (2 - len(lists)), f"{of.peak_megabytes:.0f}"]


def _join(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
