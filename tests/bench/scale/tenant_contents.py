"""Contents of the tenant whose calls are counted: a team of five after half a year, made with its own tools."""

from datetime import date, timedelta
from random import Random
from typing import Any

import msgspec

from tests.bench.scale.system import System

TODAY = date(2026, 2, 18)
BOOKINGS, SERIES, TASKS, CARDS, NOTES, ENTRIES = 500, 12, 120, 80, 200, 150
CLAIMS, PEOPLE, BROADCASTS, REVIEWS, RULES = 15, 5, 6, 4, 3
SKILLS = 10
COLUMNS = ("col_todo", "col_doing", "col_done")
_SAID = [
    "the plan for review of booking calendar",
    "and what it needs before release so that nobody waits",
    "while agents write tests for time zones across services",
    "with notes about costs limits errors figures",
]


class TenantContents(msgspec.Struct, frozen=True):
    """Ids of things that calls name."""

    note: str
    entry: str
    card: str
    linked_event: str


NOTHING = TenantContents("", "", "", "")
"""For tools that name nothing."""


def furnish(system: System, random: Random) -> TenantContents:
    """The ids; the meter is reset."""
    _calendar(system)
    events = _planner(system, random)
    notes = _notes(system, random)
    cards = [_card(system, number, events[number % len(events)]) for number in range(CARDS)]
    for number in range(20):
        system.do(
            "items_link", fromItemId=notes[number], fromItemType="note", toItemId=cards[number], toItemType="task"
        )
    entries = [_entry(system, number, random) for number in range(ENTRIES)]
    _team(system)
    _code(system)
    _skills(system)
    system.meter.reset()
    return TenantContents(note=notes[0], entry=entries[-1], card=cards[0], linked_event=events[0])


def _code(system: System) -> None:
    body = "".join(f"def step_{number}(given):\n    return given + {number}\n\n\n" for number in range(10))
    files = [{"path": f"src/part{number}.py", "content": body} for number in range(20)]
    files.append({"path": "src/auth.py", "content": f"def login(user):\n    return user\n\n\n{body}"})
    system.do("index_files", repo_id="acme/web", files=files, complete=True)


def _skills(system: System) -> None:
    for number in range(SKILLS):
        files = {"references/format.md": "One line for each change, the newest first.\n" * 50}
        system.do("install_skill", skill_md=skill_md(f"skill-{number}"), files=files)


def skill_md(name: str) -> str:
    """Return a SKILL.md of 4 kB, the size of most."""
    steps = "".join(f"{step}. Read what changed, and say it in one line for readers.\n" for step in range(65))
    return f"---\nname: {name}\ndescription: Writes notes about a release. Use before one.\n---\n# Steps\n\n{steps}"


def text(random: Random, words: int) -> str:
    return " ".join(random.choices(" ".join(_SAID).split(), k=words))


def _calendar(system: System) -> None:
    """Half an hour each, four a day, from four months ago on."""
    system.do("create_calendar", name="Meeting room", calendar_id="room", timezone="Europe/Berlin")
    for number in range(BOOKINGS):
        day = TODAY + timedelta(days=number // 4 - 120)
        hour = 9 + 2 * (number % 4)
        system.do(
            "book_slot",
            calendar_id="primary",
            start=f"{day}T{hour:02}:00:00+01:00",
            end=f"{day}T{hour:02}:30:00+01:00",
            summary=f"Review of plan {number}",
            attendees=["ann@example.com", "ben@example.com"],
        )


def _planner(system: System, random: Random) -> list[str]:
    series: dict[str, Any] = {"frequency": "weekly", "interval": 1}
    for number in range(SERIES):
        at = f"{7 + number % 2:02}:{number % 4 * 15:02}"
        system.do(
            "calendar_create_event", title=f"Series {number}", date="2026-01-05", time=at, recurrence=series, busy=False
        )
    made: list[str] = []
    for number in range(TASKS):
        day = TODAY + timedelta(days=number - 60)
        task = system.do(
            "calendar_create_event",
            title=f"Task {number}",
            date=day.isoformat(),
            type="task",
            description=text(random, 20),
        )
        made.append(task["id"])
    return made


def _notes(system: System, random: Random) -> list[str]:
    """120 words each, a tenth at the top, links to earlier ones."""
    made: list[str] = []
    for number in range(NOTES):
        parent = made[number % 20] if number >= 20 else ""
        link = f" [[Note {number // 2}]]" if number else ""
        body = text(random, 120) + link
        note = system.do("notes_create", title=f"Note {number}", body=body, parentId=parent, tags=["work", "plan"])
        made.append(note["id"])
    return made


def _card(system: System, number: int, event: str) -> str:
    due = {"dueDate": (TODAY + timedelta(days=number - 20)).isoformat()} if number % 2 else {}
    links = {"eventLinks": [event]} if number % 4 == 0 else {}
    column = COLUMNS[number % 3]
    card = system.do(
        "kanban_create_card", columnId=column, title=f"Card {number}", description="What is to be done.", **due, **links
    )
    return card["id"]


def _entry(system: System, number: int, random: Random) -> str:
    day = TODAY - timedelta(days=ENTRIES - number)
    entry = system.do(
        "journal_create", title=f"Day {number}", date=day.isoformat(), body=text(random, 60), mood="calm", tags=["work"]
    )
    return entry["id"]


def _team(system: System) -> None:
    for number in range(CLAIMS):
        system.do("claim", key=f"file:src/part{number}.py", holder=f"claude-code@ann#{number}", ttl_ms=3_600_000)
    for number in range(PEOPLE):
        system.do("heartbeat", session_id=f"session-{number}", current_file=f"src/part{number}.py", tool="claude-code")
    for number in range(BROADCASTS):
        system.do("set_broadcast", key=f"pointer_{number}", value={"sprint": number, "goal": "release"})
    for number in range(REVIEWS):
        system.do("request_review", subject=f"Change {number} of the plan", reviewers=["ben"])
    for number in range(RULES):
        action = {"tool": "set_broadcast", "args": {"key": f"last_{number}", "value": "${event.key}"}}
        system.do("install_rule", name=f"rule-{number}", on_kind="claim_expired", actions=[action])
