"""A team of a test's own, and a project with rules."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from almanac.kernel.clock import FixedClock
from tests.unit.families.team.rule_world import RuleWorld
from tests.unit.families.team.teams import Team


@pytest.fixture
def team(tmp_path: Path, clock: FixedClock) -> Iterator[Team]:
    team = Team(tmp_path, clock)
    yield team
    team.database.close()


@pytest.fixture
def world(tmp_path: Path, clock: FixedClock) -> Iterator[RuleWorld]:
    made = RuleWorld(tmp_path, clock)
    yield made
    made.close()
