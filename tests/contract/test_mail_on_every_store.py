"""Mail on every store: a walk beside the model, and processes at once of which none loses or doubles a message."""

import os
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random

import pytest

from almanac.families.team.core.project import Project
from almanac.families.team.core.roles import ROLES, ActorRoles
from almanac.families.team.messages.mail import InboxFilter, Mail, announce_unacknowledged, open_mail
from almanac.families.team.messages.mail_records import Letter
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from tests.contract.backends import Place
from tests.unit.families.team.mail_model import ACTORS, ADDRESSES, VERBS, MailModel, Step

STEPS = {"sqlite": 100, "ministack": 25, "dynoxide": 50}
SENDERS = 4
MESSAGES = {"sqlite": 30, "ministack": 4, "dynoxide": 8}
"""Of each sender."""


@pytest.fixture
def projects(place: Place, clock: FixedClock, scope: Scope) -> Callable[[str], Project]:
    """The project of an actor, each with a store of its own, as a process has."""

    def project(actor: str) -> Project:
        backoff = Backoff(sleep=time.sleep, random=random.random, attempts=200)
        return Project(place.open(clock), scope, actor, clock, os.urandom, backoff)

    return project


def test_mail_answers_as_the_model_does(place: Place, projects: Callable[[str], Project]) -> None:
    model, chance = MailModel(), Random(7)
    for _ in range(STEPS[place.technology]):
        model.take(
            Step(chance.choice(VERBS), chance.choice(ACTORS), chance.choice(ADDRESSES), chance.randrange(30)), projects
        )
    assert model.sent
    assert model.acknowledged


def test_of_many_messages_at_once_each_comes_and_is_acknowledged_once(
    place: Place, projects: Callable[[str], Project]
) -> None:
    """Two processes of one reader read and acknowledge while four agents send to it, to its role and to everybody."""
    reader = projects("bob")
    reader.store.write([reader.rows(ROLES).put(ActorRoles(actor="bob", roles=["reviewer"]))])
    count, acknowledged = MESSAGES[place.technology], list[str]()
    wanted = SENDERS * count

    def send(number: int) -> list[str]:
        mail = Mail(projects(f"agent{number}"))
        addresses = (["bob"], ["role:reviewer"], ["everybody"], ["bob", "everybody"])
        letters = [Letter(to=addresses[each % 4], subject=f"{number}/{each}", body="") for each in range(count)]
        return [mail.send(letter).id for letter in letters]

    def read(_: int) -> None:
        mail, ends = open_mail(projects("bob")), time.monotonic() + 60
        while len(acknowledged) < wanted and time.monotonic() < ends:
            for each in mail.read(InboxFilter(), limit=10, position="", wait_ms=200).received:
                if not mail.acknowledge(each.message.id).already:
                    acknowledged.append(each.message.id)

    with ThreadPoolExecutor(SENDERS + 2) as pool:
        reading = [pool.submit(read, number) for number in range(2)]
        sent = [each for one in pool.map(send, range(SENDERS)) for each in one]
        for each in reading:
            each.result()
    assert sorted(acknowledged) == sorted(sent)
    assert len(set(sent)) == wanted
    assert not open_mail(projects("bob")).read(InboxFilter(), limit=50, position="").received


def test_an_answer_of_the_same_millisecond_reaches_who_waits_for_the_thread(
    projects: Callable[[str], Project],
) -> None:
    first = Mail(projects("ann")).send(Letter(to=["bob"], subject="Question", body=""))
    wanted = InboxFilter(unread_only=False, thread=first.thread)
    position = open_mail(projects("ann")).read(wanted, limit=5, position="", wait_ms=2000).position
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(open_mail(projects("ann")).read, wanted, limit=5, position=position, wait_ms=10_000)
        Mail(projects("bob")).send(Letter(to=["ann"], subject="Answer", body="", thread=first.id))
        assert [each.message.subject for each in waiting.result().received] == ["Answer"]


def test_a_reminder_is_announced_once(projects: Callable[[str], Project], clock: FixedClock, scope: Scope) -> None:
    Mail(projects("ann")).send(Letter(to=["bob"], subject="Waits", body="", ack_required=True, priority="urgent"))
    clock.instant += timedelta(minutes=5)

    def announce(_: int) -> int:
        store = projects("ann").store
        return announce_unacknowledged(Services({Store: lambda: store, Clock: lambda: clock}), scope)

    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(announce, range(3))) == 1
    assert announce(0) == 0
