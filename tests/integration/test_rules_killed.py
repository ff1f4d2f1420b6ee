"""Rules behind a worker that is killed at random: no firing lost, none made twice, order kept within every key.

ALMANAC_FULL=1 takes 1,000 events and 20 rules, which is 20,000 firings.
"""

import os
import random
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from almanac.families.team.core.project import Project
from almanac.families.team.core.records import BROADCASTS
from almanac.families.team.core.rule_sources import Installation
from almanac.families.team.rules.rule_registry import install, list_rules
from almanac.kernel.clock import SystemClock
from almanac.kernel.events import EventKind, new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.dead_letters import dead_letters
from almanac.platform.bus.notifier import Notifier
from almanac.platform.bus.outbox import outbox
from almanac.platform.feed.log import Log
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from tests.integration.rule_worker import SCOPE, open_store, pinned_contents

ROOT = Path(__file__).parents[2]
FULL = os.environ.get("ALMANAC_FULL") == "1"
EVENTS, RULES, KEYS, KILLS = (1000, 20, 10, 20) if FULL else (200, 10, 5, 8)
NAMES = [f"rule-{number}" for number in range(RULES)]
WHOLE = Installation({"turn_recorded": EventKind("turn_recorded", "", {})}, frozenset({"pin_memory", "set_broadcast"}))


def _install(store: Store) -> Project:
    """Install rules that pin their events. The odd ones pin only every second event."""
    project = Project(
        store, SCOPE, "ann", SystemClock(), os.urandom, Backoff(lambda seconds: None, random.random), WHOLE
    )
    for number, name in enumerate(NAMES):
        pin = {
            "tool": "pin_memory",
            "args": {"content": "${payload.number}", "metadata": {"key": "${event.key}"}},
        }
        tell = {"tool": "set_broadcast", "args": {"key": f"{name}/${{event.key}}", "value": "${payload.number}"}}
        install(
            project,
            name,
            description=None,
            on_kind="turn_recorded",
            where={"payload.even": True} if number % 2 else None,
            actions=[pin, tell],
            enabled=True,
        )
    return project


def _expected_numbers(rule: int, key: int) -> list[int]:
    return [number for number in range(key, EVENTS, KEYS) if rule % 2 == 0 or number // KEYS % 2 == 0]


def _write(store: Store) -> None:
    clock = SystemClock()
    for number in range(EVENTS):
        event = new_event(
            "turn_recorded",
            SCOPE,
            key=f"key-{number % KEYS}",
            actor="writer",
            at=now_ms(clock),
            random_bytes=os.urandom,
            payload={"number": number, "even": number // KEYS % 2 == 0},
        )
        store.write(outbox([event]))


def _start(path: Path, holder: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "tests.integration.rule_worker", str(path), holder]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE)


def _kill_at_random(path: Path, firings: int) -> None:
    """One worker after the other, each killed before a firing that chance chooses."""
    chance = random.Random(3)
    for number in range(KILLS):
        with _start(path, f"worker-{number}") as worker:
            assert worker.stdout is not None
            for _ in range(chance.randint(1, firings // (KILLS + 1))):
                assert worker.stdout.readline(), "the worker ended by itself"
            worker.kill()


def _finish(path: Path, project: Project, firings: int) -> None:
    with _start(path, "the last") as worker:
        reader = threading.Thread(target=worker.stdout.read if worker.stdout else None)
        reader.start()
        # The last events are those that the last firings cause.
        while Log(project.store).head(SCOPE) < EVENTS + firings:
            assert worker.poll() is None
            Notifier().wait(20)
        worker.kill()
        reader.join()


@pytest.mark.slow
def test_every_rule_fires_once_on_every_event_that_fits_in_the_order_of_its_key(tmp_path: Path):
    path = tmp_path / "store.db"
    store = open_store(path)
    project = _install(store)
    expected = {(rule, key): _expected_numbers(rule, key) for rule in range(RULES) for key in range(KEYS)}
    firings = sum(map(len, expected.values()))
    _write(store)
    _kill_at_random(path, firings)
    _finish(path, project, firings)

    for (rule, key), numbers in expected.items():
        assert pinned_contents(store, NAMES[rule], f"key-{key}") == numbers, (rule, key)
    assert sum(each.activity.fired for each in list_rules(project)) == firings
    assert sum(each.activity.failures for each in list_rules(project)) == 0
    assert dead_letters(store, "acme").events == ()
    values = {each.key: each.value for each in BROADCASTS.within(store, SCOPE).query(limit=1000).records}
    assert values == {f"{NAMES[rule]}/key-{key}": numbers[-1] for (rule, key), numbers in expected.items()}
    _assert_logged(store, firings)
    store.close()


def _assert_logged(store: Store, firings: int) -> None:
    """Assert that the log has every event once, and that events which rules caused set off no rule."""
    log, position, kinds = Log(store), 0, Counter[str]()
    while entries := log.after(SCOPE, position, 1000).entries:
        kinds.update(entry.event.kind for entry in entries)
        position = entries[-1].sequence
    assert kinds == {"turn_recorded": EVENTS, "broadcast_set": firings}
