"""Results of the tools for claims. Instants are milliseconds since 1970."""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from almanac.families.team.claims import requirement
from almanac.families.team.claims.claims import Reason
from almanac.families.team.claims.requirement import PathReason
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import ClaimRecord, Notice, NoticeKind, Presence
from almanac.platform.declaration.path_context import NoteKind, PathNote

_ABOUT_CHARACTERS = 1500
_NOTE_CHARACTERS = (200, 140, 100, 70)
"""Lengths to which the text of each note is cut. The first length at which all notes fit is used."""
_REFUSED_PATHS = 50


class Claim(msgspec.Struct, frozen=True, omit_defaults=True):
    """Instants are milliseconds since 1970. `token` grows with each acquisition of the key. Send it with each write
    under the claim, so that late writes of a former holder are recognised. `handover`: it was handed over to `actor`,
    who has not answered yet. `notes` name parts of the metadata that look like instructions or were removed."""

    key: str
    holder: str
    actor: str
    token: int
    acquired_at: int
    expires_at: int
    expires_in_ms: int
    metadata: dict[str, Any]
    handover: str | None = None
    notes: tuple[str, ...] = ()


class LapsedClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """A change of one of your claims since your last call. claim_expired: it expired. claim_taken: `taken_by` took it,
    for `reason`. claim_granted: you waited in line, and hold it now until `expires_at`. `expired_at` is the time of the
    change. `untrusted`: the actor who took it wrote `taken_by` and `reason`; `notes` name parts of the reason that look
    like instructions."""

    key: str
    token: int
    expired_at: int
    kind: NoticeKind
    taken_by: str | None = None
    reason: str | None = None
    expires_at: int | None = None
    untrusted: bool = False
    notes: tuple[str, ...] = ()


class ClaimTakeover(msgspec.Struct, frozen=True):
    """A claim of another holder, ended by force. `untrusted`: that holder wrote key and holder."""

    key: str
    holder: str
    actor: str
    token: int
    untrusted: bool = True


class About(msgspec.Struct, frozen=True, omit_defaults=True):
    """A text that names the path you claimed; it is cut if it ends with …. `untrusted`: others wrote it; `notes` name
    parts that look like instructions."""

    kind: NoteKind
    id: str
    text: str
    at: int
    actor: str
    untrusted: bool = False
    notes: tuple[str, ...] = ()


class ClaimAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """`deduped`: you held it already, and its end moved to `expires_at`. `taken_from`: claims of others that yours
    ended. `about`: decisions, constraints, memories, facts, notes, bookings, open reviews and messages that name it."""

    ok: bool
    claim: Claim
    deduped: bool
    taken_from: tuple[ClaimTakeover, ...] = ()
    notices: tuple[LapsedClaim, ...] = ()
    about: tuple[About, ...] = ()


class PlaceInLine(msgspec.Struct, frozen=True):
    """Your place in line; 1 is the first. It ends at `expires_at` unless you ask again."""

    position: int
    queued_at: int
    expires_at: int


class InLine(msgspec.Struct, frozen=True):
    """An actor that waits for a key."""

    key: str
    holder: str
    actor: str
    queued_at: int
    expires_at: int


class OwnersLast(msgspec.Struct, frozen=True, omit_defaults=True):
    """The activity that the holder last reported, at `at`. `notes` name parts that look like instructions."""

    at: int
    action: str | None = None
    file: str | None = None
    tool: str | None = None
    notes: tuple[str, ...] = ()


class ClaimConflict(msgspec.Struct, frozen=True, omit_defaults=True):
    """`held_key` is the claimed key that equals or overlaps yours. `held_by_actor` is the actor who claimed it, if it
    is not you, and `owner_last` that actor's last heartbeat. `untrusted`: that actor wrote the texts."""

    ok: bool
    held_by: str
    held_key: str
    expires_at: int
    expires_in_ms: int
    untrusted: bool
    held_by_actor: str | None = None
    owner_last: OwnersLast | None = None
    queued: PlaceInLine | None = None
    notices: tuple[LapsedClaim, ...] = ()


class ClaimRelease(msgspec.Struct, frozen=True, omit_defaults=True):
    """`left_queue`: you did not hold it but were in line for it, and have left the line."""

    ok: bool
    left_queue: bool = False
    notices: tuple[LapsedClaim, ...] = ()


class ExtensionAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    ok: bool
    expires_at: int
    notices: tuple[LapsedClaim, ...] = ()


class NotYours(msgspec.Struct, frozen=True, omit_defaults=True):
    """`held_by` and `expires_at` are the present holder and the end of its claim, if there is one; `held_by_actor` is
    its actor, if it is not you. `untrusted`: that holder wrote `held_by`."""

    ok: bool
    reason: Reason
    held_by: str | None = None
    expires_at: int | None = None
    held_by_actor: str | None = None
    untrusted: bool = False
    notices: tuple[LapsedClaim, ...] = ()


class RefusedPath(msgspec.Struct, frozen=True, omit_defaults=True):
    """wrong_holder: another holder has it. wrong_actor: another API key claimed it under the same holder. stale_token:
    you hold it under another token. not_held: you hold none of the paths. `held_key` is the key that covers or overlaps
    the path. `untrusted`: others wrote key and holder."""

    path: str
    reason: PathReason
    held_key: str | None = None
    held_by: str | None = None
    held_by_actor: str | None = None
    expires_at: int | None = None
    untrusted: bool = False


class PathCheck(msgspec.Struct, frozen=True, omit_defaults=True):
    """`refused` has the first fifty of `refused_count`."""

    ok: bool
    checked: int
    refused: tuple[RefusedPath, ...] = ()
    refused_count: int = 0


class Page(msgspec.Struct, frozen=True, omit_defaults=True):
    """A page of claims; if `next_cursor` is not null, continue with it, even after a page without claims. `notices` are
    repeated by the holder's next call that changes something. `waiting` lists the actors in line, on the first page.
    `untrusted`: others wrote keys, holders and metadata."""

    claims: tuple[Claim, ...]
    next_cursor: str | None
    waiting: tuple[InLine, ...] = ()
    untrusted: bool = False
    notices: tuple[LapsedClaim, ...] = ()


def claim_view(record: ClaimRecord, now: int) -> Claim:
    """Return a held claim as a caller sees it at `now`."""
    expires_at = record.lapses_at or now
    quoting = TextQuoter()
    return Claim(
        key=record.key,
        holder=record.holder or "",
        actor=record.actor,
        token=record.token,
        acquired_at=record.acquired_at,
        expires_at=expires_at,
        expires_in_ms=max(0, expires_at - now),
        metadata=quoting.json("metadata", record.metadata),
        handover=record.handover,
        notes=quoting.notes,
    )


def about_views(notes: Sequence[PathNote]) -> tuple[About, ...]:
    """Return as many notes about a path as fit. The more notes there are, the shorter each is."""
    views = [_about_view(note) for note in notes]
    shown: tuple[About, ...] = ()
    for characters in _NOTE_CHARACTERS:
        shown = _fit_notes(views, characters)
        if len(shown) == len(views):
            break
    return shown


def _about_view(note: PathNote) -> About:
    quoting = TextQuoter()
    text = quoting.text("text", note.text)
    return About(note.kind, note.id, text, note.at, note.actor, True, quoting.notes)


def _fit_notes(views: Sequence[About], characters: int) -> tuple[About, ...]:
    shown: list[About] = []
    left = _ABOUT_CHARACTERS - len("[]")
    for view in views:
        is_long = len(view.text) > characters
        about = replace(view, text=f"{view.text[: characters - 1].rstrip()}…") if is_long else view
        left -= len(msgspec.json.encode(about).decode()) + len(",")
        if left < 0:
            break
        shown.append(about)
    return tuple(shown)


def last_view(presence: Presence | None) -> OwnersLast | None:
    """Return the last heartbeat of a holder, as a caller sees it."""
    if presence is None:
        return None
    quoting = TextQuoter()
    return OwnersLast(
        at=presence.seen_at,
        action=quoting.optional_text("action", presence.current_action),
        file=quoting.optional_text("file", presence.current_file),
        tool=quoting.optional_text("tool", presence.tool),
        notes=quoting.notes,
    )


def check_view(
    paths: Collection[str],
    refused: Sequence[requirement.RefusedPath],
    now: int,
    other_actor: Callable[[ClaimRecord], str | None],
) -> PathCheck:
    """Return the result of a check, as a caller sees it at `now`."""
    shown: list[RefusedPath] = []
    for one in refused[:_REFUSED_PATHS]:
        if one.claim is None:
            shown.append(RefusedPath(one.path, one.reason))
            continue
        held = claim_view(one.claim, now)
        actor = other_actor(one.claim)
        shown.append(RefusedPath(one.path, one.reason, held.key, held.holder, actor, held.expires_at, True))
    return PathCheck(not refused, len(set(paths)), tuple(shown), len(refused))


def notice_views(notices: Iterable[Notice]) -> tuple[LapsedClaim, ...]:
    """Return notices as a caller sees them."""
    return tuple(map(_notice_view, notices))


def _notice_view(notice: Notice) -> LapsedClaim:
    quoting = TextQuoter()
    return LapsedClaim(
        key=notice.key,
        token=notice.token,
        expired_at=notice.expired_at,
        kind=notice.kind,
        taken_by=quoting.optional_text("taken_by", notice.taken_by),
        reason=quoting.optional_text("reason", notice.reason),
        expires_at=notice.until,
        untrusted=notice.taken_by is not None,
        notes=quoting.notes,
    )
