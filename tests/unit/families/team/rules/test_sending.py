"""Rules that send mail."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from almanac.families.team.messages.mail import announce_unacknowledged, open_mail
from almanac.families.team.messages.mail_records import MESSAGES, UNREAD, Letter, Message
from almanac.families.team.messages.reviews import Reviews, announce_lapsed
from almanac.families.team.rules.defaults import DEFAULT_RULES
from almanac.families.team.rules.results import RuleAction
from almanac.families.team.rules.send_message import MOST_RECIPIENTS, send_message
from almanac.kernel.clock import FixedClock
from almanac.platform.feed.log import Log
from tests.unit.families.team.rule_world import SCOPE, RuleWorld, install, only


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterator[RuleWorld]:
    made = RuleWorld(tmp_path, clock, {"send_message": send_message})
    yield made
    made.close()


def mail(to: object, **more: object) -> RuleAction:
    args = {"to": to, "subject": "${payload.subject}", "body": "Please look.", **more}
    return RuleAction(tool="send_message", args=args)


def messages(world: RuleWorld) -> list[Message]:
    return list(MESSAGES.within(world.store, SCOPE).every())


def test_a_rule_sends_mail_in_its_name_and_to_one_inbox_several_times(world: RuleWorld) -> None:
    install(world, "tell", mail("role:reviewer"), mail(["role:reviewer", "ann"]), on_kind="review_requested")
    install(world, "echo", mail("bob"), on_kind="message_sent")
    event = world.happen("review_requested", subject="The plan")

    sent = messages(world)
    assert {(each.sender, each.subject) for each in sent} == {("rule:tell", "The plan")}
    delivered = [each.number for each in UNREAD.within(world.store, SCOPE).every("role:reviewer")]
    assert delivered == [1, 2]
    world.happen("review_requested", subject="The next plan")
    assert [each.number for each in UNREAD.within(world.store, SCOPE).every("role:reviewer")] == [1, 2, 3, 4]
    told = [entry.event for entry in Log(world.store).last(SCOPE, 20) if entry.event.kind == "message_sent"]
    assert told[-1].payload["caused_by"] == {"rule": "tell", "event_id": event.id, "depth": 1}
    assert world.errors == []


def test_ten_messages_to_as_many_as_a_rule_may_name_are_one_write(world: RuleWorld) -> None:
    names = [f"agent{number}" for number in range(MOST_RECIPIENTS)]
    install(world, "tell", *[mail(names) for _ in range(10)])
    world.happen(subject="All")
    assert (len(messages(world)), only(world).last_error) == (10, None)


@pytest.mark.parametrize(
    ("action", "said"),
    [
        (mail(["a", "b", "c", "d", "e", "f"]), "6 recipients"),
        (mail([1]), "cannot be sent"),
        (mail("ann", priority="asap"), "cannot be sent"),
        (mail("${payload.missing}"), "recipients"),
    ],
)
def test_mail_that_cannot_be_sent_is_told_in_the_rules_activity(
    world: RuleWorld, action: RuleAction, said: str
) -> None:
    install(world, "tell", action)
    world.happen(subject="All")
    assert messages(world) == []
    assert said in str(only(world).last_error)


def test_unacknowledged_mail_and_lapsed_reviews_escalate_once(world: RuleWorld, clock: FixedClock) -> None:
    for rule in DEFAULT_RULES:
        if rule["name"].endswith("-escalation"):
            actions = [msgspec.convert(each, RuleAction) for each in rule["actions"]]
            install(world, rule["name"], *actions, on_kind=rule["on_kind"])
    letter = Letter(to=["bob"], subject="S" * 200, body="", ack_required=True, priority="urgent")
    sent = open_mail(world.project).send(letter)
    review = Reviews(world.project).request("Merge it", reviewers=["bob"], deadline_ms=60_000)
    for _ in range(3):
        clock.instant += timedelta(minutes=6)
        announce_unacknowledged(world.services, SCOPE)
        announce_lapsed(world.services, SCOPE)
        world.settle()
    told = {each.sender: each for each in messages(world) if each.sender.startswith("rule:")}
    assert len(messages(world)) == 3
    mailed, reviewed = told["rule:mail-escalation"], told["rule:review-escalation"]
    assert (mailed.to, mailed.thread) == (["role:lead", "ann"], sent.thread)
    assert mailed.subject == f"Not acknowledged: {'S' * 181}…"
    assert (reviewed.to, reviewed.subject) == (["role:lead", "ann"], "No decision: Merge it")
    assert review.id in reviewed.body
    assert world.errors == []
