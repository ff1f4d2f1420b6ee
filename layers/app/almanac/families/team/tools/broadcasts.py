"""Tools that set and read broadcasts, values for the whole project."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.content.redaction import notes_about
from almanac.families.team.core.project import Project
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import BROADCASTS, Broadcast, Json
from almanac.families.team.messages.broadcasts import is_set, page, plan_broadcast
from almanac.protocol.tool import Effect, tool

_QUERY = ("broadcasts",)


class Set(msgspec.Struct, frozen=True, omit_defaults=True):
    """Instants are milliseconds since 1970. `expires_at` is present if the value was set for a limited time. `notes`
    name secrets that were removed from the value before it was stored."""

    ok: bool
    key: str
    updated_at: int
    expires_at: int | None = None
    notes: tuple[str, ...] = ()


class One(msgspec.Struct, frozen=True, omit_defaults=True):
    """`value` is null if the key is not set; then `updated_by` is null too. `untrusted`: a teammate wrote it; `notes`
    name parts that look like instructions or were removed."""

    key: str
    value: Json
    updated_at: int | None
    updated_by: str | None
    expires_at: int | None = None
    notes: tuple[str, ...] = ()
    untrusted: bool = False


class All(msgspec.Struct, frozen=True, omit_defaults=True):
    """Broadcasts by key. If `truncated`, continue with `next_cursor`."""

    broadcasts: tuple[One, ...]
    truncated: bool
    next_cursor: str | None
    untrusted: bool = False


@tool(title="Announce or share a value", effect=Effect.SETS)
def set_broadcast(
    key: Annotated[
        str, Meta(description="Name of the value.", examples=["active_sprint"], min_length=1, max_length=256)
    ],
    value: Annotated[Json, Meta(description="Any JSON, up to 8 KB. null removes it.", examples=["2026-W48"])],
    ttl_ms: Annotated[
        int,
        Meta(description="Milliseconds, up to 90 days. Default: forever.", ge=1000, le=7_776_000_000),
    ]
    | None = None,
    *,
    project: Project,
) -> Set:
    """Announce something to everybody: tell, notify or send a message, news or notice to the team or all agents (the
    server is down, the release is delayed), or publish a shared variable such as the current sprint or build status.
    For what agents should recall later use context_store.
    """
    now = project.now()
    setting = plan_broadcast(project, key, value, at=now, ttl_ms=ttl_ms)
    project.store.write(setting.changes)
    return Set(True, key, now, None if ttl_ms is None else now + ttl_ms, notes_about(setting.findings))


@tool(title="Read announcements and shared values", effect=Effect.READS)
def get_broadcast(
    key: Annotated[
        str,
        Meta(description="Only this value.", min_length=1, max_length=256),
    ]
    | None = None,
    cursor: Annotated[str, Meta(description="The last next_cursor, without key.", max_length=4000)] | None = None,
    *,
    project: Project,
) -> One | All:
    """Read the announcements, news and notices of the team and other agents: does anyone have something to announce,
    which shared value or flag is set, such as the current sprint or PR? set_broadcast writes them.
    """
    now = project.now()
    if key is not None:
        broadcast = BROADCASTS.within(project.store, project.scope).get(key)
        if broadcast is None or not is_set(broadcast, now):
            return One(key, None, None, None)
        return _view(broadcast)
    cursors = project.cursors
    start = cursors.start_of(_QUERY, cursor, "") or None
    broadcasts, following = page(project.store, project.scope, start, now)
    sealed = cursors.seal(_QUERY, following)
    return All(tuple(map(_view, broadcasts)), following is not None, sealed, untrusted=bool(broadcasts))


def _view(broadcast: Broadcast) -> One:
    quoting = TextQuoter()
    value = quoting.json("value", broadcast.value)
    return One(
        broadcast.key,
        value,
        broadcast.updated_at,
        broadcast.updated_by,
        broadcast.expires_at,
        quoting.notes,
        untrusted=True,
    )
