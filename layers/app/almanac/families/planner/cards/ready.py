"""Cards that can start now, the best first, and the reasons why others wait.

A card is a candidate if it waits in a column left of the board's working column, or if an agent took it and the agent's
claim has ended. It can start if nothing open blocks it, its gates are open and its claim is free.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time
from itertools import islice
from typing import NamedTuple

from msgspec import Struct

from almanac.families.planner.boards.boards import Boards
from almanac.families.planner.boards.due_dates import due_of
from almanac.families.planner.cards.gate_states import ClosedGate, GateStates, is_named
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Board, Card, Column, Priority
from almanac.families.planner.links.blockers import open_blockers_of
from almanac.families.planner.links.items import Item, card_item
from almanac.families.planner.search.text import fold
from almanac.families.planner.texts.labels import tag_key
from almanac.families.team.claims.requirement import held_claims
from almanac.families.team.core.records import ClaimRecord

MAX_CARDS = 10_000
"""Waiting cards that one call reads. The result says if there are more."""
_AT_ONCE = 50
_ORDER: Mapping[Priority, int] = {"urgent": 0, "high": 1, "normal": 2, "low": 3}
_WORKING = frozenset(
    {"doing", "in progress", "progress", "in work", "working", "active", "started", "wip", "in arbeit", "en cours"}
    | {"en curso", "en progreso", "in corso", "em andamento", "в работе", "进行中", "作業中"}
)
"""Folded titles of columns in which cards are worked on."""


class ReadyQuery(Struct, frozen=True):
    """A query for cards with all of the `labels`. `board` None means all boards."""

    board: str | None = None
    labels: Sequence[str] = ()


class Candidate(Struct, frozen=True):
    """A card without a worker. It can start if it has no blockers, no closed gates and no `claim`."""

    card: Card
    board: Board
    column: Column
    blockers: Sequence[Item] = ()
    gates: Sequence[ClosedGate] = ()
    claim: ClaimRecord | None = None

    @property
    def is_ready(self) -> bool:
        return not self.blockers and not self.gates and self.claim is None

    @property
    def is_stuck(self) -> bool:
        """Return whether a gate will never open unless a caller removes it."""
        return any(gate.stuck for gate in self.gates)

    def waits_for(self, actor: str) -> bool:
        """Return whether a gate waits for the actor's approval."""
        return any(each.gate.kind == "person" and is_named(each.gate, actor) for each in self.gates)

    @property
    def is_worked_on(self) -> bool:
        return self.card.taken_at is not None and self.claim is not None


class Candidates(NamedTuple):
    """Candidates, the best first, and whether there are more cards than one call reads (`cut`)."""

    in_order: Iterator[Candidate]
    cut: bool


class ReadyCards(Struct, frozen=True):
    """Ready and waiting cards, the best first. Among the waiting ones, stuck cards come first and then those that wait
    for the caller's approval, because they need help. `more`: other cards can start too. `cut`: there are more cards
    than one call reads."""

    ready: Sequence[Candidate]
    waiting: Sequence[Candidate]
    more: bool
    cut: bool


def claim_key(card_id: str) -> str:
    """Return the claim key for working on a card."""
    return f"card:{card_id}"


def working_column(board: Board) -> Column | None:
    """Return the column that a card moves to when work on it starts. It is the first with a fitting title, else the
    second open column, else the only one; None if all are done columns."""
    columns = [column for column in board.columns if not column.done]
    named = [column for column in columns if fold(column.title) in _WORKING]
    return (named or columns[1:] or columns or [None])[0]


def ready_cards(planner: Planner, query: ReadyQuery, limit: int) -> ReadyCards:
    """Return at most `limit` cards that can start, and as many of the best others. Raises NotFound for an unknown
    board."""
    ready, stuck, own, waiting = (list[Candidate]() for _ in range(4))
    each, cut = candidates(planner, query)
    more = False
    for candidate in each:
        if more := candidate.is_ready and len(ready) == limit:
            break
        if candidate.is_ready:
            ready.append(candidate)
        elif not candidate.is_worked_on:
            of_its_kind = stuck if candidate.is_stuck else own if candidate.waits_for(planner.actor) else waiting
            if len(of_its_kind) < limit:
                of_its_kind.append(candidate)
    return ReadyCards(ready, [*stuck, *own, *waiting][:limit], more=more, cut=cut)


def candidates(planner: Planner, query: ReadyQuery, *, only_ready: bool = False) -> Candidates:
    """Return the waiting cards with their reasons, the best first, read as they are needed. `only_ready` leaves out the
    others, so that their gates and claims need not be read."""
    boards = Boards(planner)
    chosen = [boards.find(query.board)] if query.board else boards.list_boards()
    labels, still_open = {key for label in query.labels if (key := tag_key(label))}, dict[str, Card]()
    cards = (one for board in chosen for one in _waiting_cards(planner, board, still_open))
    matching = (card for card in cards if labels <= set(map(tag_key, card.card.labels)))
    found = list(islice(matching, MAX_CARDS + 1))
    ordered = sorted(found[:MAX_CARDS], key=lambda one: _order(planner, one.card))
    reasons = _Reasons(planner, still_open, only_ready=only_ready)
    return Candidates(reasons.of(iter(ordered)), cut=len(found) > MAX_CARDS)


def _waiting_cards(planner: Planner, board: Board, still_open: dict[str, Card]) -> Iterator[Candidate]:
    """Yield the cards in columns left of the working one, and those that were taken. Each card read is noted in
    `still_open`."""
    working, rows = working_column(board), planner.rows(CARDS)
    if working is None:
        return
    columns = [column for column in board.columns if not column.done]
    for column in columns[: columns.index(working) + 1]:
        # On a board with one open column, cards both wait and are worked on there.
        waits = column != working or len(columns) == 1
        for card in rows.every(board.id, column.id, page=1000):
            still_open[card.id] = card
            if waits or card.taken_at is not None:
                yield Candidate(card, board, column)


class _Reasons:
    """Reasons why cards wait. Most blockers are among the cards already read, so they are not read again."""

    def __init__(self, planner: Planner, still_open: Mapping[str, Card], *, only_ready: bool) -> None:
        self._planner = planner
        self._open = still_open
        self._only_ready = only_ready
        self._gates = GateStates(planner)

    def of(self, ordered: Iterator[Candidate]) -> Iterator[Candidate]:
        while some := list(islice(ordered, _AT_ONCE)):
            yield from self._of_some(some)

    def _of_some(self, some: Sequence[Candidate]) -> Iterator[Candidate]:
        blockers = open_blockers_of(self._planner, [one.card.id for one in some], self._read_before)
        if self._only_ready:
            some = [one for one in some if one.card.id not in blockers]
        claims = held_claims(self._planner.work(), [claim_key(one.card.id) for one in some])
        for one in some:
            held = claims.get(claim_key(one.card.id))
            if held is not None and self._only_ready:
                continue
            gates = self._gates.closed_gates(one.card.gates)
            if not (gates and self._only_ready):
                yield Candidate(one.card, one.board, one.column, blockers.get(one.card.id, ()), gates, held)

    def _read_before(self, item_id: str) -> Item | None:
        card = self._open.get(item_id)
        return None if card is None else card_item(self._planner, card, done=False)


def _order(planner: Planner, card: Card) -> tuple[int, date, time, int, str]:
    """Return the sort key: urgent cards first, then those due soonest, then the oldest."""
    due = due_of(card, planner.zone_if_any)
    clock = due.clock.replace(fold=0) if due.clock is not None else time.max
    return _ORDER[card.priority], due.day or date.max, clock, card.created_at, card.id
