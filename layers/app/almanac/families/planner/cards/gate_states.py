"""State of gates: which are closed now, and which of those can never open by themselves."""
# ruff: noqa: PLC0415 - most cards have no gates, and most gates wait for no event, review or claim

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from msgspec import Struct

from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import Card, Gate
from almanac.families.team.core.project import project_of
from almanac.platform.store.conditions import Present
from almanac.platform.store.contention import Retry
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Change, Check


class ClosedGate(Struct, frozen=True):
    """A closed gate. `opens_at` is known for times and events. `stuck` says why it will never open unless a caller
    removes it."""

    gate: Gate
    opens_at: int | None = None
    stuck: str | None = None


def is_named(gate: Gate, actor: str) -> bool:
    """Return whether a gate that waits for approval names the actor."""
    return gate.name.casefold() == actor.casefold()


class GateStates:
    """States of gates within one call. Each event, review and key is read once."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner
        self._now = planner.now_ms()
        self._known: dict[str, ClosedGate | None] = {}
        self._overlapping: _HeldKeys | None = None

    def closed_gates(self, gates: Sequence[Gate]) -> list[ClosedGate]:
        """Return the gates that are closed now."""
        return [state for gate in gates if (state := self.state_of(gate)) is not None]

    def state_of(self, gate: Gate) -> ClosedGate | None:
        """Return the state of a closed gate; None if it is open."""
        if gate.opened_at is not None:
            return None
        if gate.kind in ("time", "person", "signal"):
            is_over = gate.opens_at is not None and gate.opens_at <= self._now
            return None if is_over else ClosedGate(gate, gate.opens_at)
        if gate.id not in self._known:
            read = {"event": self._event, "review": self._review, "claim": self._claim}[gate.kind]
            self._known[gate.id] = read(gate)
        return self._known[gate.id]

    def _event(self, gate: Gate) -> ClosedGate | None:
        from almanac.families.planner.cards.event_gates import edge_of

        edge = edge_of(self._planner, gate)
        if edge is None:
            return ClosedGate(gate, stuck="Its event was cancelled or deleted.")
        return None if edge.at <= self._now else ClosedGate(gate, edge.at)

    def _review(self, gate: Gate) -> ClosedGate | None:
        from almanac.families.team.core.records import DECIDED_REVIEWS, PENDING_REVIEWS

        if self._planner.rows(PENDING_REVIEWS).get(gate.name) is not None:
            return ClosedGate(gate)
        decided = self._planner.rows(DECIDED_REVIEWS).get(gate.name)
        return ClosedGate(gate, stuck="Its review was deleted.") if decided is None else None

    def _claim(self, gate: Gate) -> ClosedGate | None:
        self._overlapping = self._overlapping or _HeldKeys(self._planner)
        return ClosedGate(gate) if self._overlapping.holds(gate.name) else None


@contextmanager
def open_conditions(planner: Planner, card: Card, own: str, holder: str) -> Generator[dict[Key, Change]]:
    """Yield conditions under which the open gates of a card are still open when `holder` takes it with the claim `own`.
    Gates that wait for a time, an approval or a signal never close again, so they need none. Raises Retry if a gate has
    closed meanwhile."""
    gates = [gate for gate in card.gates if gate.kind in ("event", "review", "claim")]
    conditions = [_condition(planner, gate) for gate in gates if gate.kind != "claim"]
    kept: dict[Key, Change] = {condition.key: condition for condition in conditions}
    keys = [gate.name for gate in gates if gate.kind == "claim"]
    if not keys:
        yield kept
        return
    from almanac.families.team.claims.vacancy import keep_free

    with keep_free(project_of(planner.work()), keys, own, holder) as free:
        yield kept | free


def _condition(planner: Planner, gate: Gate) -> Check:
    if gate.kind == "review":
        from almanac.families.team.core.records import DECIDED_REVIEWS

        return Check(planner.rows(DECIDED_REVIEWS).key(gate.name), Present())
    from almanac.families.planner.cards.event_gates import edge_of

    edge = edge_of(planner, gate)
    if edge is None or edge.at > planner.now_ms():
        raise Retry
    return edge.condition


class _HeldKeys:
    """The claims that are currently held."""

    def __init__(self, planner: Planner) -> None:
        from almanac.families.team.claims.claims import Claims

        claims = Claims(project_of(planner.work()))
        self._reader = claims.keys()
        self._held = [self._reader.read(claim.key) for claim in claims.all_held()]

    def holds(self, key: str) -> bool:
        parsed_key = self._reader.parse(key)
        return any(self._reader.overlap(held, parsed_key) for held in self._held)
