"""An address that keeps guessing."""

from collections.abc import Mapping
from datetime import timedelta

import msgspec
import pytest

from almanac.identity.access.effective_settings import EffectiveSettings
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.guesses import PER_MINUTE, Guesses
from almanac.identity.access.networks import network_of
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY, Refusal
from almanac.identity.api_key import ApiKey
from almanac.identity.records import Grant, KeyRecord
from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.doubles.observed_store import ObservedStore

GOOD = ApiKey("good", "g" * 40)
BAD = {"x-api-key": ApiKey("evil", "e" * 40).text}
RECORD = KeyRecord(
    id="good", digest=GOOD.digest, grant=Grant(tenant="acme", project="default", actor="ann"), created_at=0
)


REVOKED = msgspec.structs.replace(RECORD, id="gone", digest=ApiKey("gone", "r" * 40).digest, revoked_at=1)
EXPIRED = msgspec.structs.replace(
    RECORD,
    id="late",
    digest=ApiKey("late", "l" * 40).digest,
    grant=msgspec.structs.replace(RECORD.grant, expires_at=1),
)
OTHER = msgspec.structs.replace(RECORD, id="other", digest=ApiKey("other", "o" * 40).digest)
NOT_GOOD = {
    "unknown": ApiKey("evil", "e" * 40).text,
    "revoked": ApiKey("gone", "r" * 40).text,
    "expired": ApiKey("late", "l" * 40).text,
    "wrong secret": ApiKey("good", "w" * 40).text,
    "malformed": "no key at all",
}


class Keys:
    """A directory of keys by id."""

    def __init__(self) -> None:
        self.records = {record.id: record for record in (RECORD, REVOKED, EXPIRED, OTHER)}

    def key(self, key_id: str) -> KeyRecord | None:
        return self.records.get(key_id)

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        return EffectiveSettings() if project != "mars" else None


@pytest.fixture
def directory() -> Keys:
    return Keys()


@pytest.fixture
def gatekeeper(directory: Keys, store: Store, clock: FixedClock) -> Gatekeeper:
    return Gatekeeper(directory, store, clock)


def status(gatekeeper: Gatekeeper, headers: Mapping[str, str], address: str = "10.0.0.1") -> int:
    verdict = gatekeeper.judge(headers, "/mcp", address)
    return verdict.status if isinstance(verdict, Refusal) else 200


def guess(gatekeeper: Gatekeeper, times: int = PER_MINUTE, address: str = "10.0.0.1") -> list[int]:
    return [status(gatekeeper, BAD, address) for _ in range(times)]


def test_after_many_refused_keys_an_address_is_not_listened_to(gatekeeper: Gatekeeper) -> None:
    assert guess(gatekeeper, PER_MINUTE + 3) == [401] * PER_MINUTE + [429] * 3


def test_from_a_blocked_address_every_key_that_is_not_known_there_gets_one_answer(gatekeeper: Gatekeeper) -> None:
    guess(gatekeeper)
    sent = [*NOT_GOOD.values(), GOOD.text]
    answers = [gatekeeper.judge({"x-api-key": key}, "/mcp", "10.0.0.1") for key in sent]
    assert len(set(answers)) == 1
    assert isinstance(answers[0], Refusal)
    assert answers[0].status == 429


def test_from_a_quiet_address_keys_that_do_not_work_get_one_answer(gatekeeper: Gatekeeper) -> None:
    assert {gatekeeper.judge({"x-api-key": key}, "/mcp", "10.0.0.1") for key in NOT_GOOD.values()} == {BAD_KEY}


def test_a_key_that_worked_there_and_was_revoked_since_gets_that_answer_too(
    gatekeeper: Gatekeeper, directory: Keys
) -> None:
    assert status(gatekeeper, {"x-api-key": GOOD.text}) == 200
    directory.records["good"] = msgspec.structs.replace(RECORD, revoked_at=1)
    guess(gatekeeper)
    answers = {gatekeeper.judge({"x-api-key": key}, "/mcp", "10.0.0.1") for key in (GOOD.text, NOT_GOOD["unknown"])}
    assert len(answers) == 1


def test_a_key_with_another_scope_is_told_no_more_than_any_from_a_blocked_address(gatekeeper: Gatekeeper) -> None:
    guess(gatekeeper)
    assert status(gatekeeper, {"x-api-key": GOOD.text, "x-almanac-project": "mars"}) == 429


def test_right_and_wrong_keys_cost_the_same_in_a_blocked_network(directory: Keys, store: Store, clock: FixedClock):
    guess(Gatekeeper(directory, store, clock))

    def reads_of(key: str) -> list[str]:
        requests: list[str] = []
        observed = ObservedStore(store, lambda request: requests.append(request[0]))
        Gatekeeper(directory, observed, clock).judge({"x-api-key": key}, "/mcp", "10.0.0.1")
        return requests

    assert reads_of(GOOD.text) == reads_of(NOT_GOOD["unknown"]) == ["get", "get"]


def test_the_count_is_shared_by_all_processes_and_outlives_them(
    directory: Keys, store: Store, clock: FixedClock
) -> None:
    statuses = [status(Gatekeeper(directory, store, clock), BAD) for _ in range(PER_MINUTE + 2)]
    assert statuses == [401] * PER_MINUTE + [429] * 2


def test_another_address_is_not_concerned(gatekeeper: Gatekeeper) -> None:
    guess(gatekeeper, PER_MINUTE + 1)
    assert status(gatekeeper, BAD, "10.0.0.2") == 401


def test_one_subscriber_of_ipv6_is_one_network(gatekeeper: Gatekeeper) -> None:
    for number in range(PER_MINUTE):
        status(gatekeeper, BAD, f"2001:db8:1:2:{number:x}::1")
    assert status(gatekeeper, BAD, "2001:db8:1:2:ffff::9") == 429
    assert status(gatekeeper, BAD, "2001:db8:1:3::1") == 401


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::/64"),
        ("not an address", "unknown"),
        ("", "unknown"),
    ],
)
def test_addresses_belong_to_networks(address: str, network: str) -> None:
    assert network_of(address) == network


def test_a_minute_later_the_address_is_heard_again(gatekeeper: Gatekeeper, clock: FixedClock) -> None:
    guess(gatekeeper, PER_MINUTE + 1)
    clock.instant += timedelta(minutes=1)
    assert status(gatekeeper, BAD) == 401
    assert status(gatekeeper, {"x-api-key": GOOD.text}) == 200


def test_a_key_that_was_good_before_is_not_locked_out_by_its_neighbour(
    gatekeeper: Gatekeeper, directory: Keys, store: Store, clock: FixedClock
) -> None:
    good = {"x-api-key": GOOD.text}
    assert status(gatekeeper, good) == 200
    guess(gatekeeper, PER_MINUTE + 1)
    assert isinstance(gatekeeper.judge(good, "/mcp", "10.0.0.1"), Principal)
    assert isinstance(Gatekeeper(directory, store, clock).judge(good, "/mcp", "10.0.0.1"), Principal)


def test_a_refusal_by_scope_is_no_guess(gatekeeper: Gatekeeper) -> None:
    for _ in range(PER_MINUTE + 5):
        assert status(gatekeeper, {"x-api-key": GOOD.text, "x-almanac-project": "mars"}) == 403


def test_a_request_without_a_key_is_no_guess(gatekeeper: Gatekeeper) -> None:
    assert {status(gatekeeper, {}) for _ in range(PER_MINUTE + 5)} == {401}
    assert status(gatekeeper, {"x-api-key": GOOD.text}) == 200


def test_the_memory_of_networks_is_bounded(store: Store, clock: FixedClock) -> None:
    guesses = Guesses(store, clock)
    for number in range(5000):
        guesses.record_success(f"10.0.{number >> 8}.{number & 255}", b"d" * 32)
    remembered = [guesses.remembers(f"10.0.{each >> 8}.{each & 255}", b"d" * 32) for each in range(5000)]
    assert sum(remembered) <= 4096
