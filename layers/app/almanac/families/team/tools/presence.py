"""Presence: who is at work, and at what."""

from typing import Annotated

import msgspec
from msgspec import Meta

from almanac.families.team.claims import Claims
from almanac.families.team.focus import Pair, focus_map
from almanac.families.team.presence import NO_SESSION, ActiveUser, Intent, active_users, beat, sightings
from almanac.families.team.project import Project
from almanac.families.team.records import Presence
from almanac.families.team.tools.claims import Claim, Lapsed, described, lapses
from almanac.protocol.tool import Effect, tool


class Beat(msgspec.Struct, frozen=True, omit_defaults=True):
    """`seen_at` is milliseconds since 1970."""

    ok: bool
    actor: str
    session_id: str | None
    seen_at: int
    notices: tuple[Lapsed, ...] = ()


class Session(msgspec.Struct, frozen=True):
    session_id: str | None
    tool: str | None
    current_file: str | None
    current_function: str | None
    current_action: str | None
    last_seen_at: int


class User(msgspec.Struct, frozen=True):
    """`seen_ms_ago` is how long ago that was."""

    actor: str
    display_name: str | None
    last_seen_at: int
    seen_ms_ago: int
    sessions: tuple[Session, ...]


class Users(msgspec.Struct, frozen=True):
    """The last seen first."""

    users: tuple[User, ...]
    since_ms: int


class FocusOfFile(msgspec.Struct, frozen=True):
    """`collision`: more than one (tool, actor) pair is at it. `path` may be the glob of a claim."""

    path: str
    heartbeats: int
    last_at: int
    who: tuple[Pair, ...]
    collision: bool
    claims: tuple[Claim, ...]


class FocusMap(msgspec.Struct, frozen=True):
    """The files that most are at first."""

    files: tuple[FocusOfFile, ...]
    since_ms: int
    truncated: bool


@tool(title="Say you are at work", effect=Effect.SETS, aliases=["heartbeat_presence"])
def heartbeat(
    session_id: Annotated[str, Meta(description="Your session, if you run several.", max_length=128)] | None = None,
    display_name: Annotated[str, Meta(description="What teammates call you.", max_length=256)] | None = None,
    tool: Annotated[str, Meta(description="Your surface: claude-code, cursor.", max_length=128)] | None = None,
    current_file: Annotated[str, Meta(description="The file you are editing.", max_length=512)] | None = None,
    current_function: Annotated[str, Meta(description="The symbol in focus.", max_length=256)] | None = None,
    current_action: Annotated[str, Meta(description="A verb: editing, reading, idle.", max_length=256)] | None = None,
    holder: Annotated[
        str, Meta(description="As whom you hold claims: notices tell which of them ran out.", max_length=256)
    ]
    | None = None,
    *,
    project: Project,
    claims: Claims,
) -> Beat:
    """Tell the project that you are at work, and at what; harmless to repeat, e.g. every 30 seconds. Name and tool stay
    as you said them last; file, function and action are what this call says.
    """
    intent = Intent(
        display_name=display_name,
        tool=tool,
        current_file=current_file,
        current_function=current_function,
        current_action=current_action,
    )
    present = beat(project, session_id, intent)
    notices = lapses(claims.notices(holder)) if holder else ()
    return Beat(True, present.actor, _session_id(present), present.seen_at, notices)


@tool(title="List who is at work", effect=Effect.READS, aliases=["list_active"])
def list_active_users(
    since_ms: Annotated[
        int, Meta(description="How far back, in milliseconds: up to 24 h.", ge=1000, le=86_400_000)
    ] = 1_800_000,
    *,
    project: Project,
    claims: Claims,
) -> Users:
    """List who gave a heartbeat or took a claim that still stands within the last since_ms (default 30 minutes), with
    each session's tool and what it is doing. An empty list: nobody did in this project.
    """
    now = project.now()
    users = active_users(project, now - since_ms, claims.everything())
    return Users(tuple(_user(user, now) for user in users), since_ms)


@tool(title="Map who is at which file", effect=Effect.READS, aliases=["focus_map"])
def get_focus_map(
    since_ms: Annotated[
        int, Meta(description="How far back, in milliseconds: 1 min to 24 h.", ge=60_000, le=86_400_000)
    ] = 3_600_000,
    limit: Annotated[int, Meta(description="At most so many files.", ge=1, le=100)] = 20,
    *,
    project: Project,
    claims: Claims,
) -> FocusMap:
    """See which files the team is at: by file, the (tool, actor) pairs whose heartbeats named it within the last
    since_ms, and the claims on it. collision shows where several are at one file: talk, or claim it first.
    """
    now = project.now()
    found = focus_map(sightings(project, now - since_ms), claims.everything())
    files = tuple(
        FocusOfFile(
            path=focus.path,
            heartbeats=focus.heartbeats,
            last_at=focus.last_at,
            who=focus.who,
            collision=len(focus.who) > 1,
            claims=tuple(described(claim, now) for claim in focus.claims),
        )
        for focus in found[:limit]
    )
    return FocusMap(files, since_ms, truncated=len(found) > limit)


def _user(user: ActiveUser, now: int) -> User:
    sessions = tuple(
        Session(
            session_id=_session_id(one),
            tool=one.tool,
            current_file=one.current_file,
            current_function=one.current_function,
            current_action=one.current_action,
            last_seen_at=one.seen_at,
        )
        for one in user.sessions
    )
    return User(user.actor, user.display_name, user.last_seen_at, max(0, now - user.last_seen_at), sessions)


def _session_id(present: Presence) -> str | None:
    return None if present.session == NO_SESSION else present.session
