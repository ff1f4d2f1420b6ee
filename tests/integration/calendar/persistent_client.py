"""A client that does not give up when its server is killed."""

from tests.integration.calendar.racing import CLIENTS, Attempt, Lost, Outcome
from tests.integration.calendar.servers import Servers


class PersistentClient:
    """Books; repeats the call, with its key, at the other of two servers as often as no answer comes."""

    def __init__(self, servers: Servers, place: int) -> None:
        self._servers = servers
        self._place = place
        self._client = servers.client(place)

    def __call__(self, attempt: Attempt) -> Outcome:
        for lost in range(CLIENTS):
            try:
                return Outcome(attempt, self._client.ask("book_slot", **attempt.arguments), lost)
            except Lost:
                self.move_to(1 - self._place)
        raise AssertionError("no server answers")

    def move_to(self, place: int) -> None:
        """At the server of that place from now on."""
        self.close()
        self._place, self._client = place, self._servers.client(place)

    def close(self) -> None:
        self._client.close()
