"""Validate a turn: redact it, and give it a digest that identifies equal turns."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from almanac.content.redaction import SecretFinding, masked_secrets, redact
from almanac.families.memory.core.memory import digest_of
from almanac.families.memory.core.records import Role
from almanac.families.memory.core.redacted_fields import RedactedFields, without_secrets
from almanac.families.memory.core.times import Moment
from almanac.families.team.claims.requirement import Requirement
from almanac.families.team.core.project import check_size
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import iso
from almanac.platform.store.values import check_attributes

CONTENT_BYTES = 64 * 1024
METADATA_BYTES = 16 * 1024
AHEAD_MS = 366 * 86_400_000
_DIGEST = 32
"""Hexadecimal digits of a digest. 128 bits are enough to tell the recent turns of one actor apart."""
_AS_SECONDS = 10**11
"""Smaller values are probably seconds: as milliseconds they would lie between 1970 and 1973."""

Content = Annotated[str, Meta(min_length=1, max_length=CONTENT_BYTES)]
SessionId = Annotated[str, Meta(min_length=1, max_length=200, examples=["7f3a"])]
"""Keys of 1 KB have room for an instant and 200 characters of any kind."""
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
    """The claim that a turn requires. `is_hard`: without the claim, the turn is not recorded."""

    requirement: Requirement
    is_hard: bool


class ValidatedTurn(Struct, frozen=True, kw_only=True):
    """A turn that can be recorded. `at` is None if it happens now.

    Two turns with the same `digest` are the same turn. `findings` cover all its texts, not only those in `texts`.
    `masked` are secrets that were removed before the turn arrived."""

    texts: RedactedFields
    role: Role
    digest: str
    findings: tuple[SecretFinding, ...] = ()
    masked: tuple[SecretFinding, ...] = ()
    session: str | None = None
    at: int | None = None
    tool: str | None = None
    speaker: str | None = None
    client_turn_id: str | None = None
    gate: Gate | None = None
    notes: tuple[str, ...] = ()

    @property
    def redacted_kinds(self) -> tuple[str, ...]:
        """Return the kinds of secrets that were removed."""
        return tuple(dict.fromkeys(finding.kind for finding in self.findings))

    @property
    def bytes(self) -> int:
        return len(self.texts.content.encode()) + len(msgspec.json.encode(self.texts.metadata))


def validate_turn(turn: TurnInput, now: int, instant_of: Callable[[int | str], int]) -> ValidatedTurn:
    """Return the validated, redacted turn. `instant_of` parses `occurred_at`.

    Raises InvalidInput if the turn cannot be recorded."""
    _check(turn)
    at = None if turn.occurred_at is None else _within_bounds(instant_of(turn.occurred_at), now)
    tags = tuple(dict.fromkeys(turn.tags or ()))
    redacted = without_secrets(turn.content, tags, turn.metadata or {})
    speaker, spoken = _redact_field(turn.speaker, "speaker")
    tool, called = _redact_field(turn.tool, "tool")
    return ValidatedTurn(
        texts=redacted,
        role=turn.role,
        digest=_digest(turn, redacted, speaker, at),
        findings=(*redacted.findings, *spoken, *called),
        masked=masked_secrets(turn.content, "content"),
        session=turn.session_id,
        at=at,
        tool=tool,
        speaker=speaker,
        client_turn_id=turn.client_turn_id,
        gate=_gate(turn),
        notes=_notes(turn.occurred_at),
    )


def _digest(turn: TurnInput, redacted: RedactedFields, speaker: str | None, at: int | None) -> str:
    """Return the digest of the redacted turn.

    Secrets are left out, because a digest of the whole text would help to guess them."""
    metadata = msgspec.json.encode(redacted.metadata, order="deterministic").decode()
    tags = msgspec.json.encode(sorted(redacted.tags)).decode()
    when = "" if at is None else str(at)
    return digest_of(turn.role, turn.session_id or "", redacted.content, metadata, tags, speaker or "", when)[:_DIGEST]


def _check(turn: TurnInput) -> None:
    # Refuse invalid Unicode first, because nothing below can encode it.
    check_attributes({name: value for name, value in msgspec.structs.asdict(turn).items() if value is not None})
    if not turn.content.strip():
        raise InvalidInput("content is empty.", "Send the text of the turn.", path="content")
    size = len(turn.content.encode())
    if size > CONTENT_BYTES:
        raise InvalidInput(
            f"content has {size} bytes in UTF-8, over {CONTENT_BYTES}.",
            "Record it in several turns, or keep it elsewhere and record where it is.",
            path="content",
        )
    check_size(turn.metadata or {}, "metadata", METADATA_BYTES)
    for path, name in (("session_id", turn.session_id), ("client_turn_id", turn.client_turn_id)):
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


def _redact_field(text: str | None, path: str) -> tuple[str | None, list[SecretFinding]]:
    if text is None:
        return None, []
    redacted = redact(text)
    return redacted.text, [msgspec.structs.replace(finding, path=path) for finding in redacted.findings]


def _gate(turn: TurnInput) -> Gate | None:
    if turn.requires_claim is not None:
        requirement = Requirement(turn.requires_claim, turn.holder, turn.claim_token)
        return Gate(requirement, turn.claim_policy == "hard")
    for path, value in (("holder", turn.holder), ("claim_token", turn.claim_token)):
        if value is not None:
            raise InvalidInput(
                f"{path} needs requires_claim.",
                f"Name the key of the claim in requires_claim, or leave {path} out.",
                path=path,
            )
    return None
