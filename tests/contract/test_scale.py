"""Test that docs/scale.md has every tool and agrees with the code."""

import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from almanac.composition.families import families_for_docs
from almanac.platform.due.records import SHARDS
from tests.bench.scale import system
from tests.bench.scale.besides import of_rule
from tests.bench.scale.costs import QUEUED, Bill, bill, mix_bills, units, waiting_milliseconds, weights
from tests.bench.scale.idle import Minute, due_alone, empty_round, idle_month, working_minutes
from tests.bench.scale.job_rounds import (
    GROUPS,
    HABITS,
    ROUND_SECONDS,
    TARGET_SECONDS,
    Load,
    simulate_habits,
    simulate_rounds,
)
from tests.bench.scale.key_mix import Demand, Mix
from tests.bench.scale.key_skew import simulate
from tests.bench.scale.measured import read_measured
from tests.bench.scale.report import PAGE, page
from tests.bench.scale.sizes import PEAK
from tests.bench.scale.system import Passage
from tests.bench.scale.typical_calls import AT_PROVIDERS, CALLS
from tests.bench.scale.units import ToolUnits, count, empty_system, furnished_system

LISTED = {tool.name for family in families_for_docs() for tool in family.tools}


def test_every_listed_tool_has_a_typical_call_and_a_measured_time():
    assert set(CALLS) == LISTED - AT_PROVIDERS
    assert set(read_measured().door) == set(CALLS)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_the_page_is_current():
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/scale.md is not current: run make scale"


def test_a_call_passes_through_every_function_and_its_event_through_the_queues():
    with empty_system(None, per_minute=10, per_day=100) as system:
        passage = system.call("set_broadcast", key="sprint", value="49")

    assert passage.invocations == {"authorizer": 1, "door": 1, "stream": 1, "reactions": 1, "push": 1}
    assert (passage.events, passage.put) == (1, 0), "no rule listens, so nothing is put on the bus"
    assert {charge.partition.split("#")[0] for charge in passage.charges["authorizer"]} == {"S", "T"}


def test_events_that_a_document_carries_on_are_counted():
    with empty_system() as system:
        passage = system.call("record_turn", content="The build fails with TS2345")
    # That of the turn, which the live feed is told, and that of its document.
    assert (passage.events, passage.invocations["push"]) == (2, 1)


def test_what_a_call_takes_does_not_depend_on_how_many_were_counted_before_it():
    """Processes of old calls are gone, with the leases that they kept."""
    with empty_system() as system:
        for _ in range(30):
            system.restart()
            first, following = (system.call("list_recent_turns").charges["door"] for _ in range(2))
            assert (units(first)[1], units(following)[1]) == (1, 0)


def test_a_rule_that_listens_is_fired_by_what_the_bus_sends_once_and_not_by_the_reactions():
    action = {"tool": "set_broadcast", "args": {"key": "last", "value": "${payload.value}"}}
    with empty_system(None, per_minute=100, per_day=100) as system:
        system.do("install_rule", name="told", on_kind="broadcast_set", actions=[action])
        passage = system.call("set_broadcast", key="sprint", value="49")
        (rule,) = system.do("list_rules")["rules"]
        set_by_rule = system.do("get_broadcast", key="last")["value"]

    assert (rule["fired"], set_by_rule) == (1, "49")
    # The event, the matching rule's, and that of what the rule did, which no rule hears.
    assert (passage.events, passage.put, passage.invocations["rules"]) == (3, 2, 2)
    assert passage.invocations["reactions"] == 2
    assert {charge.partition.rpartition("#")[2] for charge in passage.charges["reactions"]}.isdisjoint(
        {"rules", "rule_kinds", "rules_matched"}
    )


def test_an_event_that_a_rule_listens_to_writes_within_its_bound():
    """Matched and fired: three markers and records, two outbox items, what the rule does and is told of."""
    assert of_rule().written <= 20


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


def _units_written(tool: str, arguments: dict[str, Any]) -> list[int]:
    """Return the units that each of three calls writes, with all that follows."""
    with empty_system() as made:
        passages = [made.call(tool, **arguments) for _ in range(3)]
    return [units(charge for part in one.charges.values() for charge in part)[1] for one in passages]


@pytest.mark.parametrize(("tool", "arguments"), CHEAP + DEAR)
def test_the_limits_of_a_tenant_cost_an_expensive_call_one_write_for_many_and_others_none(
    tool: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The limits are those of the template: with them, what is written beside."""
    limited = _units_written(tool, arguments)
    monkeypatch.setattr(system, "CALM", {})
    extra = [one - other for one, other in zip(limited, _units_written(tool, arguments), strict=True)]
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
    # The feed's log takes 4 of each; a turn's entities are two items.
    assert max(map(_units_behind, bookings)) <= 4
    assert max(map(_units_behind, turns[1:10])) <= 8


def _units_behind(passage: Passage) -> int:
    return sum(charge.written for part in QUEUED for charge in passage.charges[part])


def _own_units(passage: Passage) -> int:
    """Return the units of the call's writes in its project and in the audit trail.

    Leases on calls are counted separately.
    """
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
    paid = bill("list_rules", passage, read_measured())

    assert paid.store == pytest.approx(0.125 * system.meter.read)
    assert paid.queues == paid.bus == 0
    assert paid.api == pytest.approx(3.5)
    assert paid.total == pytest.approx(sum(msgspec.structs.astuple(paid)))


def test_weights_share_out_all_calls_and_read_four_times_for_a_change():
    empty = Passage()
    counted = [
        ToolUnits("one", "look", True, empty, empty),
        ToolUnits("one", "change", False, empty, empty),
        ToolUnits("other", "see", True, empty, empty),
    ]

    assert weights(counted) == pytest.approx({"look": 0.4, "change": 0.1, "see": 0.5})


def test_a_mixed_bill_weighs_its_tools():
    cheap, dear = (Bill(api=one, functions=0, store=0, queues=0, bus=0, logs=0) for one in (1.0, 9.0))

    assert mix_bills({"cheap": cheap, "dear": dear}, {"cheap": 0.3, "dear": 0.1}).total == pytest.approx(3)


def test_a_request_waits_once_however_many_items_it_names():
    with empty_system() as system:
        system.meter.reset()
        system.do("set_broadcast", key="sprint", value="49")
    charges = [charge for charge in system.meter.charges if charge.kind == "transaction"]

    assert len(charges) > 2
    assert waiting_milliseconds(charges) < 12 * len(charges)


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


IDLE_DOLLARS = 0.005
"""What an idle tenant may cost in a month."""


def test_what_the_page_says_of_idle_tenants_and_of_rounds_is_what_its_tables_say():
    text = PAGE.read_text(encoding="utf-8")
    idle = _row(text, "tenant with one project")
    assert f"An idle tenant costs ${idle[-1]} a month" in text
    assert float(idle[-1]) <= IDLE_DOLLARS
    longest = {(row[0], row[1]): float(row[-1]) for row in _rows(text, "### Rounds of scheduled jobs")}
    assert longest["10,000", "1"] <= TARGET_SECONDS
    assert longest["100,000", "4"] <= TARGET_SECONDS
    for groups in GROUPS:
        (ends,) = re.findall(rf"JobGroups={groups}, and a minute with ([0-9,]+)", text)
        used = _row(text, f"a round of scheduled jobs, JobGroups={groups}")[3].strip("*%").replace(",", "")
        assert 100_000 / float(ends.replace(",", "")) == pytest.approx(float(used) / 100, rel=0.03, abs=0.001)


def test_a_booking_and_a_turn_write_on_the_page_what_they_may():
    """With all that the call itself pays for; the turn names an error."""
    text = PAGE.read_text(encoding="utf-8")
    for tool, most in (("book_slot", 8), ("record_turn", 10)):
        written, event = _row(text, f"`{tool}`")[6:8]
        assert int(written) <= most
        assert int(event.rpartition(" / ")[2]) <= 10, "what reactions write stands beside it"


def test_the_page_says_the_same_of_the_live_feed_and_of_what_is_reached_in_each_of_its_tables():
    text = PAGE.read_text(encoding="utf-8")
    milliseconds = float(_row(text, "events of one project in the live feed")[2])
    assert _row(text, "the live feed of the busiest tenant")[1] == f"{1000 / milliseconds:g} events/s"
    limits = _rows(text, "### What breaks first")
    for column, tenants in enumerate(("1 k", "100 k", "10 M"), start=2):
        reached = [row[0] for row in limits if row[column].startswith("**")]
        assert f"Reached with {tenants} tenants: {'; '.join(reached) or 'nothing'}." in text


def test_no_sentence_of_the_page_has_a_figure_of_idle_tenants_or_rounds_of_its_own():
    written = re.sub(r"<!-- figures:.*?<!-- end of figures -->", "", PAGE.read_text(encoding="utf-8"), flags=re.DOTALL)
    for sentence in re.split(r"[.;:]\s|\n- ", written):
        if re.search(r"\bidle\b|rounds? takes?\b|does nothing", sentence):
            assert not re.search(r"\$[0-9]|[0-9],[0-9]{3}", sentence), sentence


def test_a_tenant_that_worked_and_is_idle_now_costs_little():
    with empty_system() as system:
        system.do("claim", key="file:a.py", holder="ann#1", ttl_ms=60_000)
        system.do("pin_memory", content="The lift is broken.", ttl_ms=3_600_000)
        for number in range(4):
            system.do("record_turn", role="user", content=f"Ticket {number} is done.", session_id="s")
        idle = idle_month(system)
        empty = empty_round(system)

    assert 0 < idle.dollars <= IDLE_DOLLARS
    assert (empty.read, empty.dollars_a_month) == (SHARDS / 2, pytest.approx(0.04, abs=0.02))


def test_a_round_is_as_long_as_its_work_shared_out_among_threads_and_groups():
    load = Load([Minute(0, 0)] * 59 + [Minute(1, 60)], cpu=0.1)
    one, four = simulate_rounds(load, 60_000, 1), simulate_rounds(load, 60_000, 4)

    assert one.items == pytest.approx(1000, rel=0.05)
    assert one.mean == pytest.approx(load.seconds(60_000, 1), rel=0.05)
    assert one.longest >= one.mean > 3 * four.mean
    assert load.seconds(load.ends_at(1, 60), 1) == pytest.approx(60, rel=0.01)


def test_rounds_of_tenants_with_much_to_do_are_longest_as_the_hour_begins_and_within_the_target_in_groups():
    with empty_system() as system:
        alone = due_alone(system)
    assert {what: each.items for what, each in alone.items()} == dict.fromkeys(HABITS, 1)

    load = Load([], read_measured().parts["rules"])
    one, four = (simulate_habits(load, alone, 10_000, groups) for groups in GROUPS)

    assert one.items == pytest.approx(10_000 * sum(HABITS.values()) * PEAK / 24 / 60, rel=0.05)
    assert one.most > 3 * one.items
    assert one.mean < four.longest < TARGET_SECONDS < one.longest < ROUND_SECONDS


def test_a_round_is_as_long_as_its_processor_needs():
    waiting, computing = (Load([Minute(1, 60)], cpu) for cpu in (0.1, 100.0))
    assert simulate_rounds(computing, 1000, 1).mean > 10 * simulate_rounds(waiting, 1000, 1).mean


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_a_filled_tenant_is_idle_for_little_and_rounds_are_short_with_many_tenants(tmp_path: Path):
    with furnished_system(tmp_path) as (system, typical):
        counted = count(system, typical)
        load = Load(working_minutes(system, typical, weights(counted), 24), read_measured().parts["rules"])
        idle = idle_month(system)

    assert idle.dollars <= IDLE_DOLLARS
    for tenants, groups in ((10_000, 1), (10_000, 4), (100_000, 4)):
        assert simulate_rounds(load, tenants, groups, rounds=24 * 60).longest <= TARGET_SECONDS


def _rows(text: str, title: str) -> list[list[str]]:
    lines = text.partition(title)[2].partition("<!-- end of figures -->")[0].splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("|")]
    return rows[2:]


def _row(text: str, first: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(f"| {first} |")]
    return [cell.strip() for cell in line.strip("|").split("|")]
