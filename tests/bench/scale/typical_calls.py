"""A typical call of every listed tool. Things that a call changes or removes are created first, uncounted."""

from collections.abc import Callable
from typing import Any

from tests.bench.scale.system import System
from tests.bench.scale.tenant_contents import TenantContents, skill_md

Json = dict[str, Any]
ZONE = "America/New_York"
MONDAY = {"calendar_id": "primary", "start": "2026-02-23T08:00:00+01:00", "end": "2026-02-23T18:00:00+01:00"}
WEEK = {"calendar_id": "primary", "start": "2026-02-23T08:00:00+01:00", "end": "2026-02-27T18:00:00+01:00"}


class TypicalCalls:
    """Makes the arguments of calls and the things they need. Slots, keys and names are new for every call."""

    def __init__(self, system: System, furnished: TenantContents) -> None:
        self._system, self._contents = system, furnished
        self._number = 0

    def arguments(self, tool: str) -> Json:
        """Return the arguments of a typical call. Raises KeyError for a tool without one."""
        arguments = CALLS[tool]
        return arguments(self) if callable(arguments) else arguments

    def slot(self) -> Json:
        """A free half-hour in an evening."""
        number = self._next()
        day, half = 2 + number % 26, number // 26 % 8
        at = f"{18 + half // 2:02}:{half % 2 * 30:02}:00+01:00"
        ends = f"{18 + (half + 1) // 2:02}:{(half + 1) % 2 * 30:02}:00+01:00"
        return {"calendar_id": "primary", "start": f"2026-03-{day:02}T{at}", "end": f"2026-03-{day:02}T{ends}"}

    def booking(self) -> str:
        return self._system.do("book_slot", summary="Review with Ben", **self.slot())["booking_id"]

    def hold(self) -> str:
        return self._system.do("hold_slot", **self.slot())["hold_id"]

    def task(self) -> str:
        return self._system.do("calendar_create_event", title="Call Ben", date="2026-02-20", type="task")["id"]

    def message(self) -> str:
        """A message to the caller, who has not acknowledged it."""
        letter = {"to": ["ann"], "subject": "The new page", "body": "It is ready to be looked at."}
        return self._system.do("send_message", **letter)["message"]["id"]

    def card(self) -> str:
        return self._system.do("kanban_create_card", columnId="col_todo", title="Write the page")["id"]

    def gate(self) -> dict[str, str]:
        made = self._system.do("kanban_gate", cardId=self.card(), signal="CI")
        return {"cardId": made["cardId"], "gateId": made["gate"]["id"], "token": made["token"]}

    def taken_card(self) -> str:
        """A card that the caller has taken."""
        self.card()
        return self._system.do("kanban_take")["card"]["id"]

    def handover(self) -> str:
        """A handover to the caller, who has not answered it."""
        arguments = {"to": "ann", "note": "The page is half done."}
        return self._system.do("hand_over", card=self.taken_card(), **arguments)["handoverId"]

    def note(self) -> str:
        return self._system.do("notes_create", title=f"Draft {self._next()}", body="What was said. " * 40)["id"]

    def entry(self) -> str:
        return self._system.do("journal_create", title="A good day", date="2026-02-18", body="Walked. " * 20)["id"]

    def link(self) -> Json:
        ends = {"fromItemId": self.note(), "toItemId": self._contents.card}
        self._system.do("items_link", fromItemType="note", toItemType="task", **ends)
        return ends

    def sources(self) -> list[Json]:
        """Three files of some forty lines."""
        body = "".join(f"def step_{number}(given):\n    return given + {number}\n\n\n" for number in range(10))
        return [{"path": f"src/{self._next()}.py", "content": body} for _ in range(3)]

    def indexed_repository(self) -> str:
        name = f"acme/old{self._next()}"
        self._system.do("index_files", repo_id=name, files=self.sources())
        return name

    def connected_memory(self) -> str:
        src = self.pinned_memory()
        self._system.do("create_edge", src_id=src, dst_id=self.pinned_memory(), kind="supersedes")
        return src

    def pinned_memory(self) -> str:
        content = f"Deploys of service {self._next()} happen on Tuesdays after the review."
        return self._system.do("pin_memory", content=content, tags=["deploy"])["memory"]["id"]

    def decision(self) -> Json:
        """The arguments of context_store for a decision."""
        content = f"Service {self._next()} validates its input with Zod before it touches the database."
        return {"type": "decision", "content": content, "metadata": {"tags": ["api"], "projectPath": "/home/ann/web"}}

    def stored_decision(self) -> str:
        return self._system.do("context_store", **self.decision())["id"]

    def held_claim(self) -> Json:
        claim = self.claimable()
        self._system.do("claim", **claim, ttl_ms=900_000)
        return claim

    def claimable(self) -> Json:
        return {"key": f"file:src/new{self._next()}.py", "holder": "claude-code@ann#7f3a"}

    def root(self) -> str:
        return f"/home/ann/work{self._next()}"

    def repository(self) -> str:
        """A repository with callers of a function `login`."""
        name = f"acme/web{self._next()}"
        texts = {"auth.py": "def login(user): ...\n", "web.py": "from auth import login\nlogin('ann')\n"}
        files = [{"path": path, "content": text} for path, text in texts.items()]
        self._system.do("index_files", repo_id=name, files=files)
        return name

    def skill_md(self) -> str:
        return skill_md(f"new-skill-{self._next()}")

    def skill(self) -> str:
        return self._system.do("install_skill", skill_md=self.skill_md())["name"]

    def review(self) -> str:
        return self._system.do("request_review", subject="The new page")["review"]["id"]

    def rule(self) -> Json:
        action = {"tool": "set_broadcast", "args": {"key": "last", "value": "${event.key}"}}
        return {"name": f"rule-new-{self._next()}", "on_kind": "claim_expired", "actions": [action]}

    def installed_rule(self) -> str:
        rule = self.rule()
        self._system.do("install_rule", **rule)
        return rule["name"]

    def session(self) -> str:
        """A session with turns that wait for a summary."""
        name = f"session-{self._next()}"
        for said in ("The build fails since this morning.", "The cache key lacks the tenant.", "Ben mends it today."):
            self._system.do("record_turn", role="user", content=f"{said} See ticket {self._next()}.", session_id=name)
        return name

    def candidate(self) -> str:
        self._system.do("record_turn", role="user", content=f"We decided to use tool number {self._next()}.")
        return self._system.do("list_candidates", limit=1)["candidates"][0]["id"]

    def fact(self) -> Json:
        """A recorded fact about a subject of its own."""
        fact = {"subject": self.name("Service"), "predicate": "owned_by", "object": "Team Red"}
        return self._system.do("record_fact", **fact, valid_from="2024-03-01T00:00:00Z")["fact"]

    def name(self, kind: str) -> str:
        return f"{kind} {self._next()}"

    @property
    def contents(self) -> TenantContents:
        return self._contents

    def event(self) -> Json:
        """An error that was not reported before."""
        error = f"TypeError: Cannot read properties of undefined (reading 'field{chr(97 + self._next() % 26)}')"
        payload = {"error": error, "file": f"src/part{self._next()}.ts", "line": 42}
        return {"type": "error_occurred", "payload": payload, "sessionId": "work", "cliType": "claude-code"}

    def _next(self) -> int:
        self._number += 1
        return self._number


AT_PROVIDERS = frozenset({"respond_to_invitation"})
"""Tools that work only in a calendar at a provider. Their calls are not counted."""

CALLS: dict[str, Json | Callable[[TypicalCalls], Json]] = {
    "adjust_timestamp": {"datetime": "2026-03-15T14:00:00-04:00", "adjustment": "+1d2h30m"},
    "batch_datetime_operations": {
        "items": [{"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": ZONE}] * 5
    },
    "compute_duration": {"start": "2026-03-15T14:00:00-04:00", "end": "2026-04-15T16:00:00-04:00"},
    "convert_datetime": {"instant_utc": "2026-06-15T15:00:00Z", "target_time_zone": ZONE},
    "convert_timezone": {"datetime": "2026-03-15T14:00:00-04:00", "target_timezone": "Asia/Tokyo"},
    "expand_rrule": {"rrule": "FREQ=WEEKLY;COUNT=10", "dtstart": "2026-03-02T09:00:00", "timezone": ZONE},
    "get_temporal_context": {},
    "resolve_datetime": {"expression": "next Tuesday at 2pm", "timezone": ZONE},
    "validate_local_datetime": {"local_datetime": "2026-03-08T02:30:00", "time_zone": ZONE},
    "book_slot": lambda typical: {"summary": "Review with Ben", **typical.slot()},
    "cancel_booking": lambda typical: {"calendar_id": "primary", "booking_id": typical.booking()},
    "check_availability": MONDAY,
    "context_orient": {"projectPath": "/home/ann/web"},
    "context_reportEvent": lambda typical: {"event": typical.event()},
    "create_calendar": lambda typical: {"name": typical.name("Meeting room")},
    "find_free_slots": WEEK,
    "get_event": lambda typical: {"calendar_id": "primary", "event_id": typical.booking()},
    "get_availability": {"start": WEEK["start"], "end": WEEK["end"], "working_hours": "09:00-17:00"},
    "hold_slot": lambda typical: typical.slot(),
    "list_calendars": {},
    "list_events": WEEK,
    "release_hold": lambda typical: {"calendar_id": "primary", "hold_id": typical.hold()},
    "reschedule_booking": lambda typical: {"booking_id": typical.booking(), **typical.slot()},
    "update_booking": lambda typical: {"calendar_id": "primary", "event_id": typical.booking(), "location": "Room 3"},
    "update_calendar": {"calendar_id": "room", "timezone": "Europe/Berlin"},
    "calendar_create_event": {"title": "Call Ben", "date": "2026-02-20", "type": "task"},
    "calendar_delete_event": lambda typical: {"eventId": typical.task()},
    "calendar_get_event": lambda typical: {"eventId": typical.contents.linked_event},
    "calendar_list_events": {"dateFrom": "2026-02-18", "dateTo": "2026-02-25"},
    "calendar_update_event": lambda typical: {"eventId": typical.task(), "title": "Call Ben and Eve"},
    "daily_overview": {},
    "items_link": lambda typical: {
        "fromItemId": typical.note(),
        "fromItemType": "note",
        "toItemId": typical.contents.card,
        "toItemType": "task",
    },
    "items_list_links": lambda typical: {"itemId": typical.contents.linked_event},
    "items_unlink": lambda typical: typical.link(),
    "journal_create": {"title": "A good day", "date": "2026-02-18", "body": "Walked. " * 20, "mood": "calm"},
    "journal_delete": lambda typical: {"entryId": typical.entry()},
    "journal_get": lambda typical: {"entryId": typical.contents.entry},
    "journal_list": {"dateFrom": "2026-02-01", "dateTo": "2026-02-18"},
    "journal_update": lambda typical: {"entryId": typical.entry(), "mood": "busy"},
    "kanban_create_card": {"columnId": "col_todo", "title": "Write the page", "dueDate": "2026-02-27"},
    "kanban_delete_card": lambda typical: {"cardId": typical.card()},
    "kanban_edit_board": {"action": "update_column", "columnId": "col_doing", "wipLimit": 50},
    "kanban_list_boards": {},
    "kanban_list_cards": {"columnId": "col_doing"},
    "kanban_move_card": lambda typical: {"cardId": typical.card(), "columnId": "col_doing"},
    "kanban_gate": lambda typical: {"cardId": typical.card(), "until": "2026-03-27 at 9:00"},
    "kanban_ready": {},
    "open_gate": lambda typical: typical.gate(),
    "hand_over": lambda typical: {
        "to": "ben",
        "note": "The page is half done; the pictures are missing.",
        "card": typical.taken_card(),
        "evidence": {"commit": "4f2c1aa", "tests": "12 passed"},
    },
    "answer_handover": lambda typical: {"handoverId": typical.handover(), "accept": True},
    "kanban_take": lambda typical: {"board": typical.card() and "board_default"},
    "kanban_update_card": lambda typical: {"cardId": typical.card(), "title": "Write the page well"},
    "notes_create": lambda typical: {"title": typical.name("Plan"), "body": "What was said. " * 40, "tags": ["work"]},
    "notes_delete": lambda typical: {"noteId": typical.note()},
    "list_redactions": {"status": "escalated"},
    "notes_get": lambda typical: {"noteId": typical.contents.note},
    "notes_search": {"q": "calendar"},
    "notes_update": lambda typical: {"noteId": typical.note(), "body": "What was decided. " * 40},
    "get_snapshot": {},
    "invalidate_fact": lambda typical: {"fact_id": typical.fact()["fact_id"], "reason": "The team is gone."},
    "query_facts": lambda typical: {"subject": typical.fact()["subject"], "point_in_time": "2025-01-01T00:00:00Z"},
    "record_fact": lambda typical: {
        "subject": typical.fact()["subject"],
        "predicate": "owned_by",
        "object": "Team Blue",
    },
    "extract_semantic": lambda typical: {"content": f"{typical.name('Service')} answers in UTC.", "tags": ["api"]},
    "create_edge": lambda typical: {
        "src_id": typical.pinned_memory(),
        "dst_id": typical.pinned_memory(),
        "kind": "supersedes",
    },
    "list_edges": lambda typical: {"id": typical.connected_memory(), "hops": 2},
    "forget_memory": lambda typical: {"memory_id": typical.pinned_memory()},
    "get_memory": lambda typical: {"memory_id": typical.pinned_memory()},
    "pin_memory": lambda typical: {
        "content": f"{typical.name('Service')} is deployed on Tuesdays.",
        "tags": ["deploy"],
    },
    "context_delete": lambda typical: {"memoryId": typical.stored_decision()},
    "context_getCurrent": lambda typical: {"sessionId": typical.stored_decision(), "currentFile": "src/api.ts"},
    "context_recall": {"query": "input validation of the services", "threshold": 0.3},
    "context_get": lambda typical: {"memoryId": typical.stored_decision()},
    "context_list": {"type": "decision", "limit": 10},
    "context_store": lambda typical: typical.decision(),
    "context_update": lambda typical: {"memoryId": typical.stored_decision(), "content": "Zod validates all input."},
    "acknowledge_message": lambda typical: {"message_id": typical.message()},
    "claim": lambda typical: {**typical.claimable(), "ttl_ms": 900_000},
    "configure_project": lambda typical: {"root": typical.root()},
    "extend": lambda typical: {**typical.held_claim(), "ttl_ms": 1_800_000},
    "get_broadcast": {"key": "pointer_1"},
    "get_focus_map": {},
    "get_project_settings": {},
    "get_review": lambda typical: {"review_id": typical.review()},
    "heartbeat": {"session_id": "session-1", "current_file": "src/part1.py", "tool": "claude-code"},
    "install_rule": lambda typical: typical.rule(),
    "list_active_users": {},
    "check_claims": {"paths": [f"src/part{number}.py" for number in range(10)], "holder": "claude-code@ann#7f3a"},
    "list_claims": {},
    "list_default_rules": {},
    "list_event_kinds": {},
    "list_pending_reviews": {},
    "list_reviews": {},
    "list_rules": {},
    "mark_reviewed": lambda typical: {"review_id": typical.review(), "decision": "approved"},
    "read_inbox": {},
    "release": lambda typical: typical.held_claim(),
    "remove_rule": lambda typical: {"name": typical.installed_rule()},
    "request_review": {"subject": "The new page", "reviewers": ["ben"]},
    "send_message": {"to": ["ben"], "subject": "The new page", "body": "It is ready to be looked at."},
    "set_broadcast": {"key": "pointer_1", "value": {"sprint": 49, "goal": "release"}},
    "test_rule": {"name": "rule-1", "sample": {"payload": {"key": "file:src/a.py"}}},
    "list_recent_turns": {"session_id": "session-1", "limit": 20},
    "record_turn": lambda typical: {"content": typical.name("The build fails with TS2345"), "session_id": "session-1"},
    "record_turns": lambda typical: {
        "turns": [{"role": "user", "content": typical.name("Why does it fail?")} for _ in range(10)],
        "session_id": "session-2",
    },
    "context_summarize": {"options": {"targetTokens": 2000}, "olderThanDays": 0},
    "summarize_session": lambda typical: {"session_id": typical.session(), "force": True},
    "list_candidates": {},
    "review_candidate": lambda typical: {"candidate_id": typical.candidate(), "decision": "accept"},
    "search_entities": {"query": "src/part1.py"},
    "search_code": {"query": "where are sessions closed"},
    "context_searchCode": {"query": "login", "mode": "symbol"},
    "context_setup": {"cli": "cursor", "preview": True},
    "get_code_context": {"target": "src/auth.py", "repo_id": "acme/web"},
    "search_memory": {"query": "what did we decide about the calendar"},
    "synthesize": {"query": "When do we deploy, and who decided that?"},
    "detect_contradictions": {},
    "index_files": lambda typical: {"repo_id": "acme/app", "files": typical.sources()},
    "list_files": {"repo_id": "acme/web"},
    "remove_repository": lambda typical: {"repo_id": typical.indexed_repository()},
    "get_skill": {"name": "skill-1"},
    "install_skill": lambda typical: {"skill_md": typical.skill_md(), "files": {"scripts/run.py": "print(1)\n" * 100}},
    "list_default_skills": {},
    "list_skills": {},
    "read_skill_file": {"name": "skill-1", "path": "references/format.md"},
    "remove_skill": lambda typical: {"name": typical.skill()},
    "traverse_code": lambda typical: {"repo_id": typical.repository(), "symbol": "login", "direction": "in"},
}
