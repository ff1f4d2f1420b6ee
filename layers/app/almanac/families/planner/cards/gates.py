"""Gates of a card: conditions it waits for before it can start, such as a time, an event, an approval, a signal, a
review or a free claim."""

import hmac
from collections.abc import Callable
from datetime import time
from hashlib import sha256
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import astuple, replace

from almanac.families.planner.boards.due_dates import existing_time
from almanac.families.planner.cards.cards import Cards
from almanac.families.planner.cards.event_gates import find_named_event
from almanac.families.planner.cards.gate_states import GateStates, is_named
from almanac.families.planner.core.days import parse_day_time, refuse_ambiguous
from almanac.families.planner.core.item_kinds import GATE
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import CARDS, Card, Gate
from almanac.families.planner.texts.redacted_texts import without_secrets
from almanac.families.planner.texts.texts import check_title
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import project_of
from almanac.families.team.core.roles import MOST_NAME
from almanac.families.team.messages.reviews import Reviews
from almanac.kernel.errors import Forbidden, InvalidInput, LimitExceeded, NotFound
from almanac.platform.store.conditions import Equals

MAX_GATES = 10
_TOKEN_BYTES = 24


class GateEdit(Struct, frozen=True, kw_only=True):
    """One gate to add, or the id of one to remove."""

    until: str | None = None
    person: str | None = None
    signal: str | None = None
    review: str | None = None
    claim: str | None = None
    remove: str | None = None


class GateOpening(NamedTuple):
    """The result of opening a gate. `closed` counts the gates of the card that are still closed."""

    changed: bool
    closed: int


def edit_gates(planner: Planner, card_id: str, edit: GateEdit) -> tuple[Gate | None, str | None]:
    """Add or remove a gate. Return the new gate, and the token of a signal. Raises InvalidInput for a past time and for
    words that are neither a time nor one event, NotFound for an unknown review, and LimitExceeded over 10 gates."""
    if sum(each is not None for each in astuple(edit)) != 1:
        raise InvalidInput(
            "A gate takes exactly one condition.",
            "Give one of until, person, signal, review, claim or remove.",
            path="until",
        )
    if edit.remove is not None:
        removed_id = edit.remove.strip()

        def without(card: Card) -> tuple[Gate, ...]:
            _gate_of(card, removed_id)
            return tuple(gate for gate in card.gates if gate.id != removed_id)

        _change(planner, card_id, without)
        return None, None
    edit, _ = without_secrets(edit, ("until", "person", "signal", "claim"))
    token = planner.random_bytes(_TOKEN_BYTES).hex() if edit.signal is not None else None
    gate = _new_gate(planner, edit, token)

    def with_gate(card: Card) -> tuple[Gate, ...]:
        if len(card.gates) >= MAX_GATES:
            raise LimitExceeded(f"A card has at most {MAX_GATES} gates.", "Remove one that no longer matters.")
        return (*card.gates, gate)

    _change(planner, card_id, with_gate)
    return gate, token


def open_card_gate(planner: Planner, card_id: str, gate_id: str, token: str | None) -> GateOpening:
    """Open a gate. Raises Forbidden for another person's approval, for an agent in place of a person and for a wrong
    token, and InvalidInput for a gate that opens by itself."""
    gate_id = gate_id.strip()

    def with_gate_open(card: Card) -> tuple[Gate, ...]:
        gate = _gate_of(card, gate_id)
        _refuse_others(planner, gate, token)
        if GateStates(planner).state_of(gate) is None:
            return card.gates
        new = replace(gate, opened_at=planner.now_ms(), opened_by=planner.actor)
        return tuple(new if one.id == gate_id else one for one in card.gates)

    before, after = _change(planner, card_id, with_gate_open)
    return GateOpening(before is not after, len(GateStates(planner).closed_gates(after.gates)))


def _new_gate(planner: Planner, edit: GateEdit, token: str | None) -> Gate:
    gate_id = planner.new_id(GATE)
    if edit.until is not None:
        return _gate_until(planner, gate_id, check_title(edit.until, "until"))
    if edit.review is not None:
        return Gate(id=gate_id, kind="review", name=Reviews(project_of(planner.work())).get(edit.review.strip()).id)
    if edit.claim is not None:
        key = Claims(project_of(planner.work())).keys().parse(edit.claim)
        return Gate(id=gate_id, kind="claim", name=key.text)
    if edit.person is not None:
        return Gate(id=gate_id, kind="person", name=check_title(edit.person, "person", MOST_NAME))
    digest = sha256((token or "").encode()).hexdigest()
    return Gate(id=gate_id, kind="signal", name=check_title(edit.signal or "", "signal"), token_sha256=digest)


def _gate_until(planner: Planner, gate_id: str, words: str) -> Gate:
    """Parse the words of a gate once. A time opens the gate at that instant, even if clock rules change later; a day
    opens it at its first moment. An event opens it at its start or end, even if the event moves."""
    refuse_ambiguous(words, "until", planner)
    try:
        parsed = parse_day_time(words, "until", planner)
    except InvalidInput:
        named, zone = find_named_event(planner, words), planner.display_zone.key
        return Gate(id=gate_id, kind="event", name=words, event=named.id, edge=named.edge, zone=zone)
    opens = existing_time(parsed.day, parsed.clock or time(), planner.zone)
    if opens <= planner.now():
        raise InvalidInput(
            f'"{words[:60]}" is already past: {opens.isoformat(timespec="minutes")}.',
            "Give a later time.",
            path="until",
        )
    return Gate(id=gate_id, kind="time", name=words, opens_at=int(opens.timestamp() * 1000))


def _refuse_others(planner: Planner, gate: Gate, token: str | None) -> None:
    if gate.kind not in ("person", "signal"):
        raise InvalidInput("The gate opens by itself.", "Remove it with kanban_gate to start earlier.")
    if gate.kind == "person" and not is_named(gate, planner.actor):
        raise Forbidden(
            f'Only "{gate.name}" can approve this gate, and your key belongs to another actor.',
            "Ask them to open it: on the page Board of the dashboard, or with a key made for a person.",
            untrusted=True,
        )
    if gate.kind == "person" and not planner.is_person:
        raise Forbidden(
            "Only a person can approve this gate, and your key belongs to an agent.",
            "Ask them to say yes on the page Board of the dashboard (`almanac open`). A program through which they "
            "decide needs a key made for a person: `almanac keys issue --person`, or `almanac keys edit KEY --person`.",
            code="not_a_person",
        )
    token_digest = sha256((token or "").strip().encode(errors="replace")).hexdigest()
    if gate.kind == "signal" and not hmac.compare_digest(gate.token_sha256, token_digest):
        raise Forbidden("The token does not belong to this gate.", "Give the token that kanban_gate returned.")


def _gate_of(card: Card, gate_id: str) -> Gate:
    found = next((gate for gate in card.gates if gate.id == gate_id), None)
    if found is None:
        raise NotFound(f'The card has no gate "{gate_id[:80]}".', "kanban_ready lists the closed gates of cards.")
    return found


def _change(planner: Planner, card_id: str, edited: Callable[[Card], tuple[Gate, ...]]) -> tuple[Card, Card]:
    """Write the gates that `edited` returns for a card. Return the card before and after, the same object if nothing
    changed."""
    cards, rows = Cards(planner), planner.rows(CARDS)

    def attempt() -> tuple[Card, Card]:
        card = cards.find(card_id)
        gates = edited(card)
        if gates is card.gates:
            return card, card
        changed = replace(card, gates=gates, version=card.version + 1, updated_at=planner.now_ms())
        put = rows.put(changed, Equals("version", card.version) & Equals("id", card.id))
        payload = {
            "title": card.title,
            "gates": [{"id": gate.id, "kind": gate.kind, "name": gate.name} for gate in gates],
        }
        planner.store.write([put, *planner.emit("item_updated", "task", card.id, payload)])
        return card, changed

    return planner.retry_on_conflict(attempt, "the card")
