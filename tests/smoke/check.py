"""Checks of a deployment, each with its result and a remedy."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tests.smoke.deployment import Deployment

_MOST = 300


class CheckSkipped(Exception):
    """The deployment does not allow the check. The message is the reason."""


class CheckFailed(Exception):
    """The check failed. The message is the unexpected result."""


@dataclass(frozen=True)
class Check:
    """`run` returns a line about the result. `remedy` says what an operator can do if the check fails."""

    tried: str
    run: Callable[[Deployment], str]
    remedy: str


@dataclass(frozen=True)
class Counts:
    passed: int
    skipped: int
    failed: int


def perform(checks: Sequence[Check], at: Deployment, say: Callable[[str], None]) -> Counts:
    """Run the checks in order. Each writes a line with `say`."""
    counts = {"ok": 0, "skip": 0, "FAIL": 0}
    for check in checks:
        outcome, line = _perform(check, at)
        counts[outcome] += 1
        say(f"{outcome:<5} {check.tried}: {line}")
    return Counts(counts["ok"], counts["skip"], counts["FAIL"])


def _perform(check: Check, at: Deployment) -> tuple[str, str]:
    try:
        return "ok", _short(check.run(at))
    except CheckSkipped as skipped:
        return "skip", _short(str(skipped))
    # An error of any kind is the result of this check, and the other checks still run.
    except Exception as wrong:  # noqa: BLE001
        came_back = str(wrong) if isinstance(wrong, CheckFailed) else f"{type(wrong).__name__}: {wrong}"
        return "FAIL", f"{_short(came_back)} What to do: {check.remedy}"


def _short(text: str) -> str:
    """Return the text on one line, cut to `_MOST` characters."""
    line = " ".join(text.split())
    return line if len(line) <= _MOST else f"{line[:_MOST]} ..."
