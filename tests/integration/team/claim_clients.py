"""Clients that ask for overlapping claims at once, and a model of the permitted answers."""

import http.client
import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any, Literal
from urllib.parse import urlsplit

from msgspec import Struct

from almanac.families.team.claims.key_syntax import parse_key
from tests.contract.linearizability import Operation, is_linearizable
from tests.integration.local.server_process import HEADERS, call_message

Verb = Literal["claim", "release", "extend", "list_claims"]

PLAIN = ("story:1", "story:2")
PATHS = (
    *("file:src/ab.py", "file:src/b.ts", "src/a*", "src/*.py", "src/{b,c}.*", "file:src/", "src/lib/x", "src/lib"),
    "/w/src/ab.py",
)
GROUPS: tuple[tuple[str, ...], ...] = (("story:1",), ("story:2",), PATHS)
"""Keys of different groups never overlap, so that each group's history is checked by itself."""

TTL_MS = 5000


class ClaimCall(Struct, frozen=True):
    verb: Verb
    key: str
    holder: str


class ClaimAnswer(Struct, frozen=True):
    """Result of a call, with its begin and end in milliseconds since 1970."""

    began: int
    ended: int
    result: dict[str, Any]


Held = tuple[str, str, int]
"""Key, holder, deadline."""
State = frozenset[Held]


Ask = Callable[[str, dict[str, Any]], dict[str, Any]]
"""(tool, arguments) -> structured result."""


@contextmanager
def over_http(url: str, key: str) -> Generator[Ask]:
    """On one connection to the hub at `url`, or to the team's own endpoint."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=300)
    headers = HEADERS | {"x-api-key": key}

    def ask(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
        connection.request("POST", place.path, json.dumps(call_message(tool, **arguments)), headers)
        return json.loads(connection.getresponse().read())["result"]["structuredContent"]

    with closing(connection):
        yield ask


def histories(clients: Sequence[AbstractContextManager[Ask]], count: int) -> list[Operation]:
    """Return the operations and answers of clients that begin together, `count` operations each."""
    gate = threading.Barrier(len(clients))

    def client(number: int) -> list[Operation]:
        with clients[number] as ask:
            gate.wait(timeout=300)
            return run_client(ask, number, count)

    with ThreadPoolExecutor(len(clients)) as pool:
        return list(itertools.chain.from_iterable(pool.map(client, range(len(clients)))))


def run_client(ask: Ask, number: int, count: int) -> list[Operation]:
    """`count` operations of one client; it leaves some claims to run out."""
    chance = random.Random(number)
    holder = f"client@ann#{number}"
    history: list[Operation] = []
    verbs: list[Verb] = ["claim", "claim", "claim", "release", "release", "extend", "list_claims"]
    for _ in range(count):
        asked = ClaimCall(chance.choice(verbs), chance.choice((*PLAIN, *PATHS)), holder)
        began, called_at = _wall(), time.perf_counter_ns()
        result = ask(asked.verb, _arguments(asked))
        history.append(Operation(called_at, time.perf_counter_ns(), asked, ClaimAnswer(began, _wall(), result)))
    return history


def check(history: list[Operation]) -> None:
    """Raises AssertionError unless the history can be explained by one order, with one holder at a time."""
    assert not double_holders(history)
    nothing: State = frozenset()
    for group in GROUPS:
        own = [operation for operation in history if operation.asked.key in group]
        assert {operation.answered.result.get("ok") for operation in own} >= {True, False}, "the clients did not meet"
        assert is_linearizable(own, nothing, step), group


def step(state: State, asked: ClaimCall, answered: ClaimAnswer, known: bool) -> tuple[State] | None:
    """Model claims by deadline. After its deadline a claim may be gone; before, it must be held."""
    result = answered.result
    if asked.verb == "list_claims":
        return (state,) if _is_listing_right(state, asked, answered) else None
    own = next((held for held in state if _same(held[0], asked.key)), None)
    if asked.verb == "claim":
        return _state_after_claim(state, own, asked, answered)
    if result.get("reason") == "wrong_holder":
        fits = own is not None and own[1] == result["held_by"] != asked.holder and own[2] == result["expires_at"]
        return (state,) if fits and own is not None and own[2] > answered.began else None
    if result.get("reason") == "not_held":
        gone = own is None or own[2] <= answered.ended
        return (state - {own} if own is not None else state,) if gone else None
    if own is None or own[1] != asked.holder or own[2] <= answered.began:
        return None
    if asked.verb == "release":
        return (state - {own},)
    return ((state - {own}) | {(own[0], asked.holder, result["expires_at"])},)


def _state_after_claim(state: State, own: Held | None, asked: ClaimCall, answered: ClaimAnswer) -> tuple[State] | None:
    result = answered.result
    if not result["ok"]:
        # It is always one that stands, and stands in the way, that is named.
        blocker = (result["held_key"], result["held_by"], result["expires_at"])
        in_the_way = blocker in state and blocker[1] != asked.holder and _overlap(blocker[0], asked.key)
        return (state,) if in_the_way and blocker[2] > answered.began else None
    claim = result["claim"]
    if result["deduped"]:
        if own is None or own[1] != asked.holder or own[2] <= answered.began:
            return None
        return ((state - {own}) | {(own[0], asked.holder, claim["expires_at"])},)
    over = {held for held in state if _overlap(held[0], asked.key) and (held[1] != asked.holder or held == own)}
    if any(held[2] > claim["acquired_at"] for held in over):
        return None
    return ((state - over) | {(claim["key"], asked.holder, claim["expires_at"])},)


def _is_listing_right(state: State, asked: ClaimCall, answered: ClaimAnswer) -> bool:
    """Return whether all listed claims are held, and all other claims have ended or do not overlap."""
    listed = {(one["key"], one["holder"], one["expires_at"]) for one in answered.result["claims"]}
    wanted = {held for held in state if _overlap(held[0], asked.key)}
    return listed <= wanted and all(held[2] <= answered.ended for held in wanted - listed)


def double_holders(history: list[Operation]) -> list[tuple[Held, Held]]:
    """Pairs of claims of two holders that overlapped in key and in time, by the servers' own clocks."""
    spans: list[tuple[str, str, int, int]] = []
    acquired = [each for each in history if each.asked.verb == "claim" and each.answered.result["ok"]]
    for operation in acquired:
        claim = operation.answered.result["claim"]
        ends = [claim["expires_at"]]
        ends += [
            each.answered.began
            for each in history
            if each.asked.verb == "release"
            and each.answered.result["ok"]
            and each.asked.holder == claim["holder"]
            and _same(each.asked.key, claim["key"])
            and each.called > operation.called
        ]
        spans.append((claim["key"], claim["holder"], operation.answered.ended, min(ends)))
    return [
        ((one[0], one[1], one[3]), (other[0], other[1], other[3]))
        for one, other in itertools.combinations(spans, 2)
        if one[1] != other[1] and _overlap(one[0], other[0]) and max(one[2], other[2]) < min(one[3], other[3])
    ]


def _arguments(asked: ClaimCall) -> dict[str, Any]:
    if asked.verb == "list_claims":
        return {"key": asked.key}
    more = {} if asked.verb == "release" else {"ttl_ms": TTL_MS}
    return {"key": asked.key, "holder": asked.holder, **more}


def _same(one: str, other: str) -> bool:
    return parse_key(one).id == parse_key(other).id


def _overlap(one: str, other: str) -> bool:
    return parse_key(one).overlaps(parse_key(other))


def _wall() -> int:
    return time.time_ns() // 1_000_000
