"""A turn as a caller gives it, and as it is kept: checked, without secrets, with the digest that makes it the same."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from almanac.content.redaction import SecretFinding, redact
from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Role
from almanac.families.memory.core.redacted_fields import RedactedFields, without_secrets
from almanac.families.memory.core.times import Moment
from almanac.families.team.claims.requirement import Requirement
from almanac.families.team.core.project import check_size
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso
from almanac.platform.store.values import checked

CONTENT_BYTES = 64 * 1024
METADATA_BYTES = 16 * 1024
AHEAD_MS = 366 * 86_400_000
_DIGEST = 32
"""Hexadecimal digits: 128 bits tell the recent turns of one actor apart."""
_AS_SECONDS = 10**11
"""Milliseconds below this are of 1970 to 1973, where hardly anything that is recorded happened."""

Content = Annotated[str, Meta(min_length=1, max_length=CONTENT_BYTES)]
SessionId = Annotated[str, Meta(min_length=1, max_length=200, examples=["7f3a"])]
"""Keys of 1 KB have room for so many characters, of whatever kind, beside an instant."""
ClientTurnId = Annotated[str, Meta(min_length=1, max_length=256)]
ToolName = Annotated[str, Meta(min_length=1, max_length=128)]
ClaimKey = Annotated[str, Meta(min_length=1, max_length=256)]
Holder = Annotated[str, Meta(min_length=1, max_length=256)]
Policy = Literal["soft", "hard"]
Token = Annotated[int, Meta(ge=0)]
Speaker = Annotated[str, Meta(min_length=1, max_length=128)]
Tags = Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=20)]


class TurnInput(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One turn of record_turns: the same fields as in record_turn."""

    content: Content
    role: Role = "event"
    session_id: SessionId | None = None
    metadata: dict[str, Any] | None = None
    client_turn_id: ClientTurnId | None = None
    tool: ToolName | None = None
    requires_claim: ClaimKey | None = None
    holder: Holder | None = None
    claim_policy: Policy = "soft"
    claim_token: Token | None = None
    occurred_at: Moment | None = None
    speaker: Speaker | None = None
    tags: Tags | None = None


class Gate(Struct, frozen=True):
    """The claim that a turn requires; `is_hard`: it is not recorded without."""

    requirement: Requirement
    is_hard: bool


class ValidatedTurn(Struct, frozen=True, kw_only=True):
    """A turn that can be recorded. `at` is None where it happens now. Turns of the same `digest` are the same turn.
    `findings` are of all its texts, those of `kept` included."""

    kept: RedactedFields
    role: Role
    digest: str
    findings: tuple[SecretFinding, ...] = ()
    session: str | None = None
    at: int | None = None
    tool: str | None = None
    speaker: str | None = None
    client_turn_id: str | None = None
    gate: Gate | None = None
    notes: tuple[str, ...] = ()

    @property
    def redacted(self) -> tuple[str, ...]:
        """The kinds of secrets that were taken out."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    @property
    def bytes(self) -> int:
        return len(self.kept.content.encode()) + len(msgspec.json.encode(self.kept.metadata))


def validate_turn(given: TurnInput, now: int, instant_of: Callable[[int | str], int]) -> ValidatedTurn:
    """The turn as it is kept; `instant_of` reads `occurred_at`. Raises InvalidInput for what cannot be recorded."""
    _check(given)
    at = None if given.occurred_at is None else _within_bounds(instant_of(given.occurred_at), now)
    tags = tuple(dict.fromkeys(given.tags or ()))
    kept = without_secrets(given.content, tags, given.metadata or {})
    speaker, spoken = _redacted(given.speaker, "speaker")
    tool, called = _redacted(given.tool, "tool")
    return ValidatedTurn(
        kept=kept,
        role=given.role,
        digest=_digest(given, kept, speaker, at),
        findings=(*kept.findings, *spoken, *called),
        session=given.session_id,
        at=at,
        tool=tool,
        speaker=speaker,
        client_turn_id=given.client_turn_id,
        gate=_gate(given),
        notes=_notes(given.occurred_at),
    )


def _digest(given: TurnInput, kept: RedactedFields, speaker: str | None, at: int | None) -> str:
    """Made of what is stored, without its secrets: these could be guessed from a digest of the whole."""
    metadata = msgspec.json.encode(kept.metadata, order="deterministic").decode()
    tags = msgspec.json.encode(sorted(kept.tags)).decode()
    when = "" if at is None else str(at)
    return digest_of(given.role, given.session_id or "", kept.content, metadata, tags, speaker or "", when)[:_DIGEST]


def _check(given: TurnInput) -> None:
    # What no store holds, such as half a surrogate pair, is refused first: nothing below could encode it.
    checked({name: value for name, value in msgspec.structs.asdict(given).items() if value is not None})
    if not given.content.strip():
        raise InvalidInput("content is empty.", "Send the text of the turn.", path="content")
    size = len(given.content.encode())
    if size > CONTENT_BYTES:
        raise InvalidInput(
            f"content has {size} bytes in UTF-8, over {CONTENT_BYTES}.",
            "Record it in several turns, or keep it elsewhere and record where it is.",
            path="content",
        )
    check_size(given.metadata or {}, "metadata", METADATA_BYTES)
    for path, name in (("session_id", given.session_id), ("client_turn_id", given.client_turn_id)):
        if name is not None and (secrets := redact(name).findings):
            raise InvalidInput(f"{path} contains a secret ({secrets[0].kind}).", "Use another name.", path=path)


def _within_bounds(at: int, now: int) -> int:
    if not 0 <= at <= now + AHEAD_MS:
        raise InvalidInput(
            "occurred_at lies before 1970 or over a year ahead.",
            "Give milliseconds since 1970, not seconds or microseconds, or leave it out.",
            path="occurred_at",
        )
    return at


def _notes(occurred_at: int | str | None) -> tuple[str, ...]:
    if not isinstance(occurred_at, int) or occurred_at >= _AS_SECONDS:
        return ()
    return (f"occurred_at is in milliseconds and was read as {iso(occurred_at)}.",)


def _redacted(text: str | None, path: str) -> tuple[str | None, list[SecretFinding]]:
    if text is None:
        return None, []
    kept = redact(text)
    return kept.text, [msgspec.structs.replace(finding, path=path) for finding in kept.findings]


def _gate(given: TurnInput) -> Gate | None:
    if given.requires_claim is not None:
        requirement = Requirement(given.requires_claim, given.holder, given.claim_token)
        return Gate(requirement, given.claim_policy == "hard")
    for path, value in (("holder", given.holder), ("claim_token", given.claim_token)):
        if value is not None:
            raise InvalidInput(
                f"{path} needs requires_claim.",
                f"Name the key of the claim in requires_claim, or leave {path} out.",
                path=path,
            )
    return None
