"""A client that does not give up when its server is killed."""

from tests.integration.calendar.race import Answer, AnswerLost, Attempt, Outcome
from tests.integration.calendar.servers import Servers
from tests.until import wait_until

_SETTLED_WITHIN = 150.0
"""Servers ask a provider again about once a minute."""


class PersistentClient:
    """Books; repeats the call, with its key, at the other of two servers as often as no answer comes, or
    none that is final."""

    def __init__(self, servers: Servers, place: int) -> None:
        self._servers = servers
        self._place = place
        self._client = servers.client(place)

    def __call__(self, attempt: Attempt) -> Outcome:
        lost, answers = 0, list[Answer]()

        def has_answer() -> bool:
            nonlocal lost
            try:
                answers.append(self._client.ask("book_slot", **attempt.arguments))
            except AnswerLost:
                lost += 1
                self.move_to(1 - self._place)
                return False
            # What a killed server left at a provider is settled first.
            return not answers[-1].said.startswith("outcome_unknown")

        wait_until(has_answer, _SETTLED_WITHIN)
        return Outcome(attempt, answers[-1], lost)

    def move_to(self, place: int) -> None:
        """At the server of that place from now on."""
        self.close()
        self._place, self._client = place, self._servers.client(place)

    def close(self) -> None:
        self._client.close()
