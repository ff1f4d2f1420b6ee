"""Hand work over: card and claims change their owner in one write, and are never without one."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.families.team.claims.claims import ClaimRefusal, Claims
from almanac.families.team.claims.handovers import return_unanswered
from almanac.families.team.claims.requests import AcquiredClaim, BlockingClaim
from almanac.families.team.core.project import Project, open_project
from almanac.families.team.jobs import JOBS
from almanac.families.team.messages.mail import InboxFilter, open_mail
from almanac.families.team.messages.mail_records import Message
from tests.project_app import ProjectApp, planner_app

Json = dict[str, Any]
HOUR = 3_600_000


class World:
    """Ann, who hands over, and Bob, each with an own key."""

    def __init__(self, app: ProjectApp) -> None:
        self.app = app

    def project(self, actor: str = "ann") -> Project:
        return open_project(self.app.services, self.app.caller.scope, actor, self.app.clock)

    def claims(self, actor: str = "ann") -> Claims:
        return Claims(self.project(actor))

    def claim(self, *keys: str, actor: str = "ann", holder: str | None = None, ttl: int = HOUR) -> list[int]:
        made = [self.claims(actor).acquire(key, holder or actor, ttl) for key in keys]
        return [one.claim.token for one in made if isinstance(one, AcquiredClaim)]

    def take_card(self, title: str = "Login") -> Json:
        self.app.do("kanban_create_card", columnId="col_todo", title=title)
        return self.app.do("kanban_take")

    def by(self, actor: str, tool: str, **arguments: Any) -> Json:
        return self.app.call(tool, caller=replace(self.app.caller, actor=actor), **arguments)

    def offer(self, **more: Any) -> Json:
        made = self.by("ann", "hand_over", **({"to": "bob", "note": "Half of it is done."} | more))
        assert made["ok"], made
        return made["data"]

    def answer(self, offer: Json, *, accept: bool, actor: str = "bob", **more: Any) -> Json:
        return self.by(actor, "answer_handover", handoverId=offer["handoverId"], accept=accept, **more)

    def owners(self) -> dict[str, tuple[str | None, str]]:
        return {one.key: (one.holder, one.actor) for one in self.claims().all_held()}

    def mail(self, actor: str) -> list[Message]:
        page = open_mail(self.project(actor)).read(InboxFilter(), limit=20, position="")
        return [one.message for one in page.received]

    def handover_events(self) -> list[str]:
        return [each.kind for each in self.app.events() if each.kind.startswith("handover_")]

    def pass_time(self, **by: float) -> None:
        self.app.clock.instant += timedelta(**by)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(planner_app(tmp_path))


def test_card_claims_and_note_go_to_the_receiver_at_once(world: World) -> None:
    taken = world.take_card()
    (token,) = world.claim("file:src/**")
    world.claim("file:docs/a.md")
    card = taken["card"]["id"]
    made = world.offer(card=card, claims=["file:src/**"], evidence={"commit": "4f2c1aa", "tests": ["unit: 12 passed"]})
    assert world.owners() == {
        f"card:{card}": ("bob", "bob"),
        "file:src/**": ("bob", "bob"),
        "file:docs/a.md": ("ann", "ann"),
    }
    tokens = {one.key: one.token for one in world.claims().all_held()}
    assert tokens["file:src/**"] > token
    assert tokens[f"card:{card}"] > taken["claim"]["token"]
    (mail,) = world.mail("bob")
    assert made["handoverId"] in mail.body
    assert "commit: 4f2c1aa" in mail.body
    assert "12 passed" in mail.body
    assert mail.about == [card, f"card:{card}", "file:src/**"]
    assert mail.ack_required
    assert made["answerInMs"] == HOUR
    assert world.handover_events() == ["handover_offered"]


def test_a_write_of_the_giver_is_refused_from_the_offer_on(world: World) -> None:
    taken = world.take_card()
    card, token = taken["card"]["id"], taken["claim"]["token"]
    made = world.offer(card=card)
    late = {"cardId": card, "columnId": "col_done", "claimToken": token}
    assert "Your claim of the card has ended" in world.by("ann", "kanban_move_card", **late)["error"]
    accepted = world.answer(made, accept=True)["data"]
    (claim,) = accepted["claims"]
    assert "Your claim of the card has ended" in world.by("ann", "kanban_move_card", **late)["error"]
    done = world.by("bob", "kanban_move_card", **(late | {"claimToken": claim["token"]}))
    assert done["ok"], done
    assert world.owners() == {}


def test_the_receiver_accepts_under_a_name_of_its_own(world: World) -> None:
    world.claim("file:src/a.py", "story:1", ttl=10 * 60_000)
    made = world.offer(claims=["file:src/a.py", "story:1"])
    accepted = world.answer(made, accept=True, holder="codex@bob#1", comment="Thanks.")["data"]
    assert (accepted["state"], accepted["note"], accepted["lost"]) == ("accepted", "Half of it is done.", [])
    assert {one["key"]: (one["holder"], one["expiresInMs"]) for one in accepted["claims"]} == {
        "file:src/a.py": ("codex@bob#1", 600_000),
        "story:1": ("codex@bob#1", 600_000),
    }
    assert world.mail("bob") == []
    assert [(one.subject, one.body) for one in world.mail("ann")] == [("The handover was accepted", "Thanks.")]
    assert world.answer(made, accept=True, holder="codex@bob#1")["data"] == accepted
    assert "it was accepted" in world.answer(made, accept=False)["error"]
    assert world.handover_events() == ["handover_offered", "handover_accepted"]


@pytest.mark.parametrize(("actor", "state"), [("bob", "declined"), ("ann", "withdrawn")])
def test_all_of_it_goes_back(world: World, actor: str, state: str) -> None:
    taken = world.take_card()
    world.claim("src/*.py", "story:*")
    made = world.offer(card=taken["card"]["id"], claims=["src/*.py", "story:*"])
    pending = {one.key: one.token for one in world.claims().all_held()}
    back = world.answer(made, accept=False, actor=actor, comment="No time.")["data"]
    assert (back["state"], back["lost"]) == (state, [])
    assert set(world.owners().values()) == {("ann", "ann")}
    assert all(one["token"] > pending[one["key"]] for one in back["claims"])
    other = "ann" if actor == "bob" else "bob"
    assert world.mail(other)[-1].body == "No time."
    assert isinstance(world.claims("eve").acquire("src/b.py", "eve", HOUR), BlockingClaim)
    assert "it was" in world.answer(made, accept=True)["error"]


def test_an_offer_that_nobody_answers_goes_back(world: World) -> None:
    world.claim("file:src/a.py", ttl=5 * 60_000)
    made = world.offer(claims=["file:src/a.py"])
    world.pass_time(minutes=59)
    assert world.owners() == {"file:src/a.py": ("bob", "bob")}
    job = next(one for one in JOBS if one.name == "return-unanswered-handovers")
    assert return_unanswered(world.app.services, world.app.caller.scope) == 0
    world.pass_time(minutes=1)
    assert job.next_due(world.app.services, world.app.caller.scope) == world.project().now()
    assert return_unanswered(world.app.services, world.app.caller.scope) == 1
    assert return_unanswered(world.app.services, world.app.caller.scope) == 0
    assert world.owners() == {"file:src/a.py": ("ann", "ann")}
    assert [one.subject for one in world.mail("ann")] == ["The handover was lapsed"]
    assert "it was lapsed" in world.answer(made, accept=True)["error"]
    # A giver who is gone keeps nobody from the work for longer than it had asked for.
    world.pass_time(minutes=5)
    assert world.owners() == {}
    assert world.handover_events() == ["handover_offered", "handover_lapsed"]


def test_a_late_answer_gives_back_where_the_job_has_not(world: World) -> None:
    world.claim("file:src/a.py")
    made = world.offer(claims=["file:src/a.py"], answerMs=60_000)
    world.pass_time(minutes=1)
    assert "it was lapsed" in world.answer(made, accept=True)["error"]
    assert world.owners() == {"file:src/a.py": ("ann", "ann")}


def test_what_ended_before_the_answer_is_named(world: World) -> None:
    world.claim("file:src/a.py", "file:src/b.py")
    made = world.offer(claims=["file:src/a.py", "file:src/b.py"])
    world.claims("bob").release("file:src/a.py", "bob")
    assert isinstance(world.claims("eve").acquire("file:src/a.py", "eve", HOUR), AcquiredClaim)
    accepted = world.answer(made, accept=True)["data"]
    assert ([one["key"] for one in accepted["claims"]], accepted["lost"]) == (["file:src/b.py"], ["file:src/a.py"])
    assert world.owners() == {"file:src/a.py": ("eve", "eve"), "file:src/b.py": ("bob", "bob")}


def test_nobody_hands_over_what_they_do_not_hold(world: World) -> None:
    world.claim("file:src/a.py", actor="eve")
    world.claim("file:src/b.py", holder="codex@ann#1")
    world.claim("file:src/c.py", ttl=5000)
    card = world.app.do("kanban_create_card", columnId="col_todo", title="Free")["id"]
    world.pass_time(seconds=6)
    cases: list[tuple[Json, str]] = [
        ({"claims": ["file:src/a.py"]}, "You do not hold .*eve does"),
        ({"claims": ["file:src/b.py"]}, "You do not hold .*codex@ann#1 does"),
        ({"claims": ["file:src/c.py"]}, "You do not hold"),
        ({"card": card}, "You do not hold .*kanban_take"),
        ({"card": "card_none"}, "Card not found"),
        ({"claims": []}, "nothing to hand over"),
        ({"claims": ["file:src/b.py"], "to": "role:reviewer"}, "exactly one receiver"),
        ({"claims": ["file:src/b.py"], "to": "everybody"}, "exactly one receiver"),
        ({"claims": ["file:src/b.py"], "note": " "}, "note is empty"),
        ({"claims": ["file:src/b.py"], "evidence": {"log": "x" * 5000}}, "evidence"),
    ]
    for given, said in cases:
        refused = world.by("ann", "hand_over", **({"to": "bob", "note": "Done."} | given))
        assert not refused["ok"]
        assert re.search(said, refused["error"]), refused
    assert world.owners() == {"file:src/a.py": ("eve", "eve"), "file:src/b.py": ("codex@ann#1", "ann")}
    assert world.mail("bob") == []
    assert world.offer(claims=["file:src/b.py"], holder="codex@ann#1")["claims"] == ["file:src/b.py"]


def test_only_the_two_of_them_answer(world: World) -> None:
    world.claim("file:src/a.py")
    made = world.offer(claims=["file:src/a.py"])
    assert "not addressed to you" in world.answer(made, accept=True, actor="eve")["error"]
    assert "not addressed to you" in world.answer(made, accept=False, actor="eve")["error"]
    assert "not addressed to you" in world.answer(made, accept=True, actor="ann")["error"]
    for unknown in ("none", " "):
        assert "no handover" in world.answer({"handoverId": unknown}, accept=True)["error"]
    again = world.by("bob", "hand_over", to="eve", note="Not mine.", claims=["file:src/a.py"])
    assert "you have not answered" in again["error"]
    assert world.answer(made, accept=True, actor="Bob")["data"]["claims"][0]["actor"] == "Bob"


@pytest.mark.parametrize(
    ("stays", "goes"),
    [
        ("src/**", "file:src/a.py"),
        ("file:src/a.py", "src/**"),
        ("file:src/", "file:src/a.py"),
        ("file:src/a.py", "file:src/"),
        ("story:*", "story:1"),
        ("story:1", "story:*"),
        ("/w/src/a.py", "src/*.py"),
    ],
)
def test_overlapping_claims_go_together(world: World, stays: str, goes: str) -> None:
    world.claim(stays, goes)
    refused = world.by("ann", "hand_over", to="bob", note="Done.", claims=[goes])
    assert "overlaps with" in refused["error"]
    assert set(world.owners().values()) == {("ann", "ann")}
    assert world.mail("bob") == []
    made = world.offer(claims=[goes, stays])
    assert world.answer(made, accept=True)["ok"]
    assert world.owners() == {stays: ("bob", "bob"), goes: ("bob", "bob")}
    assert isinstance(world.claims().acquire(goes, "ann", HOUR), BlockingClaim)
    for key in (stays, goes):
        assert not isinstance(world.claims("bob").release(key, "bob"), ClaimRefusal)
        assert not isinstance(world.claims().acquire(key, "ann", HOUR), ClaimRefusal)


def test_a_receiver_who_claimed_around_it_and_is_silent_blocks_nothing_for_long(world: World) -> None:
    world.claim("file:src/a.py")
    made = world.offer(claims=["file:src/a.py"], answerMs=60_000)
    world.claim("src/**", actor="bob")
    assert "overlaps with" in world.answer(made, accept=False)["error"]
    world.pass_time(minutes=1)
    assert return_unanswered(world.app.services, world.app.caller.scope) == 1
    assert world.owners()["file:src/a.py"] == ("bob", "bob")
    world.pass_time(minutes=5)
    assert world.owners() == {"src/**": ("bob", "bob")}


def test_secrets_are_taken_out_of_note_and_evidence(world: World) -> None:
    world.claim("file:src/a.py")
    secret = "ghp_" + "Z9fK2mQ7xT4vB8nR1cW6yL3pD5sJ0hG2eU4a"
    made = world.offer(claims=["file:src/a.py"], note=f"Use {secret}.", evidence={"log": f"token {secret}"})
    (mail,) = world.mail("bob")
    assert secret not in mail.body + mail.subject
    assert secret not in world.answer(made, accept=True, comment=secret)["data"]["note"]
    assert secret not in world.mail("ann")[0].body


def test_twenty_claims_of_every_kind_fit_into_one_write(world: World) -> None:
    keys = [*(f"file:src/{'x' * 200}/{each}.py" for each in range(10)), *(f"lib{each}/*.py" for each in range(4))]
    keys += ["/w/one.py", "story:*", "epic:*", "card:*", "room:1"]
    world.claim(*keys)
    made = world.offer(claims=keys, note="é" * 2000)
    assert len(world.answer(made, accept=False)["data"]["claims"]) == len(keys)
    assert set(world.owners().values()) == {("ann", "ann")}
