"""docs/scale.md: every tool is in it, and it says what the code does."""

from typing import Any

import msgspec
import pytest

from almanac.composition.families import described_families
from tests.bench.scale import system
from tests.bench.scale.costs import Bill, bill, mixed, units, waited, weights
from tests.bench.scale.key_mix import Demand, Mix
from tests.bench.scale.key_skew import simulate
from tests.bench.scale.measured import kept
from tests.bench.scale.report import PAGE, page
from tests.bench.scale.system import Passage
from tests.bench.scale.typical_calls import AT_PROVIDERS, CALLS
from tests.bench.scale.units import Counted, empty_system

LISTED = {tool.name for family in described_families() for tool in family.tools}


def test_every_listed_tool_has_a_typical_call_and_a_measured_time():
    assert set(CALLS) == LISTED - AT_PROVIDERS
    assert set(kept().door) == set(CALLS)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/scale.md is not current: run make scale"


def test_a_call_passes_through_every_function_and_its_event_through_the_queues():
    with empty_system(None, per_minute=10, per_day=100) as system:
        passage = system.call("set_broadcast", key="sprint", value="49")

    assert passage.invocations == {"authorizer": 1, "door": 1, "stream": 1, "reactions": 1, "push": 1}
    assert passage.events == 1
    assert {charge.partition.split("#")[0] for charge in passage.charges["authorizer"]} == {"S", "T"}


CHEAP: list[tuple[str, dict[str, Any]]] = [
    ("get_temporal_context", {}),
    ("list_calendars", {}),
    ("set_broadcast", {"key": "sprint", "value": "49"}),
    ("notes_create", {"title": "Note", "body": "What was said."}),
    ("list_default_skills", {}),
    ("query_facts", {"subject": "web"}),
]
DEAR: list[tuple[str, dict[str, Any]]] = [
    ("pin_memory", {"content": "Deploys happen on Tuesdays."}),
    ("search_code", {"query": "where are sessions closed"}),
    ("context_getCurrent", {}),
]


def _written(tool: str, arguments: dict[str, Any]) -> list[int]:
    """Return the units that each of three calls writes, with all that follows."""
    with empty_system() as made:
        passages = [made.call(tool, **arguments) for _ in range(3)]
    return [units(charge for part in one.charges.values() for charge in part)[1] for one in passages]


@pytest.mark.parametrize(("tool", "arguments"), CHEAP + DEAR)
def test_the_limits_of_a_tenant_cost_an_expensive_call_one_write_for_many_and_others_none(
    tool: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are those of the template: with them, what is written beside."""
    limited = _written(tool, arguments)
    monkeypatch.setattr(system, "CALM", {})
    extra = [one - other for one, other in zip(limited, _written(tool, arguments), strict=True)]
    assert extra == ([1, 0, 0] if (tool, arguments) in DEAR else [0, 0, 0])


def test_a_booking_and_a_turn_write_within_their_bounds():
    """The call's own units, with the audit trail and what carries its event on, also once a session is long."""
    with empty_system() as made:
        slot = {"calendar_id": "primary", "summary": "Review with Ben"}
        bookings = [
            made.call("book_slot", **slot, start=f"2026-03-04T{hour}:00:00Z", end=f"2026-03-04T{hour}:30:00Z")
            for hour in range(10, 15)
        ]
        turns = [
            made.call("record_turn", session_id="session-1", content=f"The build fails with TS2345 {number}")
            for number in range(30)
        ]

    assert max(map(_own_units, bookings[1:])) <= 8
    # The first turn of a session also tells when its summary is due.
    assert max(map(_own_units, turns[1:])) <= 10
    # The feed's log takes 6 of each, the rules' marker one; a turn's entities are two items.
    assert max(map(_units_behind, bookings)) <= 7
    assert max(map(_units_behind, turns[1:10])) <= 11


def _units_behind(passage: Passage) -> int:
    return sum(charge.written for part in ("reactions", "push") for charge in passage.charges[part])


def _own_units(passage: Passage) -> int:
    """Of what the call writes in its project and in the audit trail: leases on calls are counted by themselves."""
    own = (each for each in passage.charges["door"] if each.partition.startswith("P#") or "#audit" in each.partition)
    return sum(charge.written for charge in own)


def test_a_bill_is_the_sum_of_what_was_counted():
    passage = Passage()
    passage.invocations |= {"authorizer": 1, "door": 1}
    with empty_system() as system:
        system.do("list_rules")
        system.meter.reset()
        system.do("list_rules")
        passage.charges["door"] += system.meter.charges
    paid = bill("list_rules", passage, kept())

    assert paid.store == pytest.approx(0.125 * system.meter.read)
    assert paid.queues == paid.bus == 0
    assert paid.api == pytest.approx(3.5)
    assert paid.total == pytest.approx(sum(msgspec.structs.astuple(paid)))


def test_weights_share_out_all_calls_and_read_four_times_for_a_change():
    empty = Passage()
    counted = [
        Counted("one", "look", True, empty, empty),
        Counted("one", "change", False, empty, empty),
        Counted("other", "see", True, empty, empty),
    ]

    assert weights(counted) == pytest.approx({"look": 0.4, "change": 0.1, "see": 0.5})


def test_a_mixed_bill_weighs_its_tools():
    cheap, dear = (Bill(api=one, functions=0, store=0, queues=0, bus=0, logs=0) for one in (1.0, 9.0))

    assert mixed({"cheap": cheap, "dear": dear}, {"cheap": 0.3, "dear": 0.1}).total == pytest.approx(3)


def test_a_request_waits_once_however_many_items_it_names():
    with empty_system() as system:
        system.meter.reset()
        system.do("set_broadcast", key="sprint", value="49")
    charges = [charge for charge in system.meter.charges if charge.kind == "transaction"]

    assert len(charges) > 2
    assert waited(charges) < 12 * len(charges)


ITEM = ("", "P#acme#web#head", "head")
MANY = ("", "P#acme#web#list", "")
LOG = ("", "P#acme#web#feed_log", "")


def mix(**places: tuple[str, str, str]) -> Mix:
    """A tool that writes one unit at each of the places."""
    demand = dict.fromkeys(places.values(), Demand(written=1))
    return Mix(demand, {"write": tuple(places.values())}, {"write": 1.0}, Demand(written=len(places)), len(places))


def test_one_tenant_below_the_limit_of_its_item_is_never_throttled():
    assert simulate(mix(head=ITEM), tenants=1, calls=990, gigabytes=1).throttled == (0, 0)


@pytest.mark.parametrize("place", [ITEM, LOG], ids=["an item", "what is appended"])
def test_heat_on_what_cannot_be_split_is_throttled_for_good(place: tuple[str, str, str]):
    outcome = simulate(mix(head=place), tenants=1, calls=4000, gigabytes=1)

    assert outcome.throttled[1] == pytest.approx(0.75)
    assert outcome.suffering == 1
    assert outcome.heat == pytest.approx(4)


def test_heat_on_a_collection_of_many_items_is_split_away():
    outcome = simulate(mix(many=MANY), tenants=1, calls=4000, gigabytes=1)

    assert outcome.throttled[0] > 0
    assert outcome.throttled[1] == 0
    assert outcome.partitions[1] > outcome.partitions[0]


def test_a_short_peak_is_served_from_what_was_left_unused():
    assert simulate(mix(head=ITEM), tenants=1, calls=1050, gigabytes=1).throttled[0] == 0


def test_the_same_seed_gives_the_same_hour():
    runs = [simulate(mix(head=ITEM, many=MANY), tenants=1000, calls=50_000, gigabytes=1, seed=9) for _ in range(2)]

    assert runs[0] == runs[1]
    assert runs[0].largest == pytest.approx(50_000 / sum(1 / rank for rank in range(1, 1001)))
