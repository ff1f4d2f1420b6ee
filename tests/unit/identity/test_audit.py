"""Test the audit trail: who changed something, when, and with which outcome, but no contents."""

import os
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from almanac.identity.audit import AUDIT, KEPT_MS, AuditEntry, AuditTrail, audit_page
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.errors import Conflict, InvalidInput, Unavailable
from almanac.platform.store.port import Change
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.protocol.invoke import Host, invoke
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call, Effect, Tool, tool

ANN = Caller(Scope("acme", "web"), actor="ann", key_id="annskey")


class TextResult(msgspec.Struct):
    text: str


@tool(title="Look", effect=Effect.READS)
def look(text: str) -> TextResult:
    """Look at something."""
    return TextResult(text)


@tool(title="Keep", effect=Effect.ADDS)
def keep(text: str) -> TextResult:
    """Keep something."""
    if text == "taken":
        raise Conflict("Somebody stands there: a secret.")
    if text == "broken":
        raise ZeroDivisionError("a secret")
    return TextResult(text)


@tool(title="Drop", effect=Effect.REMOVES)
def drop(text: str) -> TextResult:
    """Drop something."""
    return TextResult(text)


class AuditedTools:
    """Calls tools as the protocol does, each followed by its entry in the trail."""

    def __init__(self, path: Path, clock: FixedClock) -> None:
        self.clock = clock
        self.store = SqliteStore(path, clock=clock, cursor_secret=b"a secret for tests")
        self.lost: list[tuple[str, BaseException]] = []
        self.trail = AuditTrail(self.store, clock, os.urandom, lambda where, cause: self.lost.append((where, cause)))
        self._host = Host(
            clock=clock,
            collaborators={Clock: lambda call: call.clock},
            new_reference=lambda: "REF-1",
            report_defect=lambda reference, where, cause: None,
        )

    def call(self, called: Tool, caller: Caller = ANN, **arguments: Any) -> None:
        call = Call(caller, self.clock, NoProgress())
        outcome = invoke(called, arguments, call, self._host)
        self.trail.record(called, call, outcome, seconds=0.0123456)

    def entries(self, tenant: str = "acme") -> Sequence[AuditEntry]:
        return audit_page(self.store, tenant, limit=100).entries


@pytest.fixture
def tools(tmp_path: Path, clock: FixedClock) -> AuditedTools:
    return AuditedTools(tmp_path / "store.db", clock)


def test_a_call_that_changes_something_leaves_an_entry(tools: AuditedTools, clock: FixedClock):
    tools.call(keep, text="a secret")

    at = int(clock.now().timestamp() * 1000)
    (entry,) = tools.entries()
    assert (entry.actor, entry.key_id, entry.project, entry.tool) == ("ann", "annskey", "web", "keep")
    assert (entry.at, entry.outcome, entry.code, entry.duration_ms) == (at, "done", None, 12.346)
    assert entry.expires_at == at + KEPT_MS


def test_a_call_that_reads_leaves_none(tools: AuditedTools):
    tools.call(look, text="a secret")

    assert tools.entries() == []


@pytest.mark.parametrize(
    ("arguments", "outcome", "code"),
    [
        ({"text": "taken"}, "refused", "conflict"),
        ({"text": 5, "more": "a secret"}, "refused", "invalid_input"),
        ({"text": "broken"}, "failed", None),
    ],
)
def test_an_entry_says_how_the_call_ended(
    tools: AuditedTools, arguments: dict[str, Any], outcome: str, code: str | None
):
    tools.call(keep, **arguments)

    (entry,) = tools.entries()
    assert (entry.outcome, entry.code) == (outcome, code)


def test_nothing_that_was_said_is_kept(tools: AuditedTools, tmp_path: Path):
    for text in ("a secret", "taken", "broken"):
        tools.call(keep, text=text)
    tools.call(drop, text="a secret")
    tools.store.close()

    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"annskey" in kept
    assert b"secret" not in kept
    assert b"taken" not in kept


def test_the_newest_entry_comes_first_and_pages_go_on_where_the_last_ended(tools: AuditedTools, clock: FixedClock):
    for _ in range(7):
        clock.instant += timedelta(milliseconds=1)
        tools.call(keep, text="x")
    whole = tools.entries()

    first = audit_page(tools.store, "acme", limit=3)
    second = audit_page(tools.store, "acme", limit=3, before=first.before)
    third = audit_page(tools.store, "acme", limit=3, before=second.before)

    assert [entry.at for entry in whole] == sorted((entry.at for entry in whole), reverse=True)
    assert [*first.entries, *second.entries, *third.entries] == list(whole)
    assert third.before is None


def test_an_entry_that_comes_meanwhile_moves_no_page(tools: AuditedTools, clock: FixedClock):
    for _ in range(4):
        clock.instant += timedelta(milliseconds=1)
        tools.call(keep, text="x")
    first = audit_page(tools.store, "acme", limit=2)
    clock.instant += timedelta(milliseconds=1)
    tools.call(drop, text="x")

    second = audit_page(tools.store, "acme", limit=2, before=first.before)

    assert [entry.tool for entry in second.entries] == ["keep", "keep"]
    assert not {entry.id for entry in second.entries} & {entry.id for entry in first.entries}


def test_projects_share_a_trail_and_tenants_do_not(tools: AuditedTools):
    tools.call(keep, text="x")
    tools.call(keep, Caller(Scope("acme", "zoo"), actor="ben", key_id="k"), text="x")
    tools.call(keep, Caller(Scope("birch", "web"), actor="eve", key_id="k"), text="x")

    assert {entry.actor for entry in tools.entries("acme")} == {"ann", "ben"}
    assert {entry.actor for entry in tools.entries("birch")} == {"eve"}


def test_an_entry_is_gone_after_ninety_days(tools: AuditedTools, clock: FixedClock):
    tools.call(keep, text="x")
    clock.instant += timedelta(days=90) - timedelta(milliseconds=1)
    assert len(tools.entries()) == 1

    clock.instant += timedelta(milliseconds=1)
    assert tools.entries() == []


def test_a_trail_that_cannot_be_written_is_reported_and_does_not_take_the_answer(tools: AuditedTools):
    class Down(SqliteStore):
        def write(self, changes: Sequence[Change]) -> None:
            raise Unavailable("The store does not answer.")

    down = Down(Path("unused"), clock=tools.clock, cursor_secret=b"a secret for tests")
    tools.trail = AuditTrail(down, tools.clock, os.urandom, lambda where, cause: tools.lost.append((where, cause)))

    tools.call(keep, text="x")

    ((where, cause),) = tools.lost
    assert where == "keep"
    assert isinstance(cause, Unavailable)


@pytest.mark.parametrize("limit", [0, 1001])
def test_a_page_has_one_to_a_thousand_entries(tools: AuditedTools, limit: int):
    with pytest.raises(InvalidInput, match="limit is 1 to 1000"):
        audit_page(tools.store, "acme", limit=limit)


@pytest.mark.parametrize("before", ["", "x", "01J#", "I" * 26])
def test_what_is_no_id_of_an_entry_is_refused(tools: AuditedTools, before: str):
    with pytest.raises(InvalidInput, match="not the id of an entry"):
        audit_page(tools.store, "acme", limit=1, before=before)


def test_the_trail_stands_under_the_tenant():
    entry = AuditEntry(
        id="0" * 26, at=1, actor="a", key_id="k", project="p", tool="t", outcome="done", duration_ms=1.0, expires_at=2
    )

    assert AUDIT.place_of(ANN.scope, AUDIT.own, entry) is not None
    assert AUDIT.partition(ANN.scope, AUDIT.own, ()).text == "T#acme#audit"
