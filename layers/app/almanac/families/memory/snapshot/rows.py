"""Make the rows of a snapshot from stored records. Texts by others are quoted as data."""

import re
from collections.abc import Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

from msgspec import Struct
from msgspec import json as msgspec_json

from almanac.content import clean
from almanac.families.memory.core.records import Memory, Role, Turn
from almanac.families.memory.snapshot.budget import Candidate
from almanac.families.memory.snapshot.changes import SnapshotChange
from almanac.families.planner.overview.overview import DayItem
from almanac.families.team.core.quoted_texts import TextQuoter
from almanac.families.team.core.records import Broadcast, Json
from almanac.kernel.instants import instant_at

if TYPE_CHECKING:
    from almanac.families.memory.candidates.current_statements import CurrentStatement

GroupKind = Literal["constraint", "convention", "preference", "decision", "deadline", "task", "fact", "done", "cause"]
_GROUPS: tuple[GroupKind, ...] = get_args(GroupKind)
_LINE_TOKENS = 4
"""Estimated tokens of a line without its text."""
_HEAD_TOKENS = 50
"""Estimated tokens of a session's first line without its text."""
_NAME_CHARACTERS = 60
_SPACES = re.compile(" {9,}")
_MOST_SPACES = " " * 8
"""Most spaces in a row that a line keeps: enough for indented code."""
_RELATIVE_DAY = re.compile(
    r"\b(?:(?<!every )(?<!each )(?:mon|tues|wednes|thurs|fri|satur|sun)day|today|tonight|tomorrow|tmrw|yesterday"
    r"|(?:this|next|last) (?:week(?:end)?|month|morning|afternoon|evening)"
    r"|in (?:a|one|two|three|\d+) (?:day|week|month)s?)\b",
    re.IGNORECASE,
)
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]{{0,6}}"
_DATE = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)?\.? (?:of )?{_MONTH}\b|\b{_MONTH}\.? \d{{1,2}}\b|\b\d{{4}}-\d\d-\d\d\b", re.IGNORECASE
)


class SnapshotMemory(Struct, frozen=True, omit_defaults=True):
    """`at` in milliseconds since 1970. `cut`: get_memory has the rest. `shared`: by all projects of the tenant.
    `notes`: suspicious or removed parts.
    """

    id: str
    content: str
    at: int
    actor: str
    tags: tuple[str, ...] = ()
    cut: bool = False
    shared: bool = False
    notes: tuple[str, ...] = ()


class SnapshotBroadcast(Struct, frozen=True, omit_defaults=True):
    """`cut`: get_broadcast has the whole `value`. `notes`: suspicious or removed parts."""

    key: str
    value: Json
    updated_at: int
    updated_by: str
    cut: bool = False
    notes: tuple[str, ...] = ()


class SnapshotTurn(Struct, frozen=True, omit_defaults=True):
    """`session_id`: where it is not the one asked for. `cut` and `notes` as of memories."""

    id: str
    role: Role
    content: str
    at: int
    actor: str
    session_id: str | None = None
    speaker: str | None = None
    tool: str | None = None
    cut: bool = False
    notes: tuple[str, ...] = ()


class SessionTalk(Struct, frozen=True, omit_defaults=True):
    """Turns of one session, or of none, in the order in which they were said. Each line begins with its speaker, or
    with a role. `cut`: ids of the turns whose lines are cut; list_recent_turns has all ids. `notes` as of memories."""

    session_id: str | None = None
    tools: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()
    from_at: int = 0
    to_at: int = 0
    lines: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class StatementLine(Struct, frozen=True, array_like=True):
    """The line of one turn, before `talk_by_session` joins the lines of each session."""

    text: str


class MarkedLine(StatementLine, frozen=True, array_like=True):
    """A line with its additions to the talk of its session. `head` is set for the first line of a session."""

    cut: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    head: SessionTalk | None = None


class DueItem(Struct, frozen=True, omit_defaults=True):
    """`time` is local, HH:MM, and absent for whole days. `date` is absent for today. `notes`: suspicious or removed
    parts.
    """

    id: str
    title: str
    kind: Literal["event", "task", "card"]
    time: str | None = None
    date: str | None = None
    cut: bool = False
    notes: tuple[str, ...] = ()


class DueToday(Struct, frozen=True):
    """Events, and open tasks and cards, of the local day `date` in `timezone`; `overdue` tasks and cards were due on
    earlier days.
    """

    date: str
    timezone: str
    items: tuple[DueItem, ...] = ()
    overdue: tuple[DueItem, ...] = ()


class CurrentLine(Struct, frozen=True, array_like=True):
    """The line of one statement, which `group_lines` joins with others of its kind. `group` is that kind's index."""

    text: str
    group: int


class CurrentGroup(Struct, frozen=True):
    """The currently valid statements of one kind, newest first: quoted sentences, each with its speaker if several
    people talk. Replaced statements and finished tasks are left out."""

    kind: GroupKind
    lines: tuple[str, ...]


class LeftOut(Struct, frozen=True, omit_defaults=True):
    """The number of rows left out for lack of room; an absent field means none."""

    pinned: int = 0
    semantic: int = 0
    broadcasts: int = 0
    turns: int = 0
    due: int = 0
    changed: int = 0
    standing: int = 0


class Snapshot(Struct, frozen=True, omit_defaults=True):
    """`recent_turns` are the last turns by session; the session of the latest turn comes last. `changed`: events since
    `changed_since`, the latest first. `standing`: statements picked from conversations, which no person has confirmed.
    `candidates_waiting` counts, up to 100, the proposals that list_candidates shows and review_candidate pins. The
    project's setting pinned `auto_accepted` of `pinned`, which review_candidate can undo. `people`: recent speakers.
    `tokens`: a high estimate for this whole result.
    """

    pinned: tuple[SnapshotMemory, ...]
    broadcasts: tuple[SnapshotBroadcast, ...]
    recent_turns: tuple[SessionTalk, ...]
    tokens: int
    max_tokens: int
    left_out: LeftOut
    semantic: tuple[SnapshotMemory, ...] = ()
    standing: tuple[CurrentGroup, ...] = ()
    candidates_waiting: int = 0
    auto_accepted: int = 0
    people: tuple[str, ...] = ()
    due_today: DueToday | None = None
    changed: tuple[SnapshotChange, ...] = ()
    changed_since: int | None = None
    as_of: int | None = None
    notes: tuple[str, ...] = ()
    untrusted: bool = False


def memory_candidate(memory: Memory, *, shared: bool = False) -> Candidate:
    def row(text: str, cut: bool) -> SnapshotMemory:
        quoting = TextQuoter()
        content = quoting.text("content", text)
        tags = tuple(quoting.json("tags", list(memory.tags)))
        return SnapshotMemory(memory.id, content, memory.at, memory.actor, tags, cut, shared, quoting.notes)

    return Candidate(memory.content, row, beside=sum(len(tag) + 3 for tag in memory.tags))


def broadcast_candidate(broadcast: Broadcast) -> Candidate:
    value = broadcast.value

    def row(text: str, cut: bool) -> SnapshotBroadcast:
        quoting = TextQuoter()
        quoted_value: Any = quoting.text("value", text) if cut else quoting.json("value", value)
        key = quoting.text("key", broadcast.key)
        return SnapshotBroadcast(key, quoted_value, broadcast.updated_at, broadcast.updated_by, cut, quoting.notes)

    return Candidate(value if isinstance(value, str) else msgspec_json.encode(value).decode(), row)


def turn_candidate(turn: Turn, session: str | None) -> Candidate:
    def row(text: str, cut: bool) -> SnapshotTurn:
        quoting = TextQuoter()
        return SnapshotTurn(
            turn.id,
            turn.role,
            quoting.text("content", text),
            turn.at,
            turn.actor,
            None if turn.session == session else quoting.optional_text("session_id", turn.session),
            quoting.optional_text("speaker", turn.speaker),
            quoting.optional_text("tool", turn.tool),
            cut,
            quoting.notes,
        )

    return Candidate(turn.content, row)


def statement_candidates(turns: Sequence[Turn]) -> list[Candidate]:
    """Return a candidate for the line of each turn. Pass the lines that fit to `talk_by_session`."""
    sessions = set[str | None]()
    candidates = list[Candidate]()
    for turn in turns:
        candidates.append(_candidate_of_turn(turn, is_first=turn.session not in sessions))
        sessions.add(turn.session)
    return candidates


def _candidate_of_turn(turn: Turn, *, is_first: bool) -> Candidate:
    def row(text: str, cut: bool) -> StatementLine:
        quoting = TextQuoter()
        line = quoting.text("lines", f"{_speaker_of(turn)}: {text}")
        if cut:
            line += "\N{HORIZONTAL ELLIPSIS}"
        head = _session_talk([turn], ()) if is_first else None
        if head is None and not cut and not quoting.notes:
            return StatementLine(line)
        return MarkedLine(line, (turn.id,) if cut else (), quoting.notes, head)

    content = _SPACES.sub(_MOST_SPACES, turn.content)
    return Candidate(content, row, frame=_HEAD_TOKENS if is_first else 2 * _LINE_TOKENS)


def _speaker_of(turn: Turn) -> str:
    """Return the speaker, followed by the role unless it is user; only the role if the turn names no speaker."""
    if turn.speaker is None:
        return turn.role
    name = turn.speaker[:_NAME_CHARACTERS]
    return name if turn.role == "user" else f"{name} ({turn.role})"


def talk_by_session(turns: Sequence[Turn], lines: Sequence[StatementLine]) -> tuple[SessionTalk, ...]:
    """Group the lines, which belong to the first of `turns`, by session. The session of the latest turn comes last."""
    sessions: dict[str | None, list[tuple[Turn, StatementLine]]] = {}
    for turn, line in sorted(zip(turns, lines, strict=False), key=lambda one: (one[0].at, one[0].id)):
        sessions.setdefault(turn.session, []).append((turn, line))
    talks = [_session_talk([turn for turn, _ in pairs], [line for _, line in pairs]) for pairs in sessions.values()]
    return tuple(sorted(talks, key=lambda talk: talk.to_at))


def _session_talk(turns: Sequence[Turn], lines: Sequence[StatementLine]) -> SessionTalk:
    quoting = TextQuoter()
    marked = [line for line in lines if isinstance(line, MarkedLine)]
    tools = dict.fromkeys(turn.tool for turn in turns if turn.tool is not None)
    return SessionTalk(
        session_id=quoting.optional_text("session_id", turns[0].session),
        tools=tuple(quoting.json("tools", list(tools))),
        actors=tuple(dict.fromkeys(turn.actor for turn in turns)),
        from_at=turns[0].at,
        to_at=turns[-1].at,
        lines=tuple(line.text for line in lines),
        cut=tuple(turn_id for line in marked for turn_id in line.cut),
        notes=tuple(dict.fromkeys((*quoting.notes, *(note for line in marked for note in line.notes)))),
    )


def current_candidate(statement: "CurrentStatement", kind: GroupKind, zone: tzinfo, *, with_speaker: bool) -> Candidate:
    """Return a candidate for the line of a statement. The line ends in the day on which "tomorrow" was said.

    `with_speaker`: the line names the speaker, or the role of an agent without a name."""
    name = (statement.speaker or ("" if statement.role == "user" else statement.role))[:_NAME_CHARACTERS]
    speaker = f"{name}: " if with_speaker and name else ""

    def row(text: str, cut: bool) -> CurrentLine:
        return CurrentLine(clean(text).text + ("\N{HORIZONTAL ELLIPSIS}" if cut else ""), _GROUPS.index(kind))

    return Candidate(speaker + statement.text + _day_said(statement, zone), row, frame=_LINE_TOKENS)


def _day_said(statement: "CurrentStatement", zone: tzinfo) -> str:
    """Return the day of a statement that names another day only relative to it, such as " (said Fri 27 Nov)"."""
    if not _RELATIVE_DAY.search(statement.text) or _DATE.search(statement.text):
        return ""
    day = instant_at(statement.at).astimezone(zone)
    return f" (said {_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1]})"


def current_candidates(statements: "Sequence[CurrentStatement]", zone: tzinfo) -> list[Candidate]:
    """Return candidates for the lines of current statements, without those that address a model. Days are of `zone`."""
    with_speaker = len({one.speaker or one.role for one in statements}) > 1
    return [
        current_candidate(one, one.kind, zone, with_speaker=with_speaker)
        for one in statements
        if one.kind in _GROUPS and not _addresses_a_model(one.text)
    ]


@lru_cache(maxsize=2048)
def _addresses_a_model(text: str) -> bool:
    from almanac.content import judge  # noqa: PLC0415 - imported for the first statement

    return bool(judge(text).findings)


def group_lines(lines: Sequence[CurrentLine]) -> tuple[CurrentGroup, ...]:
    """Group the lines by kind, binding kinds such as constraints first."""
    groups = (tuple(line.text for line in lines if line.group == place) for place in range(len(_GROUPS)))
    return tuple(CurrentGroup(kind, texts) for kind, texts in zip(_GROUPS, groups, strict=True) if texts)


def due_candidate(item: DayItem, today: str) -> Candidate:
    kind = "card" if item.source == "kanban" else item.type
    date = None if item.date == today else item.date

    def row(text: str, cut: bool) -> DueItem:
        quoting = TextQuoter()
        return DueItem(item.id, quoting.text("title", text), kind, item.time, date, cut, quoting.notes)

    return Candidate(item.title, row)
