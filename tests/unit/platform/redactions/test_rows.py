"""Test the stored record of a redaction, which has no secret, and people's decisions about it."""

import random
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from almanac.content.redaction import SecretFinding, masked_secrets, redact, redact_value
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import NotFound
from almanac.platform.project import ProjectWork
from almanac.platform.redactions.records import KEPT_MS, REDACTIONS, Redaction
from almanac.platform.redactions.rows import MOST_TOLD, first_status, redaction_changes, review
from almanac.platform.store.contention import Backoff
from almanac.platform.store.sqlite.store import SqliteStore
from tests.unit.content.redaction.made_up import HEX, PASSWORD, UPPER, random_text

AWS_KEY = "AKIA" + random_text(16, UPPER)
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{random_text(64)}\n-----END RSA PRIVATE KEY-----"
AT = 1_771_400_000_000


@pytest.fixture
def project(tmp_path: Path) -> ProjectWork:
    clock = FixedClock(datetime.fromtimestamp(AT / 1000, UTC))
    store = SqliteStore(tmp_path / "almanac.db", clock=clock, cursor_secret=b"c" * 32)
    return ProjectWork(
        store, Scope("acme", "web"), "ann", clock, random.Random(7).randbytes, Backoff(lambda _: None, lambda: 0.5)
    )


def stored_redactions(project: ProjectWork) -> list[Redaction]:
    return list(project.rows(REDACTIONS).every())


def test_an_item_that_lost_nothing_needs_no_change(project: ProjectWork) -> None:
    assert redaction_changes(project, "1", "turn", (), AT) == []


def test_a_row_says_where_it_was_found_and_by_whom_but_never_what(project: ProjectWork) -> None:
    findings = redact_value({"content": f"use {AWS_KEY} now", "tags": []}).findings
    project.store.write(redaction_changes(project, "01T", "turn", findings, AT, tool="cli", session="s1"))

    (row,) = stored_redactions(project)
    assert (row.item, row.where, row.at, row.actor, row.tool, row.session) == ("01T", "turn", AT, "ann", "cli", "s1")
    assert [(each.kind, each.path, each.prefix) for each in row.removed] == [("aws_access_key", "content", "AKIA")]
    assert (row.status, row.count, row.expires_at) == ("escalated", 1, AT + KEPT_MS)
    assert AWS_KEY[5:] not in str(msgspec.to_builtins(row))


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (f"key {AWS_KEY}", "escalated"),
        (f"password = {PASSWORD}", "flagged"),
        (f"password = {PASSWORD}, key {AWS_KEY}", "escalated"),
        (f"postgres://ann:{PASSWORD}@db/x", "flagged"),
        (PEM, "escalated"),
        (f"sk-{random_text(32, HEX)}", "escalated"),
    ],
)
def test_what_its_form_alone_tells_is_escalated_and_the_rest_flagged(text: str, status: str) -> None:
    assert first_status(redact(text).findings)[0] == status


def test_a_secret_that_arrived_masked_is_flagged_and_one_beside_it_judged_by_itself() -> None:
    masked = masked_secrets("key [REDACTED:aws_access_key]")
    assert first_status(masked)[0] == "flagged"
    assert first_status([*masked, *redact(f"password = {PASSWORD}").findings])[0] == "flagged"
    status, reason = first_status([*masked, *redact(PEM).findings])
    assert (status, "aws_access_key" in reason) == ("escalated", False)


def test_a_row_keeps_a_bounded_part_of_many_findings(project: ProjectWork) -> None:
    many = [SecretFinding("password", at, at + 5, path="x" * 1000) for at in range(0, 1000, 10)]
    project.store.write(redaction_changes(project, "y" * 5000, "note", many, AT))

    (row,) = stored_redactions(project)
    assert (len(row.removed), row.count) == (MOST_TOLD, 100)
    assert len(msgspec.json.encode(row)) < 15_000


def test_what_a_person_says_replaces_the_status_and_its_reason(project: ProjectWork) -> None:
    project.store.write(redaction_changes(project, "1", "turn", redact(f"password = {PASSWORD}").findings, AT))
    (row,) = stored_redactions(project)
    answered = review(project, row.id, "dismissed", "A value of the tests.")

    assert stored_redactions(project) == [answered]
    assert (answered.status, answered.reason, answered.reviewer) == ("dismissed", "A value of the tests.", "ann")
    assert list(project.rows(REDACTIONS).every("flagged", index="gsi1")) == []
    assert list(project.rows(REDACTIONS).every("dismissed", index="gsi1")) == [answered]


def test_a_row_of_another_project_cannot_be_reviewed(project: ProjectWork) -> None:
    project.store.write(redaction_changes(project, "1", "turn", redact(f"password = {PASSWORD}").findings, AT))
    other = msgspec.structs.replace(project, scope=Scope("acme", "api"))
    with pytest.raises(NotFound):
        review(other, stored_redactions(project)[0].id, "dismissed", "x")
