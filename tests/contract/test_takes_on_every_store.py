"""However many agents take cards at once, no two get the same, and each gets one as long as there is one. Takes,
handovers and writes under their tokens have one order that explains every answer."""

import random
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.requests import AcquiredClaim
from almanac.families.team.core.project import open_project
from almanac.families.team.core.records import DECIDED_REVIEWS
from almanac.families.team.messages.reviews import Reviews
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Change
from almanac.platform.store.wrapper import StoreWrapper
from tests.contract.backends import Place
from tests.contract.linearizability import Operation, is_linearizable
from tests.project_app import MORNING, ProjectApp, planner_app

AGENTS, CARDS = 8, 20
CLIENTS, STEPS, SHARED = 4, 24, 8
Taken = tuple[str, str, str, int]
"""A card that was taken: its id, "held", "offered" or "done", who holds it or has offered it, its newest token that is
known."""
State = frozenset[Taken]
NOTHING: State = frozenset()


@pytest.fixture(params=["sqlite", "dynoxide"])
def app(request: pytest.FixtureRequest, tmp_path: Path, scope: Scope) -> ProjectApp:
    technology: str = request.param
    address = str(tmp_path / "store.db") if technology == "sqlite" else request.getfixturevalue("dynoxide_address")
    return planner_app(tmp_path, store=Place(technology, address).open(FixedClock(MORNING)), scope=scope)


def test_no_two_agents_take_the_same_card(app: ProjectApp) -> None:
    ids = [app.do("kanban_create_card", columnId="col_todo", title=str(each))["id"] for each in range(CARDS)]
    for first, then in zip(ids[:5], ids[5:10], strict=True):
        ends = {"fromItemId": first, "fromItemType": "task", "toItemId": then, "toItemType": "task"}
        app.do("items_link", relationType="blocks", **ends)
    gate = threading.Barrier(AGENTS)
    finished: list[str] = []

    def agent(number: int) -> list[tuple[str, int]]:
        taken: list[tuple[str, int]] = []
        gate.wait(timeout=60)
        while (answer := app.do("kanban_take", holder=f"agent#{number}"))["card"] is not None:
            card, claim = answer["card"]["id"], answer["claim"]
            assert claim["holder"] == f"agent#{number}"
            if card in ids[5:10]:
                assert ids[ids.index(card) - 5] in finished, "it was taken while something blocked it"
            taken.append((card, claim["token"]))
            finished.append(card)
            app.do("kanban_move_card", cardId=card, columnId="col_done", claimToken=claim["token"])
        return taken

    with ThreadPoolExecutor(AGENTS) as agents:
        taken = [card for each in agents.map(agent, range(AGENTS)) for card, _ in each]
    left: Any = app.do("kanban_take", holder="last")
    while left["card"] is not None:
        taken.append(left["card"]["id"])
        app.do("kanban_move_card", cardId=taken[-1], columnId="col_done", claimToken=left["claim"]["token"])
        left = app.do("kanban_take", holder="last")
    assert sorted(taken) == sorted(ids)


def test_takes_and_handovers_are_linearizable(app: ProjectApp) -> None:
    """Four agents take cards, hand them over to each other, answer, withdraw, and write under tokens that may be
    stale."""
    cards = [app.do("kanban_create_card", columnId="col_todo", title=str(each))["id"] for each in range(SHARED)]
    gate, known = threading.Barrier(CLIENTS), SharedTokens()

    def run(number: int) -> list[Operation]:
        return Client(app, number, known).run(gate)

    with ThreadPoolExecutor(CLIENTS) as pool:
        history = [operation for each in pool.map(run, range(CLIENTS)) for operation in each]
    answered = {(one.asked[0], one.answered is not None) for one in history}
    assert answered >= {("hand_over", True), ("hand_over", False), ("answer", True), ("done", False)}
    assert is_linearizable(history, NOTHING, step_of(len(cards)))
    for wrong in spoil(history):
        assert not is_linearizable(wrong, NOTHING, step_of(len(cards))), "the check finds nothing"


class Meanwhile(StoreWrapper):
    """Does something before the next write, once."""

    action: Callable[[], object] | None = None

    def write(self, changes: Sequence[Change]) -> None:
        action, self.action = self.action, None
        if action is not None:
            action()
        super().write(changes)


GATES = {
    "event": {"until": "after freeze"},
    "event is gone": {"until": "after freeze"},
    "review": {},
    "claim": {"claim": "env:staging"},
    "path": {"claim": "file:src/a.py"},
    "folder": {"claim": "file:src"},
    "glob": {"claim": "file:src/**/*.py"},
    "other card": {"claim": "card:other"},
    "any card": {"claim": "card:*"},
}
CLAIMED = {"claim": "env:staging", "other card": "card:other", "any card": "card:more"}


@pytest.mark.parametrize("kind", GATES)
def test_a_gate_that_closes_between_reading_and_writing_keeps_its_card(app: ProjectApp, kind: str) -> None:
    card = app.do("kanban_create_card", columnId="col_todo", title="Release")["id"]
    project = open_project(app.services, app.caller.scope, "ben", app.clock)
    event = app.do("calendar_create_event", title="Freeze", date="2026-02-18", time="10:00", type="event")["id"]
    review = Reviews(project).request("The plan").id
    app.do("kanban_gate", cardId=card, **(GATES[kind] or {"review": review}))
    Reviews(project).decide(review, "approved", None)
    app.clock.instant += timedelta(hours=4)
    actions: dict[str, Callable[[], object]] = {
        "event": lambda: app.do("calendar_update_event", eventId=event, time="23:00"),
        "event is gone": lambda: app.do("calendar_delete_event", eventId=event),
        "review": lambda: app.store.write([DECIDED_REVIEWS.within(app.store, app.caller.scope).delete(review)]),
    }
    key = CLAIMED.get(kind, "file:src/a.py")
    racing = planner_app(Path(), store=(store := Meanwhile(app.store)), scope=app.caller.scope)
    racing.clock.instant = app.clock.instant
    assert [one["id"] for one in racing.do("kanban_ready")["ready"]] == [card]
    store.action = actions.get(kind, lambda: Claims(project).acquire(key, "ben", 60_000))
    answer = racing.do("kanban_take")
    assert store.action is None
    assert answer["card"] is None
    assert [one["id"] for one in answer["waiting"]] == [card]
    if kind not in actions:
        Claims(project).release(key, "ben")
        assert racing.do("kanban_take")["card"]["id"] == card
        assert isinstance(Claims(project).acquire(key, "ben", 60_000), AcquiredClaim), "the take left something behind"


LEASED = ("env:staging", "src/a.py", "src/deep/b.py")
GATED = ("env:staging", "src/**", "src/a.py", "src")


@pytest.mark.slow
def test_takes_of_cards_that_wait_for_free_claims_are_linearizable(app: ProjectApp) -> None:
    """No card is taken while somebody holds what one of its gates waits for."""
    gates: dict[str, str] = {}
    for number in range(3 * len(GATED)):
        card = app.do("kanban_create_card", columnId="col_todo", title=str(number))["id"]
        gates[card] = GATED[number % len(GATED)]
        app.do("kanban_gate", cardId=card, claim=gates[card])
    gate = threading.Barrier(CLIENTS)

    def run(number: int) -> list[Operation]:
        actor, chance, history = f"agent{number}", random.Random(number), list[Operation]()
        claims = Claims(open_project(app.services, app.caller.scope, actor, app.clock))
        held: set[str] = set()
        gate.wait(timeout=60)
        for _ in range(STEPS):
            key = chance.choice(LEASED)
            verb = chance.choice(["take", "take", "release" if key in held else "claim"])
            called = time.perf_counter_ns()
            if verb == "take":
                taken = app.call("kanban_take", caller=replace(app.caller, actor=actor))
                answer = taken["data"]["card"]["id"] if taken["ok"] and taken["data"]["card"] else None
            elif verb == "claim":
                answer = True if isinstance(claims.acquire(key, actor, 600_000), AcquiredClaim) else None
                held |= {key} if answer else set()
            else:
                claims.release(key, actor)
                answer = held.discard(key)
            history.append(Operation(called, time.perf_counter_ns(), (verb, actor, key), answer))
        return history

    with ThreadPoolExecutor(CLIENTS) as pool:
        history = [operation for each in pool.map(run, range(CLIENTS)) for operation in each]
    taken = [one.answered for one in history if one.asked[0] == "take" and one.answered]
    assert len(set(taken)) == len(taken) >= 3
    assert is_linearizable(history, NOTHING, gated_step(gates))
    free = next(card for card, key in gates.items() if key == "src/**")
    wrong = [Operation(1, 2, ("claim", "ann", "src/a.py"), True), Operation(3, 4, ("take", "ben", ""), free)]
    assert not is_linearizable(wrong, NOTHING, gated_step(gates)), "the check finds nothing"


def gated_step(gates: Mapping[str, str]) -> Any:
    """Model the holders of keys. A take that found no card, and a refused claim, change nothing."""

    def step(
        state: frozenset[Any], asked: tuple[str, str, str], answered: Any, _: bool
    ) -> tuple[frozenset[Any]] | None:
        verb, actor, key = asked
        if verb == "release":
            return (state - {(key, actor)},)
        if answered is None:
            return (state,)
        held = {one for one, _ in state}
        if verb == "claim":
            return (state | {(key, actor)},) if key not in held else None
        wanted = gates[answered].removesuffix("/**")
        return None if any(one == wanted or one.startswith(f"{wanted}/") for one in held) else (state,)

    return step


class SharedTokens:
    """Tokens that the agents share, stale ones included, and handovers that wait for an answer."""

    def __init__(self) -> None:
        self.tokens: list[tuple[str, int]] = []
        self.offers: list[tuple[str, str, str, str]] = []


class Client:
    def __init__(self, app: ProjectApp, number: int, known: SharedTokens) -> None:
        self._app, self._actor, self._known = app, f"agent{number}", known
        self._chance = random.Random(number)

    def run(self, gate: threading.Barrier) -> list[Operation]:
        gate.wait(timeout=60)
        return [one for _ in range(STEPS) if (one := self._step()) is not None]

    def _step(self) -> Operation | None:
        verb = self._chance.choice(["take", "hand_over", "hand_over", "answer", "answer", "done"])
        if verb == "take":
            return self._perform(("take", self._actor), "kanban_take")
        if verb == "answer" and self._known.offers:
            offer, card, giver, to = self._chance.choice(self._known.offers[-4:])
            accepts = self._actor == to and self._chance.random() < 0.6
            if self._actor not in (giver, to):
                return None
            asked = ("answer", self._actor, card, offer, giver, accepts)
            return self._perform(asked, "answer_handover", handoverId=offer, accept=accepts)
        if not self._known.tokens:
            return None
        card, token = self._chance.choice(self._known.tokens[-6:])
        if verb == "done":
            # Few, or nothing would be left to hand over.
            if self._chance.random() < 0.5:
                return None
            arguments = {"cardId": card, "columnId": "col_done", "claimToken": token}
            return self._perform(("done", self._actor, card, token), "kanban_move_card", **arguments)
        to = f"agent{self._chance.randrange(CLIENTS)}"
        return self._perform(("hand_over", self._actor, card, to), "hand_over", to=to, note="On.", card=card)

    def _perform(self, asked: tuple[Any, ...], tool: str, **arguments: Any) -> Operation:
        called = time.perf_counter_ns()
        result = self._app.call(tool, caller=replace(self._app.caller, actor=self._actor), **arguments)
        returned = time.perf_counter_ns()
        assert result["ok"] or "changed by many calls" not in result["error"], result
        return Operation(called, returned, asked, self._read(asked, result["data"]) if result["ok"] else None)

    def _read(self, asked: tuple[Any, ...], data: Any) -> tuple[Any, ...]:
        """Share the tokens and offers of an answer with the other agents."""
        known = self._known
        match asked[0]:
            case "take":
                if data["card"] is None:
                    return ("none",)
                told = (data["card"]["id"], data["claim"]["token"])
                known.tokens.append(told)
                return told
            case "hand_over":
                known.offers.append((data["handoverId"], asked[2], asked[1], asked[3]))
                return (data["handoverId"],)
            case "answer":
                (claim,) = data["claims"] or [None]
                if claim is None:
                    return ("lost",)
                known.tokens.append((asked[2], claim["token"]))
                return (claim["actor"], claim["token"])
            case _:
                return ("done",)


def step_of(cards: int) -> Any:
    """The model: a card is free, held under one token, offered under an id, or done."""

    def step(state: State, asked: tuple[Any, ...], answered: tuple[Any, ...] | None, _: bool) -> tuple[State] | None:
        if asked[0] != "take":
            after = _after(_of(state, asked[2]), asked, answered)
            return None if after is None else (frozenset(one for one in state if one[0] != asked[2]) | {after},)
        if answered in (None, ("none",)):
            return (state,) if answered is not None and len(state) == cards else None
        return (state | {(answered[0], "held", asked[1], answered[1])},) if _of(state, answered[0]) is None else None

    return step


def _after(before: Taken | None, asked: tuple[Any, ...], answered: tuple[Any, ...] | None) -> Taken | None:
    """The card after a call that was answered so; None where that cannot be."""
    assert before is not None, "cards are told of once they were taken"
    verb, actor, card = asked[:3]
    if verb == "answer":
        return _after_answer(before, asked, answered)
    holds = before[1:3] == ("held", actor) and (verb == "hand_over" or before[3] == asked[3])
    if answered is None or not holds:
        return before if answered is None and not holds else None
    return (card, "done", "", 0) if verb == "done" else (card, f"offered {answered[0]}", actor, before[3])


def _after_answer(before: Taken | None, asked: tuple[Any, ...], answered: tuple[Any, ...] | None) -> Taken | None:
    _, actor, card, offer, giver, accepts = asked
    assert before is not None
    stands, owner = before[1] == f"offered {offer}", actor if accepts else giver
    if answered is None or not stands:
        # The same answer again tells what its first one led to, as far as that still stands.
        again = answered is None or answered == ("lost",) or (before[1], before[2:]) == ("held", answered)
        return before if again and not stands else None
    return (card, "held", owner, answered[1]) if answered[0] == owner and answered[1] > before[3] else None


def _of(state: State, card: str) -> Taken | None:
    return next((one for one in state if one[0] == card), None)


def spoil(history: list[Operation]) -> list[list[Operation]]:
    """The history with one answer that cannot be: a refused write that was accepted, a card that was taken twice."""
    refused = next(one for one in history if one.asked[0] == "done" and one.answered is None)
    accepted = Operation(refused.called, refused.returned, refused.asked, ("done",))
    taken = next(one for one in history if one.asked[0] == "take" and one.answered != ("none",))
    end = max(one.returned or 0 for one in history)
    twice = Operation(end + 1, end + 2, taken.asked, taken.answered)
    return [[accepted if one is refused else one for one in history], [*history, twice]]
