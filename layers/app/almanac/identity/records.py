"""The records of tenants, projects and keys, and their keys in the store.

    S#tenants            <tenant>             Tenant
    T#<tenant>#projects  <project>            Project
    S#keys#<key id>      key                  KeyRecord, also found by gsi1 at T#<tenant>#keys, <key id>
    S#key_uses#<key id>  <window>#<start>     how often the key was used in that minute or day; expires with it
    S#tenant_uses#<tenant>  <window>#<start>  the same of all keys of a tenant together
    S#call_leases#<tenant>  <number>          that an expensive call of the tenant may run; see `access.call_leases`
    S#guesses#<network>  <what>#<which>       refused keys of a network, and keys it is known for; see `guesses`

API keys are outside any tenant because a request's tenant is known by its key. How often they are used is
counted apart from them: who counts must not be able to change a key. Instants are milliseconds since 1970.
"""

import re
from collections.abc import Mapping, Sequence
from typing import TypeVar
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.conditions import Absent, Equals, Present
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Index
from almanac.platform.store.values import Value

ANY_PROJECT = "*"
STANDARD = "standard"
TIERS = ("trial", STANDARD, "premium")

MAX_LIMIT = 1_000_000_000
MAX_BYTES = 2**53
MAX_CALLS_AT_ONCE = 1000
MAX_LABEL = 200
MAX_INSTALLERS = 50
MAX_INSTALLERS_TEXT = 4_000
WEEK_STARTS = ("monday", "sunday")
ACCEPTABLE = ("constraint", "convention", "deadline", "decision", "preference")
"""Kinds of memory candidates that a project may accept without a review."""

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
# What e-mail addresses are written with. No space, comma or control character: actors stand in headers and listings.
_ACTOR = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.!#$%&'*+/=?^`{|}~@-]{0,253}")
Record = TypeVar("Record", bound=msgspec.Struct)


class Tenant(msgspec.Struct, frozen=True):
    """`tier` is one of TIERS. On AWS each tier has a usage plan, which its tenants share.

    Zone and start of the week hold where neither key nor project says another. Limits count the requests of all keys
    together; on AWS `per_minute` and `calls_at_once`, the most expensive calls at one moment, are the tier's where
    None. `max_bytes` and `max_documents` are the defaults of `access.storage` where None. From `deleting_at` on no
    key works, and what is left is on its way out.
    """

    id: str
    name: str
    created_at: int
    tier: str = STANDARD
    default_timezone: str | None = None
    week_start: str | None = None
    per_minute: int | None = None
    per_day: int | None = None
    deleting_at: int | None = None
    max_bytes: int | None = None
    max_documents: int | None = None
    calls_at_once: int | None = None


class Project(msgspec.Struct, frozen=True):
    """Zone and start of the week hold where the key does not say another; None leaves them to the tenant. Without
    `shared_memory` it neither sees nor adds to what the tenant's other projects share. Skills that one of
    `trusted_installers` installed are trusted. Memory candidates of the kinds `auto_accept` need no review."""

    id: str
    created_at: int
    name: str = ""
    default_timezone: str | None = None
    week_start: str | None = None
    deleting_at: int | None = None
    shared_memory: bool = True
    trusted_installers: tuple[str, ...] = ()
    auto_accept: tuple[str, ...] = ()


class Grant(msgspec.Struct, frozen=True, kw_only=True):
    """Permissions of a key. `project` is one, or `*`: then each request names one in the header x-almanac-project.

    `families` None means all. `expires_at` is the first instant at which the key no longer works. Limits count
    requests; None means unlimited. Without a time zone or a start of the week, the project's apply. `operator` gives
    tools no further rights: a person who signs in with the key sees keys, sessions and the audit trail on the pages.
    `person` marks a key that a person uses, not an agent. Its calls may do what only people may, such as opening a gate
    that waits for approval.
    """

    tenant: str
    project: str
    actor: str
    label: str = ""
    families: tuple[str, ...] | None = None
    readonly: bool = False
    default_timezone: str | None = None
    week_start: str | None = None
    expires_at: int | None = None
    per_minute: int | None = None
    per_day: int | None = None
    operator: bool = False
    person: bool = False


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A key as stored. `digest` is SHA-256 of the secret. `replaced_by` is the key that a rotation made of it.

    `version` grows with each change; keys of before it was counted have 0.
    """

    id: str
    digest: bytes
    grant: Grant
    created_at: int
    revoked_at: int | None = None
    replaced_by: str | None = None
    version: int = 0

    def works_at(self, now: int) -> bool:
        expires_at = self.grant.expires_at
        return (self.revoked_at is None or now < self.revoked_at) and (expires_at is None or now < expires_at)


def checked_name(name: str, what: str) -> str:
    """`name` as the id of a tenant or a project; raises InvalidInput naming `what` for anything else."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f'"{name[:80]}" cannot be the name of a {what}.',
            "Use 1 to 64 lower-case letters, digits, - and _, starting with a letter or digit.",
            path=what,
        )
    return name


def is_actor(name: str) -> bool:
    return _ACTOR.fullmatch(name) is not None


def checked_actor(name: str) -> str:
    """`name` as who writes: a plain name or an e-mail address, capitals as written. Raises InvalidInput."""
    if not is_actor(name):
        raise InvalidInput(
            f'"{name[:80]}" cannot be the name of an actor.',
            "Use an e-mail address, or 1 to 254 letters, digits, - _ and dots, starting with a letter or digit.",
            path="actor",
        )
    return name


def checked_installers(names: Sequence[str]) -> Sequence[str]:
    """Actors whose skills a project trusts; raises InvalidInput for what is no actor, and over 50 or 4,000 characters:
    they travel with every call."""
    for name in names:
        checked_actor(name)
    if len(names) > MAX_INSTALLERS or len(",".join(names)) > MAX_INSTALLERS_TEXT:
        raise InvalidInput(
            f"At most {MAX_INSTALLERS} actors can be trusted, with {MAX_INSTALLERS_TEXT} characters together.",
            "Install shared skills with one key, and trust its actor.",
            path="trusted_installers",
        )
    return names


def checked_acceptable(kinds: Sequence[str]) -> Sequence[str]:
    """Kinds of memory candidates; raises InvalidInput for others."""
    for kind in kinds:
        if kind not in ACCEPTABLE:
            raise InvalidInput(
                f'There are no memory candidates of the kind "{kind[:40]}".',
                f"Use some of {', '.join(ACCEPTABLE)}.",
                path="auto_accept",
            )
    return kinds


def checked_zone(name: str) -> str:
    """An IANA name as it is spelt in the tz database; raises InvalidInput for any other text."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        hint = "Give an IANA name such as Europe/Berlin."
        raise InvalidInput(f'There is no time zone "{name[:60]}".', hint, path="default_timezone") from unknown


def checked_week_start(day: str) -> str:
    if day not in WEEK_STARTS:
        raise InvalidInput(f"A week starts on monday or sunday, not {day[:20]}.", path="week_start")
    return day


def checked_limit(name: str, limit: int) -> int:
    most = {"max_bytes": MAX_BYTES, "calls_at_once": MAX_CALLS_AT_ONCE}.get(name, MAX_LIMIT)
    if not 1 <= limit <= most:
        raise InvalidInput(f"{name} must be from 1 to {most}, not {limit}.", path=name)
    return limit


def checked_label(text: str, what: str) -> str:
    """A note for people, shown in listings: at most 200 characters, none that steers a terminal."""
    if len(text) > MAX_LABEL or not text.isprintable():
        hint = f"Use at most {MAX_LABEL} printable characters."
        raise InvalidInput(f"The {what} is too long, or has characters that cannot be shown.", hint, path=what)
    return text


def checked_tier(tier: str) -> str:
    """Raises InvalidInput for what is none of TIERS."""
    if tier not in TIERS:
        raise InvalidInput(f'There is no tier "{tier[:40]}".', f"Use one of {', '.join(TIERS)}.", path="tier")
    return tier


TENANTS = Partition.system("tenants")
LIVES = Present() & (Absent("deleting_at") | Equals("deleting_at", None))
"""The condition that a tenant or a project exists and is not being deleted."""


def tenant_key(tenant: str) -> Key:
    return Key(TENANTS, sort_key(tenant))


def projects_of(tenant: str) -> Partition:
    return Partition.in_tenant(Scope(tenant, ""), "projects")


def project_key(tenant: str, project: str) -> Key:
    return Key(projects_of(tenant), sort_key(project))


def key_key(key_id: str) -> Key:
    return Key(Partition.system("keys", key_id), sort_key("key"))


def window_key(key_id: str, window: str, start: int) -> Key:
    return Key(Partition.system("key_uses", key_id), sort_key(window, start))


def tenant_window_key(tenant: str, window: str, start: int) -> Key:
    return Key(Partition.system("tenant_uses", tenant), sort_key(window, start))


def keys_of(tenant: str) -> Partition:
    """Return the partition in index gsi1 that lists the tenant's keys."""
    return Partition.in_tenant(Scope(tenant, ""), "keys")


def key_indexes(record: KeyRecord) -> Mapping[Index, Key]:
    return {"gsi1": Key(keys_of(record.grant.tenant), sort_key(record.id))}


def to_attributes(record: msgspec.Struct) -> dict[str, Value]:
    return msgspec.to_builtins(record, builtin_types=(bytes,))


def from_attributes(attributes: Mapping[str, Value], record: type[Record]) -> Record:
    return msgspec.convert(attributes, record)
