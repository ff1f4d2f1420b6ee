"""Processes of clients that compete for slots, started round by round."""

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from almanac.kernel.caller import Scope
from tests.unit.families.calendar.services import SCOPE

_SCRIPTS = Path(__file__).parent


class Rivals:
    """One process, `rival.py` or one like it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        assert self._line() == "ready"

    def start(self, number: int) -> None:
        """Its clients begin the round of that number."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{number}\n")
        self._process.stdin.flush()

    def winners(self) -> list[str]:
        """The ids of the events that they booked in the round that was started last."""
        return self._line().split()

    def kill(self) -> None:
        self._process.kill()

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line.endswith("\n"), "the process ended"
        return line.strip()


@contextmanager
def rivals(
    folder: Path,
    calendar: str,
    clients: int,
    milliseconds: float,
    *store: str,
    scope: Scope = SCOPE,
    script: str = "rival.py",
) -> Generator[Rivals]:
    """`store`: its technology and address, where it is not the one of the folder."""
    given = [str(folder), calendar, str(clients), str(milliseconds), scope.tenant, scope.project, *store]
    command = [sys.executable, str(_SCRIPTS / script), *given]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Rivals(process)
        finally:
            process.kill()
