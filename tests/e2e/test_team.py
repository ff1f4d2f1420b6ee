"""Working together as agents do it. The official client holds each result against the tool's output schema."""

from collections.abc import Callable
from secrets import token_hex
from typing import Any

import pytest

from tests.e2e.target import MODES, Target, eventually, result_text

PATH = "/team"
ME, YOU = "claude-code@ann#1", "cursor@bob#2"

Ask = Callable[..., dict[str, Any]]


@pytest.fixture
def name() -> str:
    """A name that nothing else in the project has."""
    return f"e2e-{token_hex(6)}"


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_takes_part_in_a_day_of_work(team: Target, name: str, mode: str):
    used: set[str] = set()

    def ask(tool: str, /, **arguments: Any) -> dict[str, Any]:
        used.add(tool)
        return team.ask(tool, PATH, mode=mode, **arguments)

    for part in (_claims, _queue, _settings, _presence, _broadcasts, _mail, _reviews, _rules):
        part(ask, name)
    assert sorted(used) == team.families["team"]


def _claims(ask: Ask, name: str) -> None:
    file = f"file:src/{name}/auth.py"
    mine = ask("claim", key=file, holder=ME, ttl_ms=60_000, metadata={"why": "login"})
    assert (mine["ok"], mine["deduped"], mine["claim"]["key"]) == (True, False, file)
    assert 0 < mine["claim"]["expires_in_ms"] <= 60_000
    yours = ask("claim", key=f"src/{name}/a*", holder=YOU, ttl_ms=60_000)
    assert (yours["ok"], yours["held_by"], yours["held_key"]) == (False, ME, file)
    assert yours["expires_at"] == mine["claim"]["expires_at"]
    later = ask("extend", key=file, holder=ME, ttl_ms=600_000)
    assert later["expires_at"] > mine["claim"]["expires_at"]
    (listed,) = ask("list_claims", key=f"src/{name}/")["claims"]
    assert (listed["holder"], listed["metadata"], listed["expires_at"]) == (ME, {"why": "login"}, later["expires_at"])
    assert ask("check_claims", paths=[f"src/{name}/auth.py"], holder=YOU)["refused"][0]["held_by"] == ME
    assert ask("check_claims", paths=[f"src/{name}/auth.py"], holder=ME, token=mine["claim"]["token"])["ok"]
    assert ask("release", key=file, holder=ME) == {"ok": True}
    token = ask("claim", key=file, holder=YOU, ttl_ms=60_000)["claim"]["token"]
    assert token > mine["claim"]["token"]
    assert ask("release", key=file, holder=YOU)["ok"]


def _presence(ask: Ask, name: str) -> None:
    path = f"src/{name}/auth.py"
    intent = {"current_file": path, "current_function": "login", "current_action": "editing"}
    beat = ask("heartbeat", session_id=name, display_name="Ann", tool="claude-code", **intent)
    assert (beat["ok"], beat["session_id"]) == (True, name)
    users = ask("list_active_users")
    assert users["since_ms"] == 1_800_000
    (me,) = [user for user in users["users"] if user["actor"] == beat["actor"]]
    (session,) = [session for session in me["sessions"] if session["session_id"] == name]
    assert {field: session[field] for field in intent} == intent
    (focus,) = [file for file in ask("get_focus_map", limit=100)["files"] if file["path"] == path]
    assert [(pair["tool"], pair["actor"]) for pair in focus["who"]] == [("claude-code", beat["actor"])]
    assert focus["collision"] is False


def _broadcasts(ask: Ask, name: str) -> None:
    set_at = ask("set_broadcast", key=name, value={"sprint": 48, "open": ["a", None]})["updated_at"]
    one = ask("get_broadcast", key=name)
    assert (one["value"], one["updated_at"]) == ({"sprint": 48, "open": ["a", None]}, set_at)
    assert one in ask("get_broadcast")["broadcasts"]
    ask("set_broadcast", key=name, value=None)
    assert ask("get_broadcast", key=name) == {"key": name, "value": None, "updated_at": None, "updated_by": None}


def _mail(ask: Ask, name: str) -> None:
    me = ask("heartbeat", session_id=name)["actor"]
    letter = {"subject": f"Login of {name}", "body": "Who reviews it?", "ack_required": True}
    sent = ask("send_message", to=[me], about=[f"src/{name}/auth.py"], **letter)["message"]
    read = ask("read_inbox", thread=sent["thread"])
    (mail,) = read["messages"]
    assert {field: mail[field] for field in letter} == letter
    assert (mail["id"], mail["unread"], mail["sender"], read["untrusted"]) == (sent["id"], True, me, True)
    for already in (False, True):
        assert ask("acknowledge_message", message_id=sent["id"])["already"] is already
    assert sent["id"] not in str(ask("read_inbox", limit=50)["messages"])


def _reviews(ask: Ask, name: str) -> None:
    asked = ask("request_review", subject=name, reviewers=["bob"], deadline_ms=60_000, metadata={"pr": 7})["review"]
    assert asked["deadline_at"] == asked["requested_at"] + 60_000
    assert asked in ask("list_pending_reviews", reviewer="bob", limit=200)["reviews"]
    decided = ask("mark_reviewed", review_id=asked["id"], decision="needs_changes", comment="Tests?")
    assert (decided["ok"], decided["review"]["state"]) == (True, "needs_changes")
    late = ask("mark_reviewed", review_id=asked["id"], decision="approved")
    assert (late["ok"], late["reason"], late["decision"]) == (False, "already_decided", "needs_changes")
    assert asked["id"] not in str(ask("list_pending_reviews", limit=200))
    read = ask("get_review", review_id=asked["id"])["review"]
    assert (read["decision"], read["comment"], read["self_reviewed"]) == ("needs_changes", "Tests?", True)
    assert read in ask("list_reviews", state="needs_changes", limit=200)["reviews"]


def _settings(ask: Ask, name: str) -> None:
    root = f"/srv/{name}"
    assert ask("configure_project", root=root)["settings"] == ask("get_project_settings")
    assert ask("claim", key=f"{root}/{name}.py", holder=ME, ttl_ms=60_000)["ok"]
    assert ask("claim", key=f"./{name}.py", holder=YOU, ttl_ms=60_000)["held_by"] == ME
    assert ask("release", key=f"{name}.py", holder=ME)["ok"]
    assert ask("configure_project", root="")["settings"]["root"] is None


def _queue(ask: Ask, name: str) -> None:
    key = f"story:{name}-queue"
    assert ask("claim", key=key, holder=ME, ttl_ms=60_000)["ok"]
    assert ask("claim", key=key, holder=YOU, ttl_ms=60_000, wait=True)["queued"]["position"] == 1
    assert ask("release", key=key, holder=ME)["ok"]
    kept = ask("claim", key=key, holder=YOU, ttl_ms=60_000)
    assert (kept["deduped"], [one["kind"] for one in kept["notices"]]) == (True, ["claim_granted"])
    taken = ask("claim", key=key, holder=ME, ttl_ms=60_000, force=True, reason="a test")
    assert [one["holder"] for one in taken["taken_from"]] == [YOU]
    assert ask("release", key=key, holder=ME)["ok"]
    assert [one["kind"] for one in ask("heartbeat", holder=YOU)["notices"]] == ["claim_taken"]


def _rules(ask: Ask, name: str) -> None:
    defaults = {rule["name"]: rule for rule in ask("list_default_rules")["defaults"]}
    assert sorted(defaults) == [
        *("claim-watchdog", "error-pin", "mail-escalation", "review-escalation", "review-router"),
    ]
    assert all(each.get("available", True) for each in defaults.values())
    (source,) = ask("list_event_kinds", on_kind="claim_expired")["kinds"]
    assert set(source["sample"]) >= {"key", "holder", "expires_at"}
    rule = defaults["claim-watchdog"] | {"name": name}
    assert ask("install_rule", **rule)["replaced"] is False
    assert ask("install_rule", **rule)["replaced"] is True
    (listed,) = [each for each in ask("list_rules")["rules"] if each["name"] == name]
    assert {field: listed[field] for field in rule} == rule
    sample = {"payload": {**source["sample"], "holder": "cursor@no-disk#1"}}
    (trial,) = ask("test_rule", name=name, sample=sample)["trials"]
    assert trial["matches"]
    assert "no-disk" in str(trial["actions"])
    assert ask("remove_rule", name=name)["ok"]
    assert ask("remove_rule", name=name)["reason"] == "not_found"


@pytest.mark.parametrize("mode", MODES)
def test_other_names_of_a_tool_are_taken_and_not_listed(team: Target, name: str, mode: str):
    def ask(tool: str, /, **arguments: Any) -> dict[str, Any]:
        assert tool not in team.families["team"]
        return team.ask(tool, PATH, mode=mode, **arguments)

    held = {"key": f"story:{name}", "holder": ME}
    assert ask("acquire_claim", **held, ttl_ms=60_000)["ok"]
    assert ask("extend_claim", **held, ttl_ms=60_000)["ok"]
    expires_at = ask("renew", **held, ttl_ms=70_000)["expires_at"]
    assert [each["expires_at"] for each in ask("get_claim", key=held["key"])["claims"]] == [expires_at]
    assert ask("release_claim", **held)["ok"]
    assert ask("heartbeat_presence", session_id=name)["ok"]
    assert name in str(ask("list_active"))
    assert "files" in ask("focus_map")
    review = team.ask("request_review", PATH, subject=name)["review"]
    assert ask("decide_review", review_id=review["id"], decision="rejected")["review"]["state"] == "rejected"
    assert [ask(alias, name=name)["reason"] for alias in ("uninstall_rule", "delete_rule")] == ["not_found"] * 2


def test_who_let_a_claim_run_out_hears_it_from_whatever_it_calls_next(team: Target, name: str):
    claim = team.ask("claim", PATH, key=f"story:{name}", holder=name, ttl_ms=5000)["claim"]
    told = {"key": claim["key"], "token": claim["token"], "expired_at": claim["expires_at"], "kind": "claim_expired"}
    listed = eventually(lambda: team.ask("list_claims", PATH, holder=name).get("notices"))
    assert listed == [told]
    assert team.ask("heartbeat", PATH, session_id=name, holder=name)["notices"] == [told]
    assert "notices" not in team.ask("heartbeat", PATH, session_id=name, holder=name)
    assert team.ask("extend", PATH, key=claim["key"], holder=name, ttl_ms=5000) == {"ok": False, "reason": "not_held"}


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("claim", {"key": "k", "holder": ME, "ttl_ms": 4_999}, "ttl_ms"),
    ("claim", {"key": "k", "holder": ME, "ttl_ms": 86_400_001}, "ttl_ms"),
    ("claim", {"key": "", "holder": ME, "ttl_ms": 5_000}, "key"),
    ("claim", {"key": "k" * 257, "holder": ME, "ttl_ms": 5_000}, "key"),
    ("claim", {"key": "k", "holder": ME, "ttl_ms": 5_000, "metadata": {"a": "x" * 9_000}}, "metadata"),
    ("extend", {"key": "k", "holder": ME, "ttl_ms": 1}, "ttl_ms"),
    ("release", {"key": "k"}, "holder"),
    ("list_claims", {"limit": 501}, "limit"),
    ("check_claims", {"paths": []}, "paths"),
    ("check_claims", {"paths": ["a"], "token": -1}, "token"),
    ("list_claims", {"cursor": "nowhere"}, "cursor"),
    ("set_broadcast", {"key": "k", "value": "x" * 9_000}, "value"),
    ("set_broadcast", {"key": "k"}, "value"),
    ("heartbeat", {"current_file": "x" * 513}, "current_file"),
    ("heartbeat", {"actor": "somebody else"}, "actor"),
    ("list_active_users", {"since_ms": 86_400_001}, "since_ms"),
    ("get_focus_map", {"since_ms": 59_999}, "since_ms"),
    ("get_focus_map", {"limit": 101}, "limit"),
    ("request_review", {"subject": "x" * 513}, "subject"),
    ("request_review", {"subject": "s", "reviewers": ["r"] * 21}, "reviewers"),
    ("request_review", {"subject": "s", "deadline_ms": 59_999}, "deadline_ms"),
    ("request_review", {"subject": "s", "deadline_ms": 604_800_001}, "deadline_ms"),
    ("mark_reviewed", {"review_id": "r", "decision": "maybe"}, "decision"),
    ("mark_reviewed", {"review_id": "nobody-asked", "decision": "approved"}, "list_reviews"),
    ("mark_reviewed", {"review_id": "r", "decision": "approved", "comment": "x" * 8_193}, "comment"),
]


@pytest.mark.parametrize(("tool", "arguments", "told"), REFUSED, ids=[f"{tool}-{told}" for tool, _, told in REFUSED])
def test_what_cannot_be_is_refused_with_a_word_on_what_to_do(
    team: Target, tool: str, arguments: dict[str, Any], told: str
):
    result = team.call(tool, arguments, PATH)
    assert result.is_error
    assert result.structured_content is None
    assert told in result_text(result)
