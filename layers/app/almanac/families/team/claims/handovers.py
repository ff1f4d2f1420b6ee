"""Handovers of claims to another actor, who accepts or declines them.

The receiver owns the claims from the offer on, with new tokens. So they have an owner at every instant, and the server
rejects late writes of the giver. If the handover is declined, withdrawn or not answered, the claims return to the giver
in one write.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, cast

import msgspec
from msgspec import Struct

from almanac.content.redaction import SecretFinding, redact_value
from almanac.families.team.claims import settings
from almanac.families.team.claims.acquisition import stored_claim
from almanac.families.team.claims.expiry import LONGEST_MS, expire, has_expired, is_held
from almanac.families.team.claims.transfer import MOST_MOVED, Destination, transfer
from almanac.families.team.core.actors import is_same_actor
from almanac.families.team.core.project import Project, check_size, system_project
from almanac.families.team.core.records import CLAIMS, HANDOVERS, ClaimRecord, HandedClaim, Handover, HandoverState
from almanac.families.team.messages.delivery import NAME_BYTES, MessageWrite, plan_message
from almanac.families.team.messages.mail import open_mail
from almanac.families.team.messages.mail_records import Letter, box_of, is_own
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, LimitExceeded, NotFound
from almanac.kernel.ids import time_ordered_uuid
from almanac.platform.bus.outbox import outbox
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.services import Services
from almanac.platform.store.contention import Retry
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

NOTE_BYTES = 6 * 1024
EVIDENCE_BYTES = 4 * 1024
GRACE_MS = 300_000
"""The claims outlast the time to answer by this much, so that they can still return to the giver."""
LONGEST_WAIT_MS = LONGEST_MS - GRACE_MS
_ABOUT_BYTES = 3 * 1024
_SUBJECT = 120
_PREVIEW = 200


class Offer(Struct, frozen=True, kw_only=True):
    """Work to hand over. The caller holds the claims of `keys` under the name `holder`; the receiver's mail also names
    `card`."""

    receiver: str
    holder: str
    keys: Sequence[str]
    note: str
    evidence: dict[str, Any]
    answer_ms: int
    card: str | None = None


class HandoverResult(Struct, frozen=True):
    """A handover and the claims that moved in its last step. `lost` has the keys of claims that ended before."""

    handover: Handover
    claims: Sequence[ClaimRecord]
    lost: Sequence[str] = ()


def offer_handover(project: Project, offer: Offer, conditions: Callable[[], Sequence[Change]]) -> HandoverResult:
    """Move the claims to the receiver and announce them by mail. `conditions` are part of the same write.

    Raises Conflict for claims that the caller does not hold, or that overlap with others that it holds. Raises
    InvalidInput for values out of bounds, and LimitExceeded if the receiver's inbox is full.
    """
    _check(offer)
    redacted = redact_value({"note": offer.note, "evidence": offer.evidence})
    redacted_input = cast("dict[str, Any]", redacted.value)
    offer = msgspec.structs.replace(offer, note=redacted_input["note"], evidence=redacted_input["evidence"])
    receiver = offer.receiver.strip()

    def attempt() -> HandoverResult:
        claims, now = _read_offered_claims(project, offer), project.now()
        handover_id = time_ordered_uuid(now, project.random_bytes)
        answer_by = now + offer.answer_ms
        sent = plan_message(project, _offer_letter(offer, receiver, handover_id, claims), at=now)
        handover = Handover(
            id=handover_id,
            giver=project.actor,
            holder=offer.holder,
            receiver=receiver,
            claims=[HandedClaim(one.id, one.key, one.ttl_ms or LONGEST_MS) for one in claims],
            card=offer.card,
            note=offer.note,
            evidence=offer.evidence,
            offered_at=now,
            answer_by=answer_by,
            lapses_at=answer_by,
            message=sent.message.id,
        )
        ttl_ms = {claim.id: offer.answer_ms + GRACE_MS for claim in claims}
        to = Destination(receiver, receiver, ttl_ms, handover_id)
        event = project.event("handover_offered", handover_id, _payload(handover), at=now)
        found = redaction_changes(project, handover_id, "claim", redacted.findings, now)
        changes = [*conditions(), project.rows(HANDOVERS).insert(handover), *sent.changes, *found, *outbox([event])]
        return HandoverResult(handover, transfer(project, claims, to, lambda: changes))

    return project.retry_on_conflict(attempt)


def settle_handover(
    project: Project, handover_id: str, accepts: bool, holder: str, comment: str | None
) -> HandoverResult:
    """Accept a handover as `holder`, or give all of its claims back. The giver may withdraw it. The first answer
    counts.

    Raises NotFound for an unknown id, Forbidden for a handover between other actors, Conflict if it has ended.
    """
    handover_id, redacted = handover_id.strip(), redact_value({"comment": comment})
    redacted_comment = cast("dict[str, str | None]", redacted.value)["comment"]

    def attempt() -> HandoverResult:
        handover, now = project.rows(HANDOVERS).get(handover_id) if handover_id else None, project.now()
        if handover is None:
            raise NotFound(f"There is no handover {handover_id[:80]}.", "read_inbox has the mail that announced it.")
        is_receiver = is_same_actor(project.actor, handover.receiver)
        if not is_receiver and (accepts or not is_same_actor(project.actor, handover.giver)):
            raise Forbidden("This handover is not addressed to you.", "Only its receiver can accept it.")
        state: HandoverState = "accepted" if accepts else "declined" if is_receiver else "withdrawn"
        if handover.state == state and is_same_actor(handover.answered_by or "", project.actor):
            return _repeat_answer(project, handover)
        if handover.state != "offered":
            raise Conflict(
                f"The handover has ended: it was {handover.state}.",
                "Ask its giver to hand it over again.",
                code="already_answered",
            )
        if handover.answer_by <= now:
            _end(project, handover, "lapsed")
            raise Retry
        return _end(project, handover, state, holder, redacted_comment, redacted.findings)

    handed = project.retry_on_conflict(attempt)
    if is_same_actor(project.actor, handed.handover.receiver):
        with suppress(NotFound):
            open_mail(project).acknowledge(handed.handover.message)
    return handed


def return_unanswered(services: Services, scope: Scope) -> int:
    """Return unanswered handovers to their givers, once each, and count them. Any number of processes may call this at
    once."""
    project = system_project(services, scope)
    rows = project.rows(HANDOVERS)

    def attempt(handover_id: str) -> bool:
        handover = rows.get(handover_id)
        if handover is None or handover.state != "offered" or handover.answer_by > project.now():
            return False
        _end(project, handover, "lapsed")
        return True

    due = list(rows.every(until=project.now() + 1, index="gsi1"))
    return sum(project.retry_on_conflict(lambda one=one: attempt(one.id)) for one in due)


def _check(offer: Offer) -> None:
    if not is_own(box_of(offer.receiver)) or not offer.receiver.strip():
        raise InvalidInput("A handover needs exactly one receiver.", "Name an agent or a person.", path="to")
    if not offer.note.strip():
        raise InvalidInput("The note is empty.", "Say what is done and what comes next.", path="note")
    if not offer.keys:
        raise InvalidInput("There is nothing to hand over.", "Give a card or claims that you hold.", path="claims")
    if len(offer.keys) > MOST_MOVED:
        raise InvalidInput(
            f"A handover has at most {MOST_MOVED} claims.", "Offer the others in another handover.", path="claims"
        )
    check_size(offer.note, "note", NOTE_BYTES)
    check_size(offer.evidence, "evidence", EVIDENCE_BYTES)


def _read_offered_claims(project: Project, offer: Offer) -> list[ClaimRecord]:
    """Read the claims of the offer. Raises Conflict for a claim that the caller does not hold."""
    keys, owner = settings.keys_of(settings.stored_settings(project)), (offer.holder, project.actor)
    held: dict[str, ClaimRecord] = {}
    for text in offer.keys:
        claim, now = stored_claim(project, keys.parse(text), owner), project.now()
        if claim is not None and has_expired(claim, now):
            expire(project, claim.id)
            raise Retry
        if claim is None or (claim.holder, claim.actor) != owner:
            owned = f": {claim.holder[:80]} does" if claim is not None and claim.holder else ""
            raise Conflict(
                f'You do not hold "{text[:80]}" as {offer.holder[:80]}{owned}.',
                "Claim it first (a card with kanban_take), or leave it out.",
                code="not_held",
                untrusted=True,
            )
        if claim.handover is not None:
            raise Conflict(
                f'"{text[:80]}" was handed over to you, and you have not answered.',
                "Accept it with answer_handover first.",
                code="unanswered",
            )
        held[claim.id] = claim
    return list(held.values())


def _end(
    project: Project,
    handover: Handover,
    state: HandoverState,
    holder: str = "",
    comment: str | None = None,
    findings: Sequence[SecretFinding] = (),
) -> HandoverResult:
    """Move the remaining claims to their owner after the handover, and announce the end to the other side."""
    now, found = project.now(), project.rows(CLAIMS).by_id([claim.id for claim in handover.claims])
    left = [one for one in found.values() if is_held(one, now) and one.handover == handover.id]
    owner = (holder, project.actor) if state == "accepted" else (handover.holder, handover.giver)
    to = Destination(*owner, {claim.id: claim.ttl_ms for claim in handover.claims})
    ended = msgspec.structs.replace(
        handover, state=state, comment=comment, lapses_at=None, answered_at=now, answered_by=project.actor
    )

    def also() -> Sequence[Change]:
        mail = _answer_mail(project, ended, now)
        event = project.event(f"handover_{state}", handover.id, _payload(ended), at=now)
        lost = redaction_changes(project, handover.id, "claim", findings, now)
        return [replace(project.rows(HANDOVERS), ended), *lost, *(mail.changes if mail else ()), *outbox([event])]

    try:
        moved = transfer(project, left, to, also)
    except Conflict:
        if state != "lapsed":
            raise
        # The receiver claimed overlapping keys and does not answer, so the claims stay with it until they expire.
        moved = transfer(project, [], to, also)
    gone = {one.id for one in moved}
    return HandoverResult(ended, moved, [claim.key for claim in handover.claims if claim.id not in gone])


def _repeat_answer(project: Project, handover: Handover) -> HandoverResult:
    """Answer a repeated call with the current state of the claims that the first call moved."""
    owner = project.actor if handover.state == "accepted" else handover.giver
    found, now = project.rows(CLAIMS).by_id([claim.id for claim in handover.claims]), project.now()
    held = [one for one in found.values() if is_held(one, now) and one.actor == owner and one.handover is None]
    ids = {one.id for one in held}
    return HandoverResult(handover, held, [claim.key for claim in handover.claims if claim.id not in ids])


def _offer_letter(offer: Offer, receiver: str, handover_id: str, claims: Sequence[ClaimRecord]) -> Letter:
    evidence = [f"{name}: {_text(value)}" for name, value in offer.evidence.items()]
    about = [*([offer.card] if offer.card else []), *(claim.key for claim in claims)]
    answer = f"Handover {handover_id}: accept or decline it with answer_handover within {_minutes(offer.answer_ms)}."
    return Letter(
        to=[receiver],
        subject=f"Handover: {offer.note.strip().splitlines()[0][:_SUBJECT]}",
        body="\n".join([answer, "", offer.note, *(["", "Evidence:", *evidence] if evidence else [])]),
        ack_required=True,
        about=_fit_names(about),
    )


def _fit_names(about: Sequence[str]) -> list[str]:
    """Return as many names as fit into the mail."""
    left, kept = _ABOUT_BYTES, list[str]()
    for one in dict.fromkeys(about):
        left -= len(one.encode())
        if len(one.encode()) <= NAME_BYTES and left >= 0:
            kept.append(one)
    return kept


def _answer_mail(project: Project, handover: Handover, now: int) -> MessageWrite | None:
    """Plan mail to the side that did not end the handover. Returns None if its inbox is full or the sender's rate limit
    is reached; the event carries the same news."""
    others = {"accepted": [handover.giver], "declined": [handover.giver], "withdrawn": [handover.receiver]}
    letter = Letter(
        to=others.get(handover.state, [handover.giver, handover.receiver]),
        subject=f"The handover was {handover.state}",
        body=handover.comment or f"It was {handover.state}.",
        thread=handover.message,
        about=_fit_names([*([handover.card] if handover.card else []), *(claim.key for claim in handover.claims)]),
    )
    with suppress(LimitExceeded):
        return plan_message(project, letter, at=now)
    return None


def _payload(handover: Handover) -> dict[str, object]:
    return {
        "handover_id": handover.id,
        "from": handover.giver,
        "to": handover.receiver,
        "card": handover.card,
        "claims": [claim.key for claim in handover.claims],
        "note_preview": handover.note[:_PREVIEW],
        "answer_by": handover.answer_by,
    }


def _text(value: Any) -> str:
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _minutes(ms: int) -> str:
    return f"{max(1, ms // 60_000)} minutes"
