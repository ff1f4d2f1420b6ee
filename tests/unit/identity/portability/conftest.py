"""Two houses: one with the tenant acme, one that is empty."""

from pathlib import Path

import pytest

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from tests.contract.houses import House


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> House:
    house = House.on_sqlite(tmp_path / "here", clock)
    Tenants(house.store, clock).create("acme")
    return house


@pytest.fixture
def there(tmp_path: Path, clock: FixedClock) -> House:
    return House.on_sqlite(tmp_path / "there", clock)
