"""Test concurrent changes of claims and of the settings for reading keys. A key never has two holders.

ALMANAC_RACE_ROUNDS=2000 runs more rounds with threads.
"""

import itertools
import os
import random
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
from msgspec.structs import replace

from almanac.families.team.claims import settings
from almanac.families.team.claims.claims import Claims
from almanac.families.team.claims.keys import Keys
from almanac.families.team.claims.requests import AcquiredClaim
from almanac.families.team.claims.settings import SettingsChange
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import ClaimRecord
from almanac.kernel.clock import FixedClock, SystemClock
from almanac.kernel.errors import Conflict
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from tests.unit.families.team.rivals import Interruption, insist, project_of
from tests.unit.families.team.teams import SECONDS, Team, open_project, open_store

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "15"))
TTL = 600 * SECONDS

SENSITIVE, INSENSITIVE = SettingsChange(ignore_case=False), SettingsChange(ignore_case=True)
ROOT, ROOTLESS = SettingsChange(root="/home/ann/almanac"), SettingsChange(root="")
ONE_FILE = [
    (SENSITIVE, INSENSITIVE, "file:src/a.py", "file:SRC/A.py"),
    (SENSITIVE, INSENSITIVE, "file:SRC/A.py", "file:src/a.py"),
    (SENSITIVE, INSENSITIVE, "src/*.py", "file:SRC/a.py"),
    (SENSITIVE, INSENSITIVE, "file:SRC/a.py", "src/*.py"),
    (SENSITIVE, INSENSITIVE, "src/*.py", "SRC/A*"),
    (INSENSITIVE, SENSITIVE, "file:src/a.py", "file:SRC/A.py"),
    (ROOTLESS, ROOT, "file:src/a.py", "file:/home/ann/almanac/src/a.py"),
    (ROOTLESS, ROOT, "file:/home/ann/almanac/src/a.py", "file:src/a.py"),
    (ROOTLESS, ROOT, "/home/ann/almanac/src/*", "file:src/a.py"),
    (ROOT, ROOTLESS, "file:src/a.py", "file:/home/ann/almanac/src/a.py"),
]


def configure(project: Project, wished: SettingsChange) -> bool:
    """Whether it was set: it may be refused while something is held."""
    try:
        settings.change(project, wished, Claims(project).all_held)
    except Conflict:
        return False
    return True


def check(held: Sequence[ClaimRecord], project: Project) -> None:
    """Check that the claims held now, as they are read now, do not overlap with another holder's."""
    keys = settings.keys_of(settings.stored_settings(project))
    for one, other in itertools.combinations(held, 2):
        assert one.holder == other.holder or not keys.overlap(keys.read(one.key), keys.read(other.key)), (one, other)


def check_and_release(team: Team, project: Project) -> None:
    held = Claims(project).all_held()
    check(held, project)
    for claim in held:
        team.release(claim.key, claim.holder or "")


@pytest.mark.parametrize(("before", "after", "first", "second"), ONE_FILE)
def test_in_whatever_step_of_a_claim_the_settings_change_one_file_has_one_holder(
    team: Team, clock: FixedClock, before: SettingsChange, after: SettingsChange, first: str, second: str
):
    step = 1
    while True:
        project = project_of(team.store, clock)

        def change(project: Project = project) -> None:
            configure(project, after)

        assert configure(project, before)
        assert isinstance(Claims(project).acquire(first, "a", TTL), AcquiredClaim)
        interruption = Interruption(step, change)
        Claims(project_of(team.store, clock, interruption)).acquire(second, "b", TTL)
        check_and_release(team, project)
        if interruption.steps < step:
            break
        step += 1
    assert step > 2


@pytest.mark.parametrize(("before", "after", "first", "second"), ONE_FILE)
def test_in_whatever_step_of_a_change_of_settings_others_claim_one_file_has_one_holder(
    team: Team, clock: FixedClock, before: SettingsChange, after: SettingsChange, first: str, second: str
):
    def claim_both(project: Project) -> None:
        for key, holder in ((first, "a"), (second, "b")):
            Claims(project).acquire(key, holder, TTL)

    step = 1
    while True:
        project = project_of(team.store, clock)
        assert configure(project, before)
        interruption = Interruption(step, partial(claim_both, project))
        configure(project_of(team.store, clock, interruption), after)
        check_and_release(team, project)
        if interruption.steps < step:
            break
        step += 1
    assert step > 2


def test_threads_that_claim_and_configure_never_hold_one_file_twice(tmp_path: Path):
    store = open_store(tmp_path, SystemClock())
    _contend(store, ["file:src/a.py", "file:SRC/A.py", "file:/home/ann/almanac/src/a.py", "src/A*"])
    store.close()


def _contend(store: Store, keys: Sequence[str]) -> None:
    """Claim a file under its several names while the settings change, until both happened often enough.

    The number of tries depends on the load of the machine, so successes are counted and not tries.
    """
    holders: list[str] = []
    won: list[str] = []
    changed: list[SettingsChange] = []

    def enough() -> bool:
        return len(won) >= ROUNDS and len(changed) > 1

    def project(chance: random.Random) -> Project:
        return replace(open_project(store, SystemClock()), backoff=Backoff(sleep=time.sleep, random=chance.random))

    def claim(number: int) -> None:
        chance = random.Random(number)
        claims = Claims(project(chance))
        while not enough():
            key = chance.choice(keys)
            if isinstance(insist(partial(claims.acquire, key, f"h{number}", TTL)), AcquiredClaim):
                reading = settings.keys_of(settings.stored_settings(project(chance)))
                mine = (f"h{number}", key)
                with_me = [other for other in list(holders) if _is_one_file(reading, key, other)]
                assert not with_me, (mine, with_me)
                holders.append(key)
                time.sleep(chance.random() * 0.002)
                holders.remove(key)
                insist(partial(claims.release, key, f"h{number}"))
                won.append(key)

    def change() -> None:
        chance = random.Random(99)
        while not enough():
            wished = chance.choice([SENSITIVE, INSENSITIVE, ROOT, ROOTLESS])
            if insist(partial(configure, project(chance), wished)):
                changed.append(wished)

    with ThreadPoolExecutor(6) as pool:
        changing = pool.submit(change)
        list(pool.map(claim, range(5)))
        changing.result()


def _is_one_file(keys: Keys, one: str, other: str) -> bool:
    return keys.overlap(keys.parse(one), keys.parse(other))
