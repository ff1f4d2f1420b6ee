"""Clients that all book the same moment of a calendar at once over HTTP, and the checks of their answers.

ALMANAC_RACE_ROUNDS and ALMANAC_RACE_CLIENTS set other numbers of rounds and clients.
"""

import http.client
import json
import os
import random
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, Future
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from tests.integration.local.server_process import HEADERS, call_message

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "50"))
CLIENTS = int(os.environ.get("ALMANAC_RACE_CLIENTS", "20"))
_FIRST = datetime(2031, 3, 3, tzinfo=UTC)
_ROUND = timedelta(hours=6)
_AT_ONCE = timedelta(hours=2)
_SPREAD_SECONDS = 7200


class AnswerLost(Exception):
    """The call got no answer, and it is unknown whether the server did it."""


class Answer(Struct, frozen=True):
    """`result` of a call that succeeded, else None and in `said` why it did not."""

    result: dict[str, Any] | None
    said: str


class Client:
    """Calls tools at `url` on one connection, which it keeps."""

    def __init__(self, url: str, key: str) -> None:
        parts = urlsplit(url)
        kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        # Twenty functions that start at once on an emulator take a minute of one core.
        self._connection = kind(parts.hostname or "", parts.port, timeout=180)
        self._path = parts.path
        self._headers = HEADERS | {"x-api-key": key}

    def ask(self, tool: str, **arguments: Any) -> Answer:
        """Raises Lost where no answer comes, or the server has as much to do as it may."""
        try:
            self._connection.request("POST", self._path, json.dumps(call_message(tool, **arguments)), self._headers)
            answer = self._connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as gone:
            self.close()
            raise AnswerLost from gone
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            raise AnswerLost
        assert answer.status == HTTPStatus.OK, (answer.status, content)
        result = json.loads(content)["result"]
        return Answer(result.get("structuredContent"), result["content"][0]["text"])

    def close(self) -> None:
        self._connection.close()


class Slot(Struct, frozen=True):
    start: datetime
    end: datetime

    @property
    def times(self) -> dict[str, str]:
        return {"start": self.start.isoformat(), "end": self.end.isoformat()}


class Attempt(Struct, frozen=True):
    """A client's booking in some round: the key makes repeating it harmless."""

    calendar: str
    slot: Slot
    summary: str
    key: str

    @property
    def arguments(self) -> dict[str, Any]:
        return {
            "calendar_id": self.calendar,
            "summary": self.summary,
            "idempotency_key": self.key,
            **self.slot.times,
        }


class Outcome(Struct, frozen=True):
    """`lost`: how often no answer came before this one."""

    attempt: Attempt
    answer: Answer
    lost: int = 0


Book = Callable[[Attempt], Outcome]
"""One client's way to book, with whatever it does where no answer comes."""


def booker_at(client: Client) -> Book:
    """The way of a client whose server stays."""
    return lambda attempt: Outcome(attempt, client.ask("book_slot", **attempt.arguments))


def window(number: int) -> Slot:
    """Return the time that belongs to the round of that number only."""
    start = _FIRST + number * _ROUND
    return Slot(start, start + _ROUND)


def elsewhere(number: int) -> Slot:
    """A slot of the round's window that none of its clients wants."""
    start = window(number).start + timedelta(hours=5)
    return Slot(start, start + timedelta(minutes=30))


def attempts(calendar: str, number: int, chance: random.Random, clients: int = CLIENTS) -> list[Attempt]:
    """One for each client. No two begin, end or last alike, and all take one and the same instant."""
    at_once = window(number).start + _AT_ONCE
    before, after = (chance.sample(range(1, _SPREAD_SECONDS), clients) for _ in range(2))
    slots = [
        Slot(at_once - timedelta(seconds=early), at_once + timedelta(seconds=late))
        for early, late in zip(before, after, strict=True)
    ]
    return [
        Attempt(calendar, slot, f"Agent {agent} of round {number}", f"{calendar} {number} {agent}")
        for agent, slot in enumerate(slots)
    ]


def all_at_once(
    pool: Executor, clients: Sequence[Book], wanted: Sequence[Attempt], meanwhile: Callable[[], None] | None = None
) -> list[Outcome]:
    """Everybody starts at the same moment; `meanwhile` is done while they book."""
    gate = Barrier(len(clients) + 1)

    def start(book: Book, attempt: Attempt) -> Outcome:
        gate.wait(timeout=60)
        return book(attempt)

    under_way: list[Future[Outcome]] = [
        pool.submit(start, book, attempt) for book, attempt in zip(clients, wanted, strict=True)
    ]
    gate.wait(timeout=60)
    if meanwhile is not None:
        meanwhile()
    return [one.result() for one in under_way]


def events_in(client: Client, calendar: str, slot: Slot) -> dict[str, str]:
    """Summaries by event id, as the server behind `client` lists them."""
    listed = client.ask("list_events", calendar_id=calendar, limit=2500, **slot.times)
    assert listed.result is not None, listed.said
    return {event["id"]: event["summary"] for event in json.loads(listed.result["content"])}


def winner(outcomes: Collection[Outcome]) -> Outcome:
    """Return the client that booked.

    Raises AssertionError unless there is exactly one, and all others were told of its event.
    """
    booked = [one for one in outcomes if one.answer.result is not None]
    assert len(booked) == 1, [one.answer.said for one in outcomes]
    won = booked[0]
    for other in outcomes:
        if other is not won:
            assert f'Conflict detected: "{won.attempt.summary}"' in other.answer.said, other.answer.said
    return won


def check(outcomes: Collection[Outcome], calendar: str, number: int, witnesses: Sequence[Client]) -> Outcome:
    """The winner of the round. Raises AssertionError unless every witness sees its event in the window and no other."""
    won = winner(outcomes)
    assert won.answer.result is not None
    stands = {won.answer.result["event_id"]: won.attempt.summary}
    for witness in witnesses:
        assert events_in(witness, calendar, window(number)) == stands
    return won
