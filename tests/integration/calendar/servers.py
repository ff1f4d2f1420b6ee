"""Several `almanac serve` on one data folder, which may be killed and started again."""

import signal
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType

from tests.integration.calendar.race import Client
from tests.integration.local.server_process import ALMANAC, Server, run_server


class Servers:
    """The first one makes the key that all of them take. `settings` are environment variables."""

    def __init__(self, folder: Path, count: int = 2, **settings: str) -> None:
        self._command = [ALMANAC, "serve", "--port", "0", "--data", folder]
        self._settings = settings
        self._stacks = [ExitStack() for _ in range(count)]
        self._running: list[Server] = []

    def __enter__(self) -> "Servers":
        for stack in self._stacks:
            self._running.append(stack.enter_context(run_server(self._command, **self._settings)))
        self.key = self._running[0].key or ""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for stack in self._stacks:
            stack.close()

    def url(self, place: int) -> str:
        return self._running[place].url

    def client(self, place: int) -> Client:
        """A new one, of the server that is at that place now."""
        return Client(self.url(place), self.key)

    def kill(self, place: int) -> None:
        self._running[place].stop(signal.SIGKILL)

    def start(self, place: int) -> None:
        """Start another server in place of a killed one, on its own port."""
        self._stacks[place].close()
        self._running[place] = self._stacks[place].enter_context(run_server(self._command, **self._settings))
