"""Listening from the command line: coming back after a loss, giving up where that would not help."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

import pytest
from websockets.sync.server import ServerConnection, serve

from almanac.local.client.feed_watch import FeedEnd, FeedListener, feed_url

Play = Callable[[ServerConnection, dict[str, Any], int], None]


@contextmanager
def _feed(play: Play) -> Generator[tuple[str, list[dict[str, Any]]]]:
    """Run a server that plays a script to each listener, by its number, and record the listeners' requests."""
    asked: list[dict[str, Any]] = []

    def answer(connection: ServerConnection) -> None:
        asked.append(json.loads(connection.recv()))
        play(connection, asked[-1], len(asked))

    with serve(answer, "127.0.0.1", 0) as server:
        running = threading.Thread(target=server.serve_forever)
        running.start()
        host, port = server.socket.getsockname()[:2]
        try:
            yield f"ws://{host}:{port}/feed", asked
        finally:
            server.shutdown()
            running.join()


def _say(connection: ServerConnection, *cursors: str) -> None:
    connection.send(json.dumps({"type": "subscribed", "kinds": [], "keys": [], "cursor": "start"}))
    for cursor in cursors:
        connection.send(json.dumps({"type": "events", "events": [{"cursor": cursor}]}))


def test_a_listener_comes_back_with_the_cursor_of_the_last_event() -> None:
    def play(connection: ServerConnection, asked: dict[str, Any], number: int) -> None:
        if number == 1:
            _say(connection, "a", "b")
        else:
            _say(connection, "c")
            connection.recv(timeout=60)

    backoff: list[float] = []
    said: list[str] = []
    with _feed(play) as (url, asked):
        watching = FeedListener(url, "key", kinds=["claim_expired"], since="before", sleep=backoff.append)
        events = watching.events(said.append)
        assert [next(events)["cursor"] for _ in range(3)] == ["a", "b", "c"]
        events.close()
    assert [each.get("since") for each in asked] == ["before", "b"]
    assert all(each["kinds"] == ["claim_expired"] for each in asked)
    assert backoff == [0.5]
    assert said == ["Listening.", "The connection is lost; the next attempt is in 0.5 s.", "Listening."]


def test_one_that_fell_behind_goes_on_from_its_cursor() -> None:
    def play(connection: ServerConnection, asked: dict[str, Any], number: int) -> None:
        _say(connection, "a" if number == 1 else "b")
        if number == 1:
            connection.send(json.dumps({"type": "error", "code": "fell_behind", "message": "m", "hint": "h"}))
            connection.close(4409)
        else:
            connection.recv(timeout=60)

    with _feed(play) as (url, asked):
        events = FeedListener(url, "key", sleep=lambda seconds: None).events(lambda said: None)
        assert [next(events)["cursor"] for _ in range(2)] == ["a", "b"]
        events.close()
    assert asked[1]["since"] == "a"


def test_a_refusal_ends_it_with_its_reason() -> None:
    def play(connection: ServerConnection, asked: dict[str, Any], number: int) -> None:
        connection.send(
            json.dumps({"type": "error", "code": "cursor_expired", "message": "Too old.", "hint": "Start."})
        )
        connection.close(4410)

    with _feed(play) as (url, _), pytest.raises(FeedEnd, match=r"Too old\. Start\.") as ended:
        next(FeedListener(url, "key").events(lambda said: None))
    assert ended.value.exit_status == 1


def test_no_server_at_the_first_attempt_ends_it() -> None:
    with _feed(lambda connection, asked, number: None) as (url, _):
        pass
    with pytest.raises(FeedEnd, match="almanac serve") as ended:
        next(FeedListener(url, "key").events(lambda said: None))
    assert ended.value.exit_status == 2


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8787/mcp", "ws://127.0.0.1:8787/feed"),
        ("https://almanac.example", "wss://almanac.example/feed"),
        (
            "wss://abc.execute-api.eu-central-1.amazonaws.com/feed",
            "wss://abc.execute-api.eu-central-1.amazonaws.com/feed",
        ),
    ],
)
def test_the_feed_of_a_server_is_found_by_the_address_of_its_hub(url: str, expected: str) -> None:
    assert feed_url(url) == expected


def test_a_patient_listener_waits_for_a_server_and_for_a_place_and_ends_where_the_key_is_refused() -> None:
    def play(connection: ServerConnection, asked: dict[str, Any], number: int) -> None:
        if number == 1:
            connection.send(json.dumps({"type": "error", "code": "limit_exceeded", "message": "m", "hint": "h"}))
        elif number == 2:
            _say(connection, "a")
        else:
            connection.send(json.dumps({"type": "error", "code": "unauthorized", "message": "m", "hint": "h"}))

    backoff: list[float] = []
    subscribed: list[bool] = []
    with _feed(play) as (url, _):
        watching = FeedListener(url, "key", patient=True, sleep=backoff.append)
        events = watching.events(lambda said: None, lambda: subscribed.append(True))
        assert next(events)["cursor"] == "a"
        with pytest.raises(FeedEnd) as ended:
            next(events)
        assert ended.value.code == "unauthorized"
    assert subscribed == [True]
    assert backoff == [0.5, 0.5]


def test_a_patient_listener_does_not_spin_while_no_server_answers() -> None:
    backoff: list[float] = []

    def sleep(seconds: float) -> None:
        backoff.append(seconds)
        if len(backoff) == 6:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(FeedListener("ws://127.0.0.1:9/feed", "key", patient=True, sleep=sleep).events(lambda said: None))
    assert backoff == [0.5, 1.0, 2.0, 5.0, 10.0, 10.0]
