"""Presence: the people and agents at work, and their files."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from almanac.content import clean
from almanac.families.team.claims.claims import Claims
from almanac.families.team.core.project import Project
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import NO_SESSION, Presence
from almanac.families.team.core.roles import roles_of_each
from almanac.families.team.presence.focus import Pair, focus_map
from almanac.families.team.presence.heartbeats import (
    ActiveUser,
    Intent,
    RecordedWork,
    active_users,
    record_heartbeat,
    sightings,
)
from almanac.families.team.tools.claim_results import Claim, LapsedClaim, claim_view, notice_views
from almanac.platform.store.page_cursors import Query
from almanac.protocol.tool import Effect, tool

T = TypeVar("T")


class Beat(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seen_at` is milliseconds since 1970."""

    ok: bool
    actor: str
    session_id: str | None
    seen_at: int
    notices: tuple[LapsedClaim, ...] = ()


class Session(msgspec.Struct, frozen=True, omit_defaults=True):
    """`notes` name parts of its texts that look like instructions or were removed."""

    session_id: str | None
    tool: str | None
    current_file: str | None
    current_function: str | None
    current_action: str | None
    last_seen_at: int
    notes: tuple[str, ...] = ()


class User(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seen_ms_ago`: milliseconds since `last_seen_at`. Mail to role:NAME reaches each actor with one of `roles`.
    `notes` are about the display name."""

    actor: str
    display_name: str | None
    last_seen_at: int
    seen_ms_ago: int
    sessions: tuple[Session, ...]
    roles: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Users(msgspec.Struct, frozen=True, omit_defaults=True):
    """The last seen first. If `next_cursor` is not null, there are more. `untrusted`: teammates wrote the texts.
    `notes` say what was left out because of the API key."""

    users: tuple[User, ...]
    since_ms: int
    next_cursor: str | None
    untrusted: bool = False
    notes: tuple[str, ...] = ()


class FocusOfFile(msgspec.Struct, frozen=True):
    """`collision`: more than one (tool, actor) pair works on it. `path` may be the glob of a claim."""

    path: str
    heartbeats: int
    last_at: int
    who: tuple[Pair, ...]
    collision: bool
    claims: tuple[Claim, ...]


class FocusMap(msgspec.Struct, frozen=True, omit_defaults=True):
    """The files with the most (tool, actor) pairs first. If `truncated`, continue with `next_cursor`. `untrusted`:
    teammates wrote the paths. `notes` say what was left out because of the API key."""

    files: tuple[FocusOfFile, ...]
    since_ms: int
    truncated: bool
    next_cursor: str | None
    untrusted: bool = False
    notes: tuple[str, ...] = ()


@tool(title="Report your presence", effect=Effect.SETS, aliases=["heartbeat_presence"])
def heartbeat(
    session_id: Annotated[str, Meta(description="Your session, if you run several.", max_length=128)] | None = None,
    display_name: Annotated[str, Meta(description="Name that teammates see.", max_length=256)] | None = None,
    tool: Annotated[str, Meta(description="Your program, e.g. cursor.", max_length=128)] | None = None,
    current_file: Annotated[str, Meta(description="The file you are editing.", max_length=512)] | None = None,
    current_function: Annotated[str, Meta(description="The symbol in focus.", max_length=256)] | None = None,
    current_action: Annotated[str, Meta(description="A verb: editing, reading, idle.", max_length=256)] | None = None,
    holder: Annotated[str, Meta(description="Your claims' holder; notices then report expired ones.", max_length=256)]
    | None = None,
    *,
    project: Project,
    claims: Claims,
) -> Beat:
    """Update your presence and status: tell or let the team know that you are here, alive and online, and what you are
    doing, such as reviewing or editing a file or function. Call this when you start on a file and when you switch to
    another; to see others use list_active_users.
    """
    intent = Intent(
        display_name=display_name,
        tool=tool,
        current_file=current_file,
        current_function=current_function,
        current_action=current_action,
    )
    present = record_heartbeat(project, session_id, intent)
    notices = notice_views(claims.deliver_notices(holder)) if holder else ()
    return Beat(True, present.actor, _session_id(present), present.seen_at, notices)


@tool(title="List who is online", effect=Effect.READS, aliases=["list_active"])
def list_active_users(
    since_ms: Annotated[
        int, Meta(description="Milliseconds to look back, up to a day.", ge=1000, le=86_400_000)
    ] = 1_800_000,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=500)] = 100,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    *,
    project: Project,
    claims: Claims,
    work: RecordedWork,
) -> Users:
    """List who else is online or around at the moment: the people and other agents working on this project right now,
    each with tool and task. For who edits which file use get_focus_map.
    """
    now = project.now()
    users = active_users(project, now - since_ms, claims.all_held(), work.since(now - since_ms, now))
    shown, following = _page_of(project, ("users", str(since_ms)), users, limit=limit, cursor=cursor)
    roles = roles_of_each(project.store, project.scope, [user.actor for user in shown])
    found = tuple(_user(user, now, own) for user, own in zip(shown, roles, strict=True))
    return Users(found, since_ms, following, bool(shown), work.notes)


@tool(title="Who is editing which file", effect=Effect.READS, aliases=["focus_map"])
def get_focus_map(
    since_ms: Annotated[
        int, Meta(description="Milliseconds to look back, up to a day.", ge=60_000, le=86_400_000)
    ] = 3_600_000,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=100)] = 20,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    *,
    project: Project,
    claims: Claims,
    work: RecordedWork,
) -> FocusMap:
    """Show which files are being edited at the moment, by whom: who is working on what, where the team is busy (hot
    spots of the last hour), and two people in the same file. To check the locks of certain files use check_claims.
    """
    now = project.now()
    seen = sightings(project, now - since_ms, work.since(now - since_ms, now))
    found = focus_map(seen, claims.all_held(), claims.keys())
    shown, following = _page_of(project, ("focus", str(since_ms)), found, limit=limit, cursor=cursor)
    files = tuple(
        FocusOfFile(
            path=clean(focus.path).text,
            heartbeats=focus.heartbeats,
            last_at=focus.last_at,
            who=focus.who,
            collision=len(focus.who) > 1,
            claims=tuple(claim_view(claim, now) for claim in focus.claims),
        )
        for focus in shown
    )
    return FocusMap(files, since_ms, following is not None, following, bool(files), work.notes)


def _user(user: ActiveUser, now: int, roles: Sequence[str]) -> User:
    quoting = TextQuoter()
    name = quoting.optional_text("display_name", user.display_name)
    sessions = tuple(map(_session, user.sessions))
    seen_ms_ago = max(0, now - user.last_seen_at)
    return User(user.actor, name, user.last_seen_at, seen_ms_ago, sessions, tuple(roles), quoting.notes)


def _session(present: Presence) -> Session:
    quoting = TextQuoter()
    quoted_fields = {
        name: quoting.optional_text(name, getattr(present, name))
        for name in ("tool", "current_file", "current_function", "current_action")
    }
    return Session(session_id=_session_id(present), last_seen_at=present.seen_at, notes=quoting.notes, **quoted_fields)


def _session_id(present: Presence) -> str | None:
    return None if present.session == NO_SESSION else present.session


def _page_of(
    project: Project, query: Query, found: Iterable[T], *, limit: int, cursor: str | None
) -> tuple[Sequence[T], str | None]:
    """Return a page of a list that is computed anew at each call, and the cursor of the next page."""
    start = int(project.cursors.start_of(query, cursor))
    page = list(islice(found, start, start + limit + 1))
    following = str(start + limit) if len(page) > limit else None
    return page[:limit], project.cursors.seal(query, following)
