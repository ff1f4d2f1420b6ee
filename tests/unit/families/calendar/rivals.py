"""Clients that compete for slots round by round, in threads and in processes. One of them wins each round."""

import subprocess
import sys
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Barrier

from almanac.families.calendar.entries.cache import CalendarCache
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from tests.unit.families.calendar.rival import RequestedAccess, compete, slot
from tests.unit.families.calendar.services import SCOPE, open_bookings, open_store

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


def winners_of_threads(
    folder: Path, calendar: str, clients: int, rounds: int, wish: RequestedAccess = slot
) -> list[str]:
    """Return the id of the event that was booked in each round, by threads that share a store and a cache."""
    cache, barrier = CalendarCache(), Barrier(clients)
    store = open_store(folder, SystemClock())
    services = [open_bookings(folder, SystemClock(), store=store, cache=cache, patient=True) for _ in range(clients)]
    won: list[str] = []
    with ThreadPoolExecutor(clients) as pool:
        for number in range(rounds):
            tries = [pool.submit(compete, one, calendar, number, barrier, wish) for one in services]
            won.append(_only([booked for one in tries if (booked := one.result()) is not None]))
    store.close()
    return won


def winners_of_processes(
    folder: Path,
    calendar: str,
    clients: int,
    rounds: int,
    *store: str,
    processes: int = 2,
    scope: Scope = SCOPE,
    script: str = "rival.py",
) -> list[str]:
    """Return the id of the event that was booked in each round, by so many client processes."""
    won: list[str] = []
    with ExitStack() as stack:
        rivalry = [
            stack.enter_context(rivals(folder, calendar, clients, 2, *store, scope=scope, script=script))
            for _ in range(processes)
        ]
        for number in range(rounds):
            for each in rivalry:
                each.start(number)
            won.append(_only([booked for each in rivalry for booked in each.winners()]))
    return won


def _only(booked: list[str]) -> str:
    first, *others = booked
    assert not others
    return first
