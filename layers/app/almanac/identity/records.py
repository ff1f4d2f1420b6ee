"""The records of tenants, projects and keys, and their keys in the store.

    S#tenants            <tenant>             Tenant
    T#<tenant>#projects  <project>            Project
    S#keys#<key id>      key                  KeyRecord, also found by gsi1 at T#<tenant>#keys, <key id>
    S#key_uses#<key id>  <window>#<start>     number of uses of the key in a minute or day; expires with it
    S#tenant_uses#<tenant>  <window>#<start>  the same for all keys of a tenant together
    S#call_leases#<tenant>  <number>          lease of an expensive call; see `access.call_leases`
    S#guesses#<network>  <kind>#<name>        refused and known keys of a network; see `access.guesses`

API keys are stored outside of any tenant because the key of a request tells its tenant. Uses are counted in items of
their own, so that a process that counts needs no permission to change a key. Instants are milliseconds since 1970.
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
# The characters of e-mail addresses. Spaces, commas and control characters would break headers and listings.
_ACTOR = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.!#$%&'*+/=?^`{|}~@-]{0,253}")
Record = TypeVar("Record", bound=msgspec.Struct)


class Tenant(msgspec.Struct, frozen=True):
    """A tenant and its settings.

    `tier` is one of TIERS. On AWS each tier has a usage plan, which its tenants share. `default_timezone` and
    `week_start` apply where neither the key nor the project sets one. Limits count the requests of all keys together.
    `calls_at_once` limits the expensive calls that run at the same time. On AWS, the tier's limits apply where
    `per_minute` or `calls_at_once` is None. The defaults of `storage_limit` apply where `max_bytes` or `max_documents`
    is None. From `deleting_at` on, no key works and the tenant's data is being deleted.
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
    """A project of a tenant and its settings.

    `default_timezone` and `week_start` apply where the key sets none; None leaves them to the tenant. Without
    `shared_memory` the project neither reads nor writes the memory that the tenant's projects share. Skills installed
    by one of `trusted_installers` are trusted. Memory candidates of the kinds in `auto_accept` need no review.
    """

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
    """Permissions of a key.

    `project` is the name of one project, or `*`. With `*`, each request names a project in the header
    x-almanac-project. `families` None means all. `expires_at` is the first instant at which the key no longer works.
    Limits count requests; None means unlimited. Without a time zone or a start of the week, the project's apply.
    `operator` gives tools no further rights, but a person who signs in with the key sees keys, sessions and the audit
    trail on the dashboard. `person` marks a key that a person uses, not an agent. Its calls may do things reserved for
    people, such as opening a gate that waits for approval.
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
    """A key as stored. `digest` is the SHA-256 of the secret. `replaced_by` is the id of the key that a rotation
    issued.

    `version` grows with each change. It is 0 for keys stored before versions existed.
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


def check_name(name: str, what: str) -> str:
    """Return `name` if it can be the id of a tenant or project. Raises InvalidInput, which names `what`, otherwise."""
    if not _NAME.fullmatch(name):
        raise InvalidInput(
            f'"{name[:80]}" cannot be the name of a {what}.',
            "Use 1 to 64 lower-case letters, digits, - and _, starting with a letter or digit.",
            path=what,
        )
    return name


def is_actor(name: str) -> bool:
    return _ACTOR.fullmatch(name) is not None


def check_actor(name: str) -> str:
    """Return `name` if it can name an actor: a plain name or an e-mail address, in any case. Raises InvalidInput."""
    if not is_actor(name):
        raise InvalidInput(
            f'"{name[:80]}" cannot be the name of an actor.',
            "Use an e-mail address, or 1 to 254 letters, digits, - _ and dots, starting with a letter or digit.",
            path="actor",
        )
    return name


def check_installers(names: Sequence[str]) -> Sequence[str]:
    """Return `names` if they can be a project's trusted installers.

    Raises InvalidInput if one of them is not an actor, or for over 50 actors or 4,000 characters. On AWS, the
    authorizer passes them on with every call.
    """
    for name in names:
        check_actor(name)
    if len(names) > MAX_INSTALLERS or len(",".join(names)) > MAX_INSTALLERS_TEXT:
        raise InvalidInput(
            f"At most {MAX_INSTALLERS} actors can be trusted, with {MAX_INSTALLERS_TEXT} characters together.",
            "Install shared skills with one key, and trust its actor.",
            path="trusted_installers",
        )
    return names


def check_acceptable(kinds: Sequence[str]) -> Sequence[str]:
    """Return `kinds` if all are kinds of memory candidates. Raises InvalidInput otherwise."""
    for kind in kinds:
        if kind not in ACCEPTABLE:
            raise InvalidInput(
                f'There are no memory candidates of the kind "{kind[:40]}".',
                f"Use some of {', '.join(ACCEPTABLE)}.",
                path="auto_accept",
            )
    return kinds


def check_zone(name: str) -> str:
    """Return an IANA name in the spelling of the tz database. Raises InvalidInput for an unknown zone."""
    try:
        return ZoneInfo(name).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
        hint = "Give an IANA name such as Europe/Berlin."
        raise InvalidInput(f'There is no time zone "{name[:60]}".', hint, path="default_timezone") from unknown


def check_week_start(day: str) -> str:
    if day not in WEEK_STARTS:
        raise InvalidInput(f"A week starts on monday or sunday, not {day[:20]}.", path="week_start")
    return day


def check_limit(name: str, limit: int) -> int:
    most = {"max_bytes": MAX_BYTES, "calls_at_once": MAX_CALLS_AT_ONCE}.get(name, MAX_LIMIT)
    if not 1 <= limit <= most:
        raise InvalidInput(f"{name} must be from 1 to {most}, not {limit}.", path=name)
    return limit


def check_label(text: str, what: str) -> str:
    """Return a note for people if it has at most 200 characters, all printable. Raises InvalidInput otherwise.

    Listings show such notes in terminals, which control characters could steer.
    """
    if len(text) > MAX_LABEL or not text.isprintable():
        hint = f"Use at most {MAX_LABEL} printable characters."
        raise InvalidInput(f"The {what} is too long, or has characters that cannot be shown.", hint, path=what)
    return text


def check_tier(tier: str) -> str:
    """Return `tier` if it is one of TIERS. Raises InvalidInput otherwise."""
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
