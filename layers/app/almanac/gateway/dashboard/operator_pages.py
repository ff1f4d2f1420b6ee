"""Pages for operators: keys, sign-ins of programs, browser sessions, and the audit trail of their tenant."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from almanac.gateway.dashboard.visit import View, Visit
from almanac.identity.audit import AuditEntry, AuditPage, Clerk, audit_page
from almanac.identity.browser_sessions import BrowserSession, BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.grants import ClientGrants
from almanac.identity.oauth.records import ClientGrant
from almanac.identity.records import KeyRecord
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, NotFound
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.identity.access.storage import StoredNow
    from almanac.identity.oauth.attempts import SignInTrace
    from almanac.platform.bus.dead_letters import DeadLetterPage

_MOST_KEYS = 200
_MOST_TRACES = 50
_PAGE = 100
_MOST_LETTERS = 50

CLIENTS: Sequence[tuple[str, str]] = (
    ("claude-code", "Claude Code"),
    ("claude-desktop", "Claude Desktop"),
    ("cursor", "Cursor"),
    ("vscode", "VS Code"),
    ("codex", "Codex"),
    ("gemini", "Gemini CLI"),
    ("copilot", "Copilot CLI"),
    ("opencode", "opencode"),
    ("windsurf", "Windsurf"),
)
"""Names of clients for `almanac connect`, with their titles."""


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Counts of a tenant's stored bytes. `of_tenant` returns the last count, which is made in the background.
    `by_family` sums the bytes of tables by family."""

    of_tenant: Callable[[str], "StoredNow | None"]
    by_family: Callable[[Mapping[str, int]], Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator of one tenant, in one of its projects.

    Changes are audited under `actor`. `ends_keys` means that the server may revoke keys. `stored` returns the tenant's
    stored bytes, and is None if the server does not count them."""

    store: Store
    clock: Clock
    scope: Scope
    actor: str
    ends_keys: bool = True
    stored: StoredBytes | None = None

    @property
    def tenant(self) -> str:
        return self.scope.tenant

    def keys(self) -> list[tuple[KeyRecord, bool]]:
        """Return the keys, newest first, and whether each works."""
        found = islice(self._keys.of_tenant(self.tenant), _MOST_KEYS)
        now = now_ms(self.clock)
        return [(one, one.works_at(now)) for one in sorted(found, key=lambda one: one.created_at, reverse=True)]

    def grants(self) -> list[ClientGrant]:
        """Return the active sign-ins of programs, last used first."""
        found = islice(self._grants.of_tenant(self.tenant), _MOST_KEYS)
        return sorted(found, key=lambda one: one.used_at, reverse=True)

    def traces(self) -> "list[SignInTrace]":
        """Return the sign-ins of the last seven days, successful or not, with the latest activity first."""
        from almanac.identity.oauth.attempts import Attempts  # noqa: PLC0415 - for one page only

        return Attempts(self.store, self.clock, os.urandom).of_tenant(self.tenant)[:_MOST_TRACES]

    def sessions(self, keys: Sequence[KeyRecord]) -> list[BrowserSession]:
        """Return the browsers that are signed in with one of these keys, last seen first."""
        found = [session for key in keys for session in islice(self._sessions.of_key(key.id), _MOST_KEYS)]
        return sorted(found, key=lambda one: one.seen_at, reverse=True)

    def trail(self, limit: int, before: str | None = None) -> AuditPage:
        """Return a page of the audit trail, newest first. Raises InvalidInput if `before` is no entry's id."""
        return audit_page(self.store, self.tenant, limit=limit, before=before)

    def end(self, what: str, name: str) -> str:
        """End a key, sign-in, session or parked event, and return the notice. Raises NotFound, InvalidInput."""
        if what == "event":
            return self.retry(name)
        if what == "grant":
            grant = self._grants.find(name)
            if grant is None or grant.tenant != self.tenant:
                raise NotFound("There is no such sign-in.", "It may have ended already.")
            self._grants.revoke(name, self._clerk)
            return f"{grant.client_name or grant.client_id} is signed out."
        key_id, _, session = name.partition(" ")
        key = self._keys.find(key_id)
        if key is None or key.grant.tenant != self.tenant:
            raise NotFound("There is no such key.", "")
        if what == "key" and not self.ends_keys:
            raise InvalidInput("This server is not allowed to revoke keys.", f"Run `almanac keys revoke {key.id}`.")
        if what == "key":
            self._keys.revoke(key_id)
            return f"The key {key_id} works no longer."
        if what == "session" and session:
            self._sessions.end(key, session)
            return "The browser is signed out."
        raise InvalidInput("Only a key, a sign-in or a session can be ended.", "")

    def dead_letters(self) -> "DeadLetterPage | None":
        """Return the tenant's first parked events, or None on a server that only answers calls."""
        if not self.ends_keys:
            return None
        from almanac.platform.bus.dead_letters import dead_letters  # noqa: PLC0415 - for one page only

        return dead_letters(self.store, self.tenant, limit=_MOST_LETTERS)

    def retry(self, event_id: str) -> str:
        """Send a parked event to its reactions again, and return the notice. Raises NotFound."""
        from almanac.platform.bus.dead_letters import dead_letters_of_event, retry  # noqa: PLC0415 - for one page only

        found = dead_letters_of_event(self.store, self.tenant, event_id) if self.ends_keys else []
        sent = [retry(self.store, self.clock, each) for each in found]
        if not any(sent):
            raise NotFound("There is no such event.", "Somebody may have sent it again already.")
        self._clerk.note(self.tenant, "events retry", subject=event_id)
        return "The event was sent again. Should it fail again, it comes back."

    @property
    def _clerk(self) -> Clerk:
        return Clerk(self.store, self.clock, os.urandom, self.actor)

    @property
    def _keys(self) -> ApiKeys:
        return ApiKeys(self.store, self.clock, os.urandom, self._clerk)

    @property
    def _grants(self) -> ClientGrants:
        return ClientGrants(self.store, self.clock, os.urandom)

    @property
    def _sessions(self) -> BrowserSessions:
        return BrowserSessions(self.store, self.clock, os.urandom)


def connect(visit: Visit) -> View:
    """Show how to connect each client, and show operators the connected clients and their last calls."""
    from almanac.platform.clients.entries import CLIENTS as ENTRIES  # noqa: PLC0415 - for one page only
    from almanac.platform.clients.server import Server  # noqa: PLC0415 - for one page only

    url = f"{visit.request.origin}/mcp"
    # `almanac connect` uses the server of its own machine by default, which a server behind https is not.
    elsewhere = f" --url {url}" if visit.request.origins.is_secure else ""
    few = ENTRIES["generic"].with_tool_set(Server(url=url)).url
    values: dict[str, Any] = {"clients": CLIENTS, "url": url, "few": few, "elsewhere": elsewhere}
    values["operator"] = visit.operator
    if visit.operator is not None:
        keys = visit.operator.keys()
        last: dict[str, AuditEntry] = {}
        for entry in visit.operator.trail(1000).entries:
            last.setdefault(entry.key_id, entry)
        values |= {
            "keys": keys,
            "last": last,
            "grants": visit.operator.grants(),
            "traces": visit.operator.traces(),
            "sessions": visit.operator.sessions([key for key, works in keys if works]),
        }
    return View("connect.html", "Connect", values)


UNDOES: Mapping[str, tuple[str, str, Mapping[str, Any], str, str]] = {
    "pin_memory": ("forget_memory", "memory_id", {}, "Forget it", "No agent is told it any more."),
    "record_turn": ("forget_memory", "memory_id", {}, "Forget it", "No agent is told it any more."),
    "forget_memory": ("forget_memory", "memory_id", {"restore": True}, "Restore it", "It is remembered again."),
    "record_fact": ("invalidate_fact", "fact_id", {}, "End it", "The fact holds no longer."),
    "invalidate_fact": ("invalidate_fact", "fact_id", {"undo": True}, "Let it hold", "The fact holds again."),
    "notes_create": ("notes_delete", "noteId", {}, "Delete it", "The note is deleted again."),
    "journal_create": ("journal_delete", "entryId", {}, "Delete it", "The entry is deleted again."),
    "kanban_create_card": ("kanban_delete_card", "cardId", {}, "Delete it", "The card is gone again."),
    "calendar_create_event": ("calendar_delete_event", "eventId", {}, "Cancel it", "The event is gone again."),
}
"""For each tool the one that undoes its call: its name, the argument for the id, other arguments, and the notice."""


def history(visit: Visit) -> View:
    """Show the tool calls and commands that changed something, each with the call that undoes it."""
    values: dict[str, Any] = {"operator": visit.operator, "page": None, "problem": "", "undoes": {}}
    if visit.operator is not None:
        try:
            values["page"] = visit.operator.trail(_PAGE, visit.query_value("before") or None)
        except InvalidInput as wrong:
            values["problem"] = f"{wrong} {wrong.hint or ''}"
        else:
            values["undoes"] = _undoes(visit, values["page"].entries)
    return View("history.html", "History", values)


def _undoes(visit: Visit, entries: Sequence[AuditEntry]) -> dict[str, Any]:
    """Return the calls that undo entries, by the entry's id. Only the last entry about a thing in the page's project
    has one."""
    found: dict[str, Any] = {}
    seen: set[str] = set()
    for entry in entries:
        if not entry.key_id or entry.subject is None or entry.outcome != "done" or entry.subject in seen:
            continue
        seen.add(entry.subject)
        undo = UNDOES.get(entry.tool)
        if undo is not None and entry.project == visit.principal.caller.scope.project and visit.tools.can(undo[0]):
            tool, name, others, label, says = undo
            found[entry.id] = {"tool": tool, "args": {name: entry.subject, **others}, "label": label, "says": says}
    return found
