"""Test agents and people who work through tasks with dependencies and gates, while processes die and clocks differ.

Agents crash with a card in their hands and come back later without knowing that their claim ended. People approve,
decide reviews, and remove stuck gates. In every case each task is done once.
"""

import os
import random
from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from almanac.families.team.claims.expiry import announce_expired
from almanac.families.team.claims.handovers import return_unanswered
from almanac.families.team.core.project import Project, open_project
from almanac.families.team.messages.mail import InboxFilter, announce_unacknowledged, open_mail
from almanac.families.team.messages.mail_records import Letter
from almanac.families.team.messages.reviews import Reviews
from tests.project_app import planner_app

Json = dict[str, Any]
TTL_MS = 20 * 60_000
MOST_SKEW = 3
"""Seconds by which the clock of a process is off."""
PEOPLE = ("Mia", "Tom")


class Process:
    """An agent's or person's own server over the common store. `work`: cards with their tokens."""

    def __init__(self, folder: Path, actor: str, skew: float) -> None:
        self.app = planner_app(folder)
        self.app.caller = replace(self.app.caller, actor=actor, is_person=actor in PEOPLE)
        self.actor, self._skew = actor, timedelta(seconds=skew)
        self.work: dict[str, int] = {}
        self.forgotten: list[tuple[str, int]] = []

    @property
    def project(self) -> Project:
        return open_project(self.app.services, self.app.caller.scope, self.actor, self.app.clock)

    def at(self, simulation: "Simulation") -> "Process":
        self.app.clock.instant = simulation.now + self._skew
        return self


class Simulation:
    def __init__(self, folder: Path, agents: int, tasks: int, seed: int) -> None:
        self.chance = random.Random(seed)
        self.people = [Process(folder, name, self._skew()) for name in PEOPLE]
        self.agents = [Process(folder, f"agent{number}", self._skew()) for number in range(agents)]
        self.home = self.people[0].app
        self.now = self.home.clock.now()
        self.token: dict[str, int] = {}
        """The newest token of each card that was taken, as the answers told it."""
        self.done: list[str] = []
        self.figures: Counter[str] = Counter()
        self.sent: set[str] = set()
        self.acknowledged: list[tuple[str, str]] = []
        """Message and reader: what nobody answered is told to both sides."""
        self.offers: list[tuple[str, str]] = []
        self.signals: list[tuple[str, str, str]] = []
        self.reviews: list[str] = []
        self.cards = self._plan(tasks)

    def _skew(self) -> float:
        return self.chance.uniform(-MOST_SKEW, MOST_SKEW)

    def _plan(self, tasks: int) -> list[str]:
        """Cards, of which each may wait for earlier ones, and gates of every kind."""
        do, chance, ids = self.home.do, self.chance, list[str]()
        for number in range(tasks):
            ids.append(do("kanban_create_card", columnId="col_todo", title=f"Task {number}", position=9999)["id"])
            for first in chance.sample(ids[:-1][-20:], min(number, chance.choice([0, 0, 1, 1, 2]))):
                self._blocks(first, ids[-1])
                self.figures["dependencies"] += 1
                if chance.random() < 0.1:
                    refused = self.home.call("items_link", **self._link(ids[-1], first))
                    assert "block each other" in refused["error"]
                    self.figures["circles refused"] += 1
            if chance.random() < 0.2:
                self._gate(ids[-1], number)
        return ids

    def _link(self, first: str, then: str) -> Json:
        ends = {"fromItemId": first, "fromItemType": "task", "toItemId": then, "toItemType": "task"}
        return {"relationType": "blocks", **ends}

    def _blocks(self, first: str, then: str) -> None:
        self.home.do("items_link", **self._link(first, then))

    def _gate(self, card: str, number: int) -> None:
        kind = self.chance.choice(["time", "person", "signal", "event", "cancelled", "review", "claim"])
        self.figures[f"gates: {kind}"] += 1
        soon = (self.now + timedelta(minutes=self.chance.randint(5, 600))).isoformat(timespec="minutes")
        event = ""
        waits: Json = {"time": {"until": soon}, "person": {"person": self.chance.choice(PEOPLE)}}.get(kind, {})
        if kind in ("event", "cancelled"):
            event = self.home.do("calendar_create_event", title=f"Freeze {number}", date=soon, type="event")["id"]
            waits = {"until": f"after freeze {number}"}
        if kind == "review":
            self.reviews.append(Reviews(self.people[0].project).request(f"Task {number}").id)
            waits = {"review": self.reviews[-1]}
        waits = {"signal": {"signal": "CI"}, "claim": {"claim": "env:staging"}}.get(kind, waits)
        made = self.home.do("kanban_gate", cardId=card, **waits)
        if kind == "signal":
            self.signals.append((card, made["gate"]["id"], made["token"]))
        if kind == "cancelled":
            self.home.do("calendar_delete_event", eventId=event)

    def run(self, most_steps: int) -> None:
        for _ in range(most_steps):
            if len(self.done) == len(self.cards):
                break
            # However many agents there are, each acts about as often, and most claims outlast what is done under them.
            self.now += timedelta(seconds=self.chance.choice([1, 5, 30, 120]) * 5 / len(self.agents))
            if self.chance.random() < 0.1:
                self._person(self.chance.choice(self.people).at(self))
            else:
                self._agent(self.chance.choice(self.agents).at(self))
            if self.chance.random() < 0.2:
                self._jobs()
        self._drain()

    def _jobs(self) -> None:
        """Run the scheduled jobs, from a process that may be another one each time."""
        app = self.chance.choice([*self.people, *self.agents]).at(self).app
        announce_expired(app.services, app.caller.scope)
        return_unanswered(app.services, app.caller.scope)
        announce_unacknowledged(app.services, app.caller.scope)

    def _agent(self, agent: Process) -> None:
        steps = [self._take, self._take, self._finish, self._finish, self._late, self._hand_over, self._answer]
        self.chance.choice([*steps, self._crash, self._read, self._claim_staging])(agent)

    def _take(self, agent: Process) -> None:
        if len(agent.work) >= 2:
            return self._finish(agent)
        taken = agent.app.do("kanban_take", ttlMs=TTL_MS)
        if taken["card"] is None:
            self.figures["nothing to take"] += 1
            return None
        card, token = taken["card"]["id"], taken["claim"]["token"]
        assert card not in self.done, "a card that is done was taken"
        assert token > self.token.get(card, 0), "a token that is not new"
        self.figures["takes"] += 1
        self.figures["taken again"] += card in self.token
        self.token[card] = agent.work[card] = token
        return None

    def _move(self, agent: Process, card: str, token: int) -> bool:
        answer = agent.app.call("kanban_move_card", cardId=card, columnId="col_done", claimToken=token)
        if not answer["ok"]:
            assert "has ended" in answer["error"] or "blocked" in answer["error"], answer
            return False
        assert token == self.token[card], "a write of a stale holder was accepted"
        assert card not in self.done, "a card was done twice"
        self.done.append(card)
        return True

    def _finish(self, agent: Process) -> None:
        if not agent.work:
            return
        card, token = agent.work.popitem()
        if not self._move(agent, card, token):
            self.figures["claims that ran out at work"] += 1
            return
        everyone = [each.actor for each in (*self.agents, *self.people)]
        to = self.chance.choice([one for one in everyone if one != agent.actor])
        if self.chance.random() < 0.5:
            letter = Letter(to=[to], subject=f"{card} is done", body="", ack_required=True, about=[card])
            self.sent.add(open_mail(agent.project).send(letter).id)

    def _crash(self, agent: Process) -> None:
        """Let a process lose its memory, as in a crash. Its pending writes arrive later."""
        self.figures["crashes"] += 1
        agent.forgotten += agent.work.items()
        agent.work = {}

    def _late(self, agent: Process) -> None:
        if agent.forgotten and self._move(agent, *agent.forgotten.pop()):
            self.figures["late writes under a claim that still stood"] += 1

    def _hand_over(self, agent: Process) -> None:
        if not agent.work:
            return
        card, token = agent.work.popitem()
        to = self.chance.choice([one for one in self.agents if one is not agent])
        answer = agent.app.call("hand_over", to=to.actor, note="Half done.", card=card, answerMs=600_000)
        if answer["ok"]:
            self.figures["handovers"] += 1
            self.offers.append((answer["data"]["handoverId"], to.actor))
            # Its own token is stale from now on; the new one is known to nobody before the answer.
            self.token[card] = token + 1
            agent.forgotten.append((card, token))
        else:
            # What it held ran out, and may have been handed to it anew since.
            assert "You do not hold" in answer["error"] or "was handed over to you" in answer["error"], answer

    def _answer(self, agent: Process) -> None:
        for offer in [one for one in self.offers if one[1] == agent.actor]:
            self.offers.remove(offer)
            accepts = self.chance.random() < 0.6
            answer = agent.app.call("answer_handover", handoverId=offer[0], accept=accepts)
            if not answer["ok"]:
                assert "it was lapsed" in answer["error"], answer
                self.figures["handovers lapsed"] += 1
                continue
            self.figures[f"handovers {answer['data']['state']}"] += 1
            for claim in answer["data"]["claims"]:
                card = claim["key"].removeprefix("card:")
                assert claim["token"] > self.token[card] - 1
                self.token[card] = claim["token"]
                owner = next(one for one in self.agents if one.actor == claim["actor"])
                owner.work[card] = claim["token"]

    def _claim_staging(self, agent: Process) -> None:
        """Claim for a while a key that gates wait for."""
        from almanac.families.team.claims.claims import Claims  # noqa: PLC0415

        Claims(agent.project).acquire("env:staging", agent.actor, 60_000)

    def _read(self, agent: Process) -> None:
        mail = open_mail(agent.project)
        for one in mail.read(InboxFilter(), limit=5, position="").received:
            if not mail.acknowledge(one.message.id).already:
                self.acknowledged.append((one.message.id, agent.actor))

    def _person(self, person: Process) -> None:
        """Look at the cards that cannot start, and do a person's part."""
        self._read(person)
        if self.signals and self.chance.random() < 0.5:
            card, gate, token = self.signals.pop()
            person.app.do("open_gate", cardId=card, gateId=gate, token=token)
        if self.reviews and self.chance.random() < 0.5:
            Reviews(person.project).decide(self.reviews.pop(), "approved", None)
        for row in person.app.do("kanban_ready", limit=20)["waiting"]:
            for gate in row["gates"]:
                if gate["waitsFor"] == person.actor:
                    person.app.do("open_gate", cardId=row["id"], gateId=gate["id"])
                elif "stuck" in gate:
                    self.figures["stuck gates seen and removed"] += 1
                    person.app.do("kanban_gate", cardId=row["id"], remove=gate["id"])

    def _drain(self) -> None:
        """Let all agents and people read their remaining mail."""
        for each in (*self.agents, *self.people):
            while open_mail(each.at(self).project).read(InboxFilter(), limit=1, position="").received:
                self._read(each)

    def check(self) -> None:
        assert sorted(self.done) == sorted(self.cards), self.home.do("kanban_ready", limit=3)
        assert len(set(self.acknowledged)) == len(self.acknowledged), "a message was acknowledged twice"
        assert self.sent <= {message for message, _ in self.acknowledged}, "a message was lost"
        for each in self.agents:
            while each.forgotten:
                assert not self._move(each, *each.forgotten.pop()), "a late write was accepted"


@pytest.fixture(autouse=True)
def _same_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cards that are alike otherwise are taken in the order of their ids: random ones make each run another."""
    monkeypatch.setattr(os, "urandom", random.Random(5).randbytes)


def test_a_small_team_does_every_task_once(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path, agents=5, tasks=40, seed=7)
    simulation.run(most_steps=4000)
    simulation.check()
    assert simulation.figures["handovers accepted"] > 0
    assert simulation.figures["crashes"] > 0
    assert simulation.figures["taken again"] > 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_twenty_agents_and_two_people_do_two_thousand_tasks_once(tmp_path: Path) -> None:
    simulation = Simulation(tmp_path, agents=20, tasks=2000, seed=33)
    simulation.run(most_steps=100_000)
    print(dict(simulation.figures), "sent:", len(simulation.sent))
    simulation.check()
