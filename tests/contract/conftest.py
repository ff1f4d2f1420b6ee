"""Fixtures of the store on every technology that is available. Tests of the others are skipped with the reason."""

import itertools
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.store.keys import Partition
from almanac.platform.store.port import Store
from tests.contract.backends import DYNOXIDE, MINISTACK, Place, create_table, dynoxide, ministack, table_client

_tenants = itertools.count(1)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave the families' contract tests on ministack to `make ci`.

    Families only call the store's port. The port's own contract (`test_store*.py`) runs on both emulators of DynamoDB,
    and dynoxide takes half the CPU of ministack.
    """
    for item in items:
        parameters: dict[str, object] = getattr(getattr(item, "callspec", None), "params", {})
        if parameters.get("place") == "ministack" and not item.path.name.startswith("test_store"):
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def aws() -> Generator[None]:
    """Credentials that no service would take, so that nothing ever leaves for one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("AWS_ACCESS_KEY_ID", "test")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield


@pytest.fixture(scope="session")
def ministack_address(aws: None) -> Generator[str]:
    if not MINISTACK.exists():
        pytest.skip("ministack is not installed: make tools")
    with ministack() as address:
        create_table(table_client(address), streamed=True)
        yield address


@pytest.fixture(scope="session")
def dynoxide_address(aws: None) -> Generator[str]:
    with _dynoxide() as address:
        create_table(table_client(address), streamed=False)
        yield address


@pytest.fixture(scope="session")
def bare_dynoxide_address(aws: None) -> Generator[str]:
    """One whose tables come and go with tests: to connect to a new one takes longer than to fill a table."""
    with _dynoxide() as address:
        yield address


@contextmanager
def _dynoxide() -> Generator[str]:
    if not DYNOXIDE.exists():
        pytest.skip("dynoxide is not installed: make tools (needs npm, Linux x64)")
    with dynoxide() as address:
        yield address


@pytest.fixture(params=["sqlite", "ministack", "dynoxide"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    technology: str = request.param
    if technology == "sqlite":
        return Place(technology, str(tmp_path / "store.db"))
    return Place(technology, request.getfixturevalue(f"{technology}_address"))


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(datetime(2026, 11, 21, 12, 0, tzinfo=UTC))


@pytest.fixture
def scope() -> Scope:
    """A tenant of its own for every test: the emulators' table is shared."""
    return Scope(f"tenant-{next(_tenants)}", "main")


@pytest.fixture
def shelf(scope: Scope) -> Partition:
    return Partition.in_project(scope, "shelf")


@pytest.fixture
def now(clock: FixedClock) -> int:
    return now_ms(clock)


@pytest.fixture
def store(place: Place, clock: FixedClock) -> Store:
    return place.open(clock)
