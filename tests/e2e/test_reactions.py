"""Test workers that are killed amid events, and events on which a reaction fails for a while or for good.

The reactions are those of a rule that forwards broadcasts. Its counters and the project's log show what it did, how
often and in which order.
"""

import itertools
import json
import os
import threading
from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from secrets import token_hex
from typing import Any

import pytest

from almanac.identity.tenants import DEFAULT_PROJECT
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.events import new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.outbox import outbox
from almanac.platform.feed.log import Log
from almanac.platform.store.port import Store
from tests.e2e.emulated_functions import PROCESSES, Fed, StackQueue
from tests.e2e.target import TENANT, Target, eventually

PATH = "/team"
KEYS = ("a", "b", "c")
KILLS = 6
KILLED = ("reactions", "rules", "feed", "feed-push")
SCOPE = Scope(TENANT, DEFAULT_PROJECT)


@dataclass(frozen=True)
class ForwardingRule:
    """A rule that sets the broadcast `to` to `say` when a broadcast <name>/<key> is set to {"to": ..., "say": ...}."""

    at: Target
    name: str
    store: Store

    def install(self, to: str = "${payload.value.to}") -> None:
        does = {"tool": "set_broadcast", "args": {"key": to, "value": "${payload.value.say}"}}
        where = {"payload.key": {"$matches": f"^{self.name}/"}}
        self.at.ask("install_rule", PATH, name=self.name, on_kind="broadcast_set", where=where, actions=[does])

    def tell(self, key: str, say: str, to: str) -> None:
        value = {"to": to, "say": say}
        arguments = {"key": f"{self.name}/{key}", "value": value}
        answer = self.at.post("tools/call", PATH, params={"name": "set_broadcast", "arguments": arguments}).json()
        assert not answer["result"].get("isError"), answer

    def count_fired(self) -> int:
        (rule,) = [each for each in self.at.ask("list_rules", PATH)["rules"] if each["name"] == self.name]
        return rule["fired"]

    def forwarded_values(self) -> list[tuple[str, str]]:
        """Return the keys and values that the rule has set, from the log."""
        log, position, found = Log(self.store), 0, list[tuple[str, str]]()
        while entries := log.after(SCOPE, position, 1000).entries:
            said = (entry.event for entry in entries if entry.event.actor == f"rule:{self.name}")
            found += [(event.payload["key"], event.payload["value"]) for event in said]
            position = entries[-1].sequence
        return found

    def values_set(self, to: str) -> list[str]:
        """Return the values that the rule has set, sorted where no order is promised."""
        return self.in_promised_order(*(say for key, say in self.forwarded_values() if key == to))

    def in_promised_order(self, *says: str) -> list[str]:
        """Return the values in their order on a laptop, and sorted on AWS, where rules promise no order."""
        return list(says) if self.at.stack is None else sorted(says)

    def parked_events(self) -> list[dict[str, Any]]:
        assert self.at.command_line is not None
        found = json.loads(self.at.command_line("events", "parked", "--tenant", TENANT, "--json"))
        return [each for each in found if each["key"].startswith(f"rule/{self.name}/")]


@pytest.fixture
def rule(team: Target) -> ForwardingRule:
    if team.open_store is None:
        pytest.skip("the store cannot be looked into from here")
    forwarding = ForwardingRule(team, f"e2e-{token_hex(4)}", team.open_store())
    forwarding.install()
    return forwarding


@pytest.fixture
def hurried_queues(team: Target) -> Generator[None]:
    """Let failed messages wait two seconds instead of minutes."""
    with ExitStack() as queues:
        if team.stack is not None:
            for name in ("events.fifo", "rules", "sockets.fifo"):
                queues.enter_context(StackQueue(team.stack, name).repeat_after(2))
        yield


@pytest.mark.timeout(1800)
@pytest.mark.usefixtures("hurried_queues")
def test_workers_killed_in_the_midst_of_events_lose_nothing_and_repeat_nothing(rule: ForwardingRule):
    stack = rule.at.stack
    if stack is None:
        pytest.skip("tests/integration/test_worker_killed.py kills the laptop's workers")
    if not PROCESSES.is_dir():
        pytest.skip("the emulator's processes are found in /proc, which is not there")
    victims, enough = itertools.cycle([Fed(stack, name) for name in KILLED]), threading.Event()
    with ThreadPoolExecutor(len(KEYS)) as writers:
        writing = {key: writers.submit(_tell_until, enough, rule, key) for key in KEYS}
        try:
            for _ in range(KILLS):
                eventually(next(victims).kill, seconds=240)
        finally:
            enough.set()
    told = {f"{rule.name}>{key}": [str(number) for number in range(done.result())] for key, done in writing.items()}
    total = sum(map(len, told.values()))
    eventually(lambda: len(rule.forwarded_values()) >= total, seconds=500, every=1)
    forwarded = rule.forwarded_values()
    assert {key: rule.values_set(key) for key in told} == {
        key: rule.in_promised_order(*says) for key, says in told.items()
    }
    assert rule.count_fired() == len(forwarded) == total
    assert rule.parked_events() == []


def _tell_until(enough: threading.Event, rule: ForwardingRule, key: str) -> int:
    """How much it told."""
    number = 0
    while not enough.wait(0.5):
        rule.tell(key, str(number), f"{rule.name}>{key}")
        number += 1
    return number


@pytest.mark.usefixtures("hurried_queues")
def test_an_event_that_keeps_failing_is_parked_after_six_attempts_while_others_flow(rule: ForwardingRule):
    key, at = f"rule/{rule.name}/damaged", now_ms(SystemClock())
    damaged = new_event("rule_matched", SCOPE, key=key, actor="e2e", at=at, random_bytes=os.urandom, payload={})
    rule.store.write(outbox([damaged]))
    good = f"{rule.name}>good"
    for number in range(3):
        rule.tell("healthy", str(number), good)
    eventually(lambda: rule.values_set(good) == ["0", "1", "2"])
    assert rule.parked_events() == []
    (parked,) = eventually(rule.parked_events, every=1)
    assert (parked["event"], parked["attempts"]) == (damaged.id, 6)


@pytest.mark.usefixtures("hurried_queues")
def test_an_event_that_nothing_helps_is_parked_others_flow_and_when_mended_it_is_retried(rule: ForwardingRule):
    good, bad = f"{rule.name}>good", f"{rule.name}>bad"
    for number, to in enumerate((bad, "", bad)):
        rule.tell("poisoned", str(number), to)
        rule.tell("healthy", str(number), good)
    (parked,) = eventually(rule.parked_events, every=1)
    assert "The key of the broadcast is empty." in parked["error"]
    eventually(lambda: rule.values_set(good) == ["0", "1", "2"])
    eventually(lambda: rule.values_set(bad) == ["0", "2"])

    rule.install(bad)
    assert rule.at.command_line is not None
    rule.at.command_line("events", "retry", parked["event"])
    eventually(lambda: rule.values_set(bad) == rule.in_promised_order("0", "2", "1"))
    assert rule.parked_events() == []
    assert rule.count_fired() == 6
