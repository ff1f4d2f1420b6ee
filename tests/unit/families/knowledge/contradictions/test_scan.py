"""Test pages of contradictions: each pair once, and bounded work per page."""

import random
from datetime import UTC
from itertools import combinations

import pytest

from almanac.families.knowledge.contradictions import scan
from almanac.families.knowledge.contradictions.explanations import explanation_of
from almanac.families.knowledge.contradictions.pairs import Pair
from almanac.families.knowledge.contradictions.rules import find_contradiction
from almanac.families.knowledge.contradictions.scan import Position, ScanRequest, Slots, position_of, position_text
from almanac.families.knowledge.core.records import FACTS
from tests.project_app import ProjectApp
from tests.unit.families.knowledge.stored_facts import SINCE, Facts, facts_in

Ids = tuple[str, str]


def ids(pairs: list[Pair]) -> list[Ids]:
    return [(pair.one.fact.id, pair.other.fact.id) for pair in pairs]


def every(facts: Facts, asked: ScanRequest, most_pages: int = 500) -> tuple[list[Pair], int]:
    """Return all pairs from all pages, and the number of pages."""
    found, position = list[Pair](), Position()
    for page in range(1, most_pages):
        one = scan.scan(facts.knowledge, asked, position)
        found += one.pairs
        if one.next_position is None:
            return found, page
        position = position_of(position_text(one.next_position))
    raise AssertionError("the scan does not end")


@pytest.fixture
def facts(app: ProjectApp) -> Facts:
    return facts_in(app)


def plant_pairs(facts: Facts) -> set[frozenset[str]]:
    """Write pairs of five subjects whose names have characters that the store sorts differently from Python."""
    facts.state("lives in", "one")
    facts.state("speaks", "many")
    found: set[frozenset[str]] = set()
    for subject in ("Ann", "Ann$", "Ann b", "Zoë", "a#b"):
        homes = [facts.say(subject, "lives in", home) for home in ("Oslo", "Lima", "Kyoto")]
        found |= {frozenset((one, other)) for one in homes for other in homes if one != other}
        for language in ("German", "Greek", "Thai"):
            facts.say(subject, "speaks", language)
        found.add(frozenset((facts.say(subject, "uses$x", "Go"), facts.say(subject, "does not uses$x", "Go"))))
        found.add(frozenset((facts.say(subject, "speaks", "Latin"), facts.say(subject, "does_not_speak", "Latin"))))
    return found


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
def test_every_pair_comes_once_whatever_the_page(facts: Facts, limit: int) -> None:
    wanted = plant_pairs(facts)
    found, _ = every(facts, ScanRequest(limit=limit))
    assert [one for one in ids(found) if frozenset(one) in wanted] == [
        one for one in ids(every(facts, ScanRequest(limit=50))[0]) if frozenset(one) in wanted
    ]
    assert wanted <= {frozenset(one) for one in ids(found)}
    assert len(ids(found)) == len(set(ids(found)))


@pytest.mark.parametrize(("most_facts", "most_pairs", "window"), [(1, 100_000, 4_000), (9, 1, 4_000), (5, 3, 2)])
def test_small_portions_of_work_find_the_same(
    facts: Facts, monkeypatch: pytest.MonkeyPatch, most_facts: int, most_pairs: int, window: int
) -> None:
    plant_pairs(facts)
    wanted = set(ids(every(facts, ScanRequest(limit=50))[0]))
    monkeypatch.setattr(scan, "MOST_FACTS", most_facts)
    monkeypatch.setattr(scan, "MOST_PAIRS", most_pairs)
    monkeypatch.setattr(scan, "WINDOW", window)
    found, pages = every(facts, ScanRequest(limit=50))
    assert len(found) == len(set(ids(found)))
    assert pages > 3
    if window == 4_000:
        assert set(ids(found)) == wanted
    else:
        one_predicate = {one for pair, one in zip(found, ids(found), strict=True) if pair.finding.reason == "one"}
        assert set(ids(found)) <= wanted
        assert len(one_predicate) == 15, "those of one predicate are never parted"


def test_a_subject_of_many_facts_is_told_to_be_compared_in_parts(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_pairs(facts)
    assert scan.scan(facts.knowledge, ScanRequest(limit=50), Position()).parted == ()
    monkeypatch.setattr(scan, "WINDOW", 3)
    assert "Ann" in scan.scan(facts.knowledge, ScanRequest(limit=50), Position()).parted


def test_only_what_holds_now_is_found_unless_all_times_are_asked_for(app: ProjectApp, facts: Facts) -> None:
    facts.state("owner", "one")
    past = (SINCE, SINCE + 1000)
    facts.say("shop", "speed", "12 rpm", *past)
    facts.say("shop", "speed", "15 rpm", *past)
    coming = app.now + 1000
    facts.say("shop", "owner", "Ann", coming)
    facts.say("shop", "owner", "Bob", coming)
    assert every(facts, ScanRequest())[0] == []
    assert len(every(facts, ScanRequest(all_times=True))[0]) == 2
    app.wait(seconds=2)
    assert len(every(facts, ScanRequest())[0]) == 1


def test_one_subject_alone_is_scanned(facts: Facts) -> None:
    plant_pairs(facts)
    page = scan.scan(facts.knowledge, ScanRequest("Ann b", 50), Position())
    assert {pair.one.fact.subject for pair in page.pairs} == {"Ann b"}
    assert page.facts == 10
    assert page.next_position is None


def test_one_subject_in_parts_brings_no_pair_again(facts: Facts, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_pairs(facts)
    whole = ids(every(facts, ScanRequest("Ann", 50))[0])
    monkeypatch.setattr(scan, "WINDOW", 2)
    monkeypatch.setattr(scan, "MOST_FACTS", 3)
    parts = ids(every(facts, ScanRequest("Ann", 2))[0])
    assert len(parts) == len(set(parts))
    assert set(parts) <= set(whole)
    assert len(parts) >= 3


def test_many_objects_that_begin_together_are_paged_without_looking_at_all_pairs(facts: Facts) -> None:
    facts.state("id", "one")
    for number in range(60):
        facts.say("x", "id", f"name {chr(97 + number % 26)}{number}x")
    found, pages = every(facts, ScanRequest(limit=50))
    assert len(found) == 60 * 59 // 2
    assert pages == 36


def test_what_is_looked_at_is_bounded_also_where_nothing_is_found(
    facts: Facts, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts.state("colour", "one")
    for number in range(30):
        facts.say("wall", "colour", f"not shade {number}")
    monkeypatch.setattr(scan, "MOST_PAIRS", 60)
    page = scan.scan(facts.knowledge, ScanRequest(), Position())
    assert page.pairs == []
    assert page.next_position is not None
    found, pages = every(facts, ScanRequest())
    assert (found, pages) == ([], 8)

    facts.state("colour", "many")
    assert scan.scan(facts.knowledge, ScanRequest(), Position()).next_position is None, (
        "objects of many are not compared"
    )


def test_predicates_that_the_store_sorts_otherwise_than_texts_lose_no_pair(facts: Facts) -> None:
    for predicate in ("a b", "a$b", 'a"b', "a(b"):
        facts.state(predicate, "one")
        facts.say("x", predicate, "Oslo")
        facts.say("x", predicate, "Lima")
    assert len(every(facts, ScanRequest(limit=1))[0]) == 4


def test_what_changes_between_pages_brings_no_pair_again(facts: Facts) -> None:
    plant_pairs(facts)
    first = scan.scan(facts.knowledge, ScanRequest(limit=4), Position())
    for number in range(3):
        facts.say("Ann", "lives in", f"Town {chr(97 + number)}")
    assert first.next_position is not None
    found, position = list(first.pairs), first.next_position
    while position is not None:
        page = scan.scan(facts.knowledge, ScanRequest(limit=4), position)
        found += page.pairs
        position = page.next_position
    assert len(set(ids(found))) == len(found)


def test_random_facts_give_the_pairs_that_all_against_all_give(facts: Facts) -> None:
    chance = random.Random(7)
    facts.state("p", "one")
    facts.state("q", "many")
    for _ in range(150):
        start = SINCE + chance.randrange(12)
        end = chance.choice([None, start + chance.randrange(1, 9)])
        what = chance.choice(["red", "not red", "blue", "12 cm", "13 cm", "true", "false"])
        facts.say("s", chance.choice(["p", "q", "r", "not_p", "does_not_r"]), what, start, end)
    readings = Slots(facts.knowledge).readings(list(facts.knowledge.rows(FACTS).every("s")))
    wanted = {
        frozenset((one.fact.id, other.fact.id))
        for one, other in combinations(readings, 2)
        if find_contradiction(one, other) is not None
    }
    found, _ = every(facts, ScanRequest(limit=9, all_times=True))
    assert {frozenset(one) for one in ids(found)} == wanted
    assert len(found) == len(wanted)


def test_an_explanation_names_both_and_when_they_hold(facts: Facts) -> None:
    facts.state("lives_in", "one")
    facts.say("Ann", "lives_in", "Oslo", 1_709_251_200_000, 1_746_057_600_000)
    facts.say("Ann", "lives_in", 'Lima" [x]', 1_709_251_200_000)
    (pair,) = every(facts, ScanRequest(all_times=True))[0]
    text = explanation_of(pair, UTC)
    assert '"Oslo" (from 2024-03-01 until 2025-05-01)' in text
    assert '"Lima\' (x)" (from 2024-03-01 on)' in text
    assert "Both are said to hold from 2024-03-01 until 2025-05-01." in text
