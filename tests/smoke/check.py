"""A check of a deployment: what it tries, what came back, and what to do where it fails."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.smoke.deployment import Deployment

_MOST = 300


class Skipped(Exception):
    """The check cannot be made there; the reason."""


class Failed(Exception):
    """What came back instead of what should."""


@dataclass(frozen=True)
class Check:
    """`run` answers what came back. `remedy` says what to do where it fails."""

    tried: str
    run: Callable[[Deployment], str]
    remedy: str


@dataclass(frozen=True)
class Counts:
    passed: int
    skipped: int
    failed: int


def perform(checks: Sequence[Check], at: Deployment, say: Callable[[str], None]) -> Counts:
    """Makes the checks one after the other, each of which is one line of `say`."""
    counts = {"ok": 0, "skip": 0, "FAIL": 0}
    for check in checks:
        outcome, line = _perform(check, at)
        counts[outcome] += 1
        say(f"{outcome:<5} {check.tried}: {line}")
    return Counts(counts["ok"], counts["skip"], counts["FAIL"])


def _perform(check: Check, at: Deployment) -> tuple[str, str]:
    try:
        return "ok", _short(check.run(at))
    except Skipped as skipped:
        return "skip", _short(str(skipped))
    # Whatever goes wrong is what came back; the other checks are made all the same.
    except Exception as wrong:  # noqa: BLE001
        came_back = str(wrong) if isinstance(wrong, Failed) else f"{type(wrong).__name__}: {wrong}"
        return "FAIL", f"{_short(came_back)} What to do: {check.remedy}"


def _short(text: str) -> str:
    """On one line."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST else f"{line[:_MOST]} ..."
