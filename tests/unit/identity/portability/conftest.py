"""Fixtures of two installations: one with the tenant acme, and an empty one."""

from pathlib import Path

import pytest

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from tests.contract.installations import Installation


@pytest.fixture
def here(tmp_path: Path, clock: FixedClock) -> Installation:
    installation = Installation.on_sqlite(tmp_path / "here", clock)
    Tenants(installation.store, clock).create("acme")
    return installation


@pytest.fixture
def there(tmp_path: Path, clock: FixedClock) -> Installation:
    return Installation.on_sqlite(tmp_path / "there", clock)
