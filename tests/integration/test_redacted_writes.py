"""Secrets in what people and agents write: gone before anything of it is stored, and the writer is told."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from almanac.kernel.caller import Scope
from almanac.platform.redactions.records import REDACTIONS, Redaction
from tests.project_app import ProjectApp
from tests.unit.content.redaction.made_up import PASSWORD, UPPER, random_text

AWS_KEY = "AKIA" + random_text(16, UPPER)
TOLD = f"deploy with {AWS_KEY}, the password is {PASSWORD}"
KEPT = "deploy with [REDACTED:aws_access_key], the password is [REDACTED:password]"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[ProjectApp]:
    app = ProjectApp(tmp_path, Scope("acme", "web"))
    yield app
    app.database.close()


def rows(app: ProjectApp) -> list[Redaction]:
    return list(REDACTIONS.within(app.store, app.caller.scope).every())


def stored_bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def board(app: ProjectApp) -> str:
    made = app.do("kanban_edit_board", action="create_board", title=TOLD)
    return str(made["board"]["columns"][0]["id"])


Write = Callable[[ProjectApp], Any]
# What is written, and where its row says it was; None for what has no row.
WRITES: dict[str, tuple[Write, str | None]] = {
    "broadcast": (lambda app: app.do("set_broadcast", key="how", value={"steps": [TOLD]}), "broadcast"),
    "review": (lambda app: app.do("request_review", subject=TOLD, metadata={"env": {"note": TOLD}}), "review"),
    "claim": (
        lambda app: app.do("claim", key="file:a.py", holder="x@ann", ttl_ms=60_000, metadata={"why": TOLD}),
        "claim",
    ),
    "glob": (
        lambda app: app.do("claim", key="file:src/*", holder="x@ann", ttl_ms=60_000, metadata={"why": TOLD}),
        "claim",
    ),
    "presence": (lambda app: app.do("heartbeat", current_action=TOLD, display_name=TOLD), None),
    "note": (lambda app: app.do("notes_create", title=TOLD, body=f"# {TOLD}", tags=[AWS_KEY]), "note"),
    "journal": (
        lambda app: app.do("journal_create", title="Day", date="2026-02-18", body=TOLD, mood=AWS_KEY),
        "journal",
    ),
    "board": (board, None),
    "card": (lambda app: app.do("kanban_create_card", columnId=board(app), title=TOLD, description=TOLD), "card"),
    "event": (
        lambda app: app.do("calendar_create_event", title=TOLD, date="2026-03-02", time="10:00", description=TOLD),
        "event",
    ),
    "booking": (
        lambda app: app.do(
            "book_slot",
            calendar_id="primary",
            start="2026-03-02T10:00:00Z",
            end="2026-03-02T11:00:00Z",
            summary=TOLD,
            location=TOLD,
        ),
        None,
    ),
    "hold": (
        lambda app: app.do(
            "hold_slot", calendar_id="primary", start="2026-03-02T10:00:00Z", end="2026-03-02T11:00:00Z", summary=TOLD
        ),
        None,
    ),
}


@pytest.mark.parametrize("write", WRITES)
def test_no_stored_byte_has_the_secret_and_a_row_says_that_it_was_there(
    write: str, app: ProjectApp, tmp_path: Path
) -> None:
    call, where = WRITES[write]
    answer = call(app)
    app.react()
    app.follow()

    assert AWS_KEY.encode() not in (kept := stored_bytes(tmp_path))
    assert PASSWORD.encode() not in kept
    assert AWS_KEY not in str(answer)
    assert AWS_KEY not in str([msgspec.to_builtins(event.payload) for event in app.events()])
    found = [row.where for row in rows(app)]
    assert set(found) == ({where} if where else set())


def test_a_decision_loses_the_secrets_of_its_comment(app: ProjectApp) -> None:
    review = app.do("request_review", subject="x")["review"]
    decided = app.do("mark_reviewed", review_id=review["id"], decision="approved", comment=TOLD)["review"]

    assert decided["comment"] == KEPT
    assert [(row.item, [each.path for each in row.removed]) for row in rows(app)] == [(review["id"], ["comment"] * 2)]


def test_the_writer_is_told_what_was_taken_out(app: ProjectApp) -> None:
    assert app.do("set_broadcast", key="k", value=TOLD)["notes"] == [
        "value: redacted 1 aws_access_key",
        "value: redacted 1 password",
    ]
    assert app.do("request_review", subject=TOLD)["review"]["notes"] == ["subject: redacted 2 secrets"]
    note = app.do("notes_create", title="Deploy", body=TOLD)
    assert note["textNotes"] == ["body: redacted 1 aws_access_key", "body: redacted 1 password"]
    assert "textNotes" not in app.do("notes_create", title="Plain", body="Nothing to hide.")


def test_a_password_named_in_one_field_is_taken_out_of_the_others(app: ProjectApp) -> None:
    note = app.do("notes_create", title=f"Login {PASSWORD}", body=f"password = {PASSWORD}")
    assert note["title"] == "Login [REDACTED:secret]"


def test_what_was_read_can_be_written_back_and_changes_nothing(app: ProjectApp) -> None:
    note = app.do("notes_create", title=TOLD, body=TOLD, tags=[AWS_KEY])
    read = app.do("notes_get", noteId=note["id"])
    again = app.do("notes_update", noteId=note["id"], title=read["title"], body=read["body"], tags=read["tags"])

    assert (read["body"], read["tags"]) == (KEPT, ["[REDACTED:aws_access_key]"])
    assert again["revision"] == note["revision"]
    assert len(rows(app)) == 1


def test_an_edit_and_a_restored_version_are_redacted(app: ProjectApp, tmp_path: Path) -> None:
    note = app.do("notes_create", title="Deploy", body="by hand")
    app.do("notes_update", noteId=note["id"], body=TOLD)
    app.do("notes_update", noteId=note["id"], body="by a script")
    app.do("notes_update", noteId=note["id"], restoreVersion=2)

    assert app.do("notes_get", noteId=note["id"])["body"] == KEPT
    assert AWS_KEY.encode() not in stored_bytes(tmp_path)


def test_a_title_that_grows_beyond_its_bound_is_refused_and_nothing_is_stored(app: ProjectApp, tmp_path: Path) -> None:
    title = f"{'x ' * 90}password: {PASSWORD}"
    assert len(title) <= 200
    assert "200" in app.refusal("notes_create", title=title)
    assert PASSWORD.encode() not in stored_bytes(tmp_path)


def test_the_key_of_a_broadcast_tells_of_its_value_and_holds_no_secret_itself(app: ProjectApp) -> None:
    app.do("set_broadcast", key="db_password", value=PASSWORD)
    assert app.do("get_broadcast", key="db_password")["value"] == "[REDACTED:password]"
    assert AWS_KEY not in app.refusal("set_broadcast", key=f"key {AWS_KEY}", value=1)
    assert rows(app)[0].item == "db_password"


def test_a_rule_keeps_no_secret_in_what_it_does(app: ProjectApp, tmp_path: Path) -> None:
    action = {"tool": "set_broadcast", "args": {"key": "how", "value": {"note": TOLD, "who": "${event.actor}"}}}
    app.do("install_rule", name="tell", on_kind="claim_acquired", description=TOLD, actions=[action])
    (rule,) = app.do("list_rules")["rules"]

    assert rule["description"] == KEPT
    assert AWS_KEY.encode() not in stored_bytes(tmp_path)
    assert [row.where for row in rows(app)] == ["rule"]
    app.do("claim", key="story:1", holder="x@ann", ttl_ms=60_000)
    app.react()
    assert app.do("get_broadcast", key="how")["value"] == {"note": KEPT, "who": "ann"}


def test_a_rule_that_repeats_a_secret_stores_it_redacted(app: ProjectApp, tmp_path: Path) -> None:
    app.do(
        "install_rule",
        name="repeat",
        on_kind="claim_acquired",
        actions=[{"tool": "set_broadcast", "args": {"key": "last", "value": "password = ${payload.holder}"}}],
    )
    app.do("claim", key="story:1", holder=PASSWORD, ttl_ms=60_000)
    app.react()

    value = app.do("get_broadcast", key="last")["value"]
    assert value == "password = [REDACTED:password]"
    assert [row.where for row in rows(app)] == ["broadcast"]


def test_texts_without_secrets_are_stored_as_they_came(app: ProjectApp) -> None:
    plain = {"text": "Token rotation is due; see docs/keys.md", "n": [1, None, True, 1.5]}
    app.do("set_broadcast", key="k", value=plain)
    assert app.do("get_broadcast", key="k")["value"] == plain
    assert rows(app) == []
