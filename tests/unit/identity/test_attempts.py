"""An address that keeps guessing."""

from collections.abc import Mapping
from datetime import timedelta

import pytest

from almanac.identity.api_key import ApiKey
from almanac.identity.attempts import PER_MINUTE, FailedAttempts
from almanac.identity.gatekeeper import Gatekeeper
from almanac.identity.passes import Pass
from almanac.identity.records import Grant, KeyRecord
from almanac.identity.refusals import Refusal
from almanac.kernel.clock import FixedClock

GOOD = ApiKey("good", "g" * 40)
BAD = {"x-api-key": ApiKey("evil", "e" * 40).text}
RECORD = KeyRecord(
    id="good", digest=GOOD.digest, grant=Grant(tenant="acme", project="default", actor="ann"), created_at=0
)


class Counting:
    """A directory of one key that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def key(self, key_id: str) -> KeyRecord | None:
        self.asked += 1
        return RECORD if key_id == "good" else None

    def has_project(self, tenant: str, project: str) -> bool:
        return True


@pytest.fixture
def directory() -> Counting:
    return Counting()


@pytest.fixture
def gatekeeper(directory: Counting, clock: FixedClock) -> Gatekeeper:
    return Gatekeeper(directory, clock)


def status(gatekeeper: Gatekeeper, headers: Mapping[str, str], address: str = "10.0.0.1") -> int:
    verdict = gatekeeper.judge(headers, "/mcp", address)
    return verdict.status if isinstance(verdict, Refusal) else 200


def test_after_many_refused_keys_an_address_is_not_listened_to(gatekeeper: Gatekeeper, directory: Counting) -> None:
    assert [status(gatekeeper, BAD) for _ in range(PER_MINUTE + 3)] == [401] * PER_MINUTE + [429] * 3
    assert directory.asked == PER_MINUTE


def test_another_address_is_not_concerned(gatekeeper: Gatekeeper) -> None:
    for _ in range(PER_MINUTE + 1):
        status(gatekeeper, BAD)
    assert status(gatekeeper, BAD, "10.0.0.2") == 401


def test_a_minute_later_the_address_is_heard_again(gatekeeper: Gatekeeper, clock: FixedClock) -> None:
    for _ in range(PER_MINUTE + 1):
        status(gatekeeper, BAD)
    clock.instant += timedelta(minutes=1)
    assert status(gatekeeper, BAD) == 401


def test_a_key_that_was_good_before_is_not_locked_out_by_its_neighbour(gatekeeper: Gatekeeper) -> None:
    good = {"x-api-key": GOOD.text}
    assert status(gatekeeper, good) == 200
    for _ in range(PER_MINUTE + 1):
        status(gatekeeper, BAD)
    assert status(gatekeeper, good) == 200
    assert isinstance(gatekeeper.judge(good, "/mcp", "10.0.0.1"), Pass)


def test_a_refusal_by_scope_is_no_guess(clock: FixedClock, directory: Counting) -> None:
    gatekeeper = Gatekeeper(directory, clock)
    for _ in range(PER_MINUTE + 5):
        assert status(gatekeeper, {"x-api-key": GOOD.text, "x-almanac-project": "mars"}) == 403


def test_the_memory_of_addresses_is_bounded(clock: FixedClock) -> None:
    attempts = FailedAttempts(clock)
    for number in range(10_000):
        attempts.failed(f"10.0.{number >> 8}.{number & 255}")
    assert attempts.remembered <= 4096
