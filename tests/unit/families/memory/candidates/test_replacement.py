"""Test that a later statement closes the pending candidate that it replaces, until the later one is gone."""

from pathlib import Path

import pytest

from almanac.families.memory.candidates.proposals import follow_turn, propose
from almanac.families.memory.candidates.records import CANDIDATES, WAITING
from almanac.families.memory.candidates.replacement import MOST_REPLACED
from almanac.families.memory.candidates.review import decide
from almanac.kernel.caller import Caller
from almanac.platform.store.port import ConditionFailed
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.candidates.proposals import list_candidates
from tests.unit.families.memory.interrupted import project_interrupted_by
from tests.unit.families.memory.memory_builder import forget, record, restore
from tests.unit.families.memory.remembered import BEN, project_of

FIRST = "We decided to book the Hotel Adler in Graz."
THEN = "No, we decided to book the Hotel Sonne in Graz instead."
LAST = "Change of plan: we decided to book the Hotel Post in Graz instead."


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    return ProjectApp(tmp_path)


def say(app: ProjectApp, text: str, caller: Caller | None = None) -> str:
    app.wait(minutes=1)
    turn = record(app, text, caller=caller)
    app.react()
    return turn.id


def contents(app: ProjectApp, status: str = "pending") -> list[str]:
    return [one["content"] for one in list_candidates(app, status=status)]


def count_waiting(app: ProjectApp) -> int:
    count_record = project_of(app).rows(WAITING).get()
    return count_record.count if count_record else 0


def test_then_another_date_of_the_same_replaces_it(app: ProjectApp) -> None:
    say(app, "We decided that the fair is Monday 11 May.")
    say(app, "Then we decided that the fair is Monday 18 May.")
    assert contents(app) == ["Then we decided that the fair is Monday 18 May."]


def test_only_the_final_form_waits_and_both_name_each_other(app: ProjectApp) -> None:
    for text in (FIRST, THEN, LAST):
        say(app, text)
    (last,) = list_candidates(app)
    then, first = list_candidates(app, status="superseded")
    assert [one["content"] for one in (last, then, first)] == [LAST, THEN, FIRST]
    assert (first["superseded_by"], then["superseded_by"]) == (then["id"], last["id"])
    assert (then["supersedes"], last["supersedes"]) == ([first["id"]], [then["id"]])
    assert count_waiting(app) == 1
    assert len(app.events("candidate_waiting")) == 1


BOOKED = "We decided to book the Hotel Adler for the choir."
OTHER = "I've decided to let the choir sleep at my sister's."


def test_what_an_agents_reply_rejects_by_name_is_closed(app: ProjectApp) -> None:
    turn = say(app, BOOKED)
    later = say(app, OTHER)
    assert contents(app) == [OTHER, BOOKED]
    reply = record(app, "Adler is out then, I write to your sister.", role="assistant")
    app.react()
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([OTHER], [BOOKED], 1)
    (new,), (old,) = list_candidates(app), list_candidates(app, status="superseded")
    assert (new["supersedes"], old["superseded_by"]) == ([old["id"]], new["id"])
    for event in app.events("turn_recorded"):
        assert list(propose(event, app.services)) == []
    forget(app, reply.id)
    app.react()
    assert contents(app) == [OTHER]
    restore(app, reply.id)
    forget(app, later)
    app.react()
    assert (contents(app), count_waiting(app)) == ([BOOKED], 1)
    restore(app, later)
    app.react()
    assert (contents(app), count_waiting(app)) == ([OTHER], 1)
    forget(app, turn)
    app.react()
    assert (contents(app), contents(app, "superseded")) == ([OTHER], [])


def test_turns_that_are_read_late_close_the_same(app: ProjectApp) -> None:
    for role, text in (("user", BOOKED), ("user", OTHER), ("assistant", "Adler is out then.")):
        app.wait(minutes=1)
        record(app, text, role=role)
    app.react()
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([OTHER], [BOOKED], 1)


@pytest.mark.parametrize("reply", ["Is the Adler out then?", "The Adler has a garden.", "Your sister it is."])
def test_a_reply_that_rejects_nothing_closes_nothing(app: ProjectApp, reply: str) -> None:
    say(app, BOOKED)
    say(app, OTHER)
    record(app, reply, role="assistant")
    app.react()
    assert len(contents(app)) == 2


def test_what_is_said_after_a_rejection_stays(app: ProjectApp) -> None:
    rejecting = say(app, OTHER)
    record(app, "Adler is out then.", role="assistant")
    app.react()
    say(app, BOOKED)
    forget(app, rejecting)
    app.react()
    restore(app, rejecting)
    app.react()
    assert (sorted(contents(app)), contents(app, "superseded")) == (sorted([OTHER, BOOKED]), [])


def test_what_a_reviewer_has_accepted_stays(app: ProjectApp) -> None:
    say(app, BOOKED)
    (booked,) = list_candidates(app)
    app.do("review_candidate", candidate_id=booked["id"], decision="accept")
    say(app, OTHER)
    record(app, "Adler is out then.", role="assistant")
    app.react()
    assert contents(app, "accepted") == [BOOKED]


def test_of_one_turn_the_last_sentence_waits(app: ProjectApp) -> None:
    say(app, f"{FIRST} {THEN}")
    assert (contents(app), contents(app, "superseded")) == ([THEN], [FIRST])


def test_in_one_turn_each_is_replaced_by_the_next_one(app: ProjectApp) -> None:
    say(app, f"{FIRST} {THEN} {LAST}")
    (last,) = list_candidates(app)
    by_content = {one["content"]: one for one in list_candidates(app, status="superseded")}
    assert last["content"] == LAST
    assert by_content[FIRST]["superseded_by"] == by_content[THEN]["id"]
    assert by_content[THEN]["superseded_by"] == last["id"]


def test_another_kind_about_the_same_topic_closes_nothing(app: ProjectApp) -> None:
    say(app, "We decided to print the festival programme in Graz.")
    say(app, "The festival programme from Graz is due on Friday, not later.")
    assert [one["kind"] for one in list_candidates(app)] == ["deadline", "decision"]


def test_one_turn_closes_five_at_most(app: ProjectApp) -> None:
    for form in ("as a letter", "with a map", "in two columns", "without photos", "on one page", "in green", "in bold"):
        say(app, f"We decided to send the Graz newsletter {form}.")
    say(app, "No, we decided to send the Graz newsletter as a video instead.")
    assert (len(contents(app)), len(contents(app, "superseded"))) == (3, MOST_REPLACED)


def test_another_actor_may_correct_it(app: ProjectApp) -> None:
    say(app, FIRST)
    say(app, THEN, caller=BEN)
    assert contents(app) == [THEN]


@pytest.mark.parametrize(
    "then",
    [
        "hm no, the newsletter goes out on Thursdays instead of Tuesdays",
        "the newsletter has to go out on Thursdays, not on Tuesdays",
    ],
)
def test_a_correction_that_rejects_the_former_value_closes_it(app: ProjectApp, then: str) -> None:
    say(app, "We decided to send the newsletter on Tuesdays.")
    say(app, "for the newsletter we take Mailgun")
    say(app, then)
    assert contents(app, "superseded") == ["We decided to send the newsletter on Tuesdays."]


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("svelte kit then, prerendered", "we'll use svelte charts instead"),
        ("We decided to book the Hotel Adler in Graz.", "We decided to use Postgres instead of MySQL."),
        ("I prefer tabs to spaces.", "I prefer spaces to tabs, not the other way round."),
    ],
)
def test_what_is_in_doubt_or_about_something_else_waits_too(app: ProjectApp, first: str, then: str) -> None:
    say(app, first)
    say(app, then)
    assert len(contents(app)) == 2
    assert contents(app, "superseded") == []


@pytest.mark.parametrize(
    ("first", "then", "answer"),
    [
        ("We decided to feed the kiln every 15 minutes.", "make it 30", "Every 30 minutes, from the next fire on."),
        ("We decided to feed the kiln every 15 minutes.", "make it 30", "Done."),
        (
            "We decided to send the newsletter on Tuesdays.",
            "on Mondays after all",
            "The newsletter now goes on Mondays.",
        ),
        ("We decided to build the rack 8 by 6.", "make the rack 6 by 4 instead", "6 by 4 it is."),
    ],
)
def test_a_correction_that_says_only_the_new_value_closes_the_choice_before_it(
    app: ProjectApp, first: str, then: str, answer: str
) -> None:
    for role, text in (("assistant", "Which one?"), ("user", first), ("assistant", "Ok."), ("user", then)):
        app.wait(minutes=1)
        record(app, text, role=role)
    app.wait(minutes=1)
    record(app, answer, role="assistant")
    app.react()
    assert contents(app, "superseded") == [first]
    assert len(contents(app)) == 1


@pytest.mark.parametrize(
    ("between", "minutes", "session"),
    [("", 40, "s1"), ("", 1, "s2"), ("I prefer oak to ash for the handles.", 1, "s1")],
)
def test_a_bare_value_later_or_elsewhere_or_behind_something_else_closes_nothing(
    app: ProjectApp, between: str, minutes: int, session: str
) -> None:
    first = "We decided to feed the kiln every 15 minutes."
    say(app, first)
    if between:
        say(app, between)
    app.wait(minutes=minutes)
    record(app, "make it 30", session)
    app.react()
    assert contents(app, "superseded") == []
    assert first in contents(app)


def test_a_forgotten_correction_brings_the_earlier_one_back_and_restoring_closes_it_again(app: ProjectApp) -> None:
    say(app, FIRST)
    correction = say(app, THEN)
    forget(app, correction)
    app.react()
    assert (contents(app), count_waiting(app)) == ([FIRST], 1)
    restore(app, correction)
    app.react()
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([THEN], [FIRST], 1)


def test_a_forgotten_link_of_a_chain_leaves_the_last_one(app: ProjectApp) -> None:
    say(app, FIRST)
    middle = say(app, THEN)
    last = say(app, LAST)
    forget(app, middle)
    app.react()
    assert (contents(app), contents(app, "superseded")) == ([LAST], [FIRST])
    forget(app, last)
    app.react()
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([FIRST], [], 1)


def test_a_restored_turn_stays_replaced_while_its_correction_holds(app: ProjectApp) -> None:
    turn = say(app, FIRST)
    correction = say(app, THEN)
    forget(app, turn)
    app.react()
    restore(app, turn)
    app.react()
    assert (contents(app), contents(app, "superseded")) == ([THEN], [FIRST])
    forget(app, turn)
    forget(app, correction)
    app.react()
    assert contents(app) == contents(app, "superseded") == []
    restore(app, turn)
    app.react()
    assert (contents(app), count_waiting(app)) == ([FIRST], 1)


def test_a_rejected_correction_brings_the_earlier_one_back(app: ProjectApp) -> None:
    say(app, FIRST)
    say(app, THEN)
    (then,) = list_candidates(app)
    app.do("review_candidate", candidate_id=then["id"], decision="reject")
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([FIRST], [], 1)


def test_an_accepted_correction_leaves_it_closed_and_a_reviewer_may_still_accept_it(app: ProjectApp) -> None:
    say(app, FIRST)
    say(app, THEN)
    (then,), (first,) = list_candidates(app), list_candidates(app, status="superseded")
    app.do("review_candidate", candidate_id=then["id"], decision="accept")
    assert (contents(app), contents(app, "superseded"), count_waiting(app)) == ([], [FIRST], 0)
    assert app.do("review_candidate", candidate_id=first["id"], decision="accept", caller=BEN)["ok"]
    assert len(contents(app, "accepted")) == 2


def test_what_was_accepted_is_not_closed(app: ProjectApp) -> None:
    say(app, FIRST)
    (first,) = list_candidates(app)
    app.do("review_candidate", candidate_id=first["id"], decision="accept")
    say(app, THEN)
    assert (contents(app), contents(app, "accepted"), contents(app, "superseded")) == ([THEN], [FIRST], [])


def accept(app: ProjectApp, candidate: Json) -> str:
    app.wait(minutes=1)
    return app.do("review_candidate", candidate_id=candidate["id"], decision="accept")["memory_id"]


def test_a_correction_of_what_was_accepted_names_its_memory_and_supersedes_it_once_accepted(app: ProjectApp) -> None:
    say(app, FIRST)
    pinned = accept(app, list_candidates(app)[0])
    say(app, "We decided to paint the shed door green.")
    say(app, THEN)
    then, other = list_candidates(app)
    assert (then["replaces"], other.get("replaces")) == ([pinned], None)
    assert app.do("get_memory", memory_id=pinned)["memory"].get("superseded_by") is None
    by = accept(app, then)
    assert app.do("get_memory", memory_id=pinned)["memory"]["superseded_by"] == by
    say(app, LAST)
    (last,) = [one for one in list_candidates(app) if one["content"] == LAST]
    assert accept(app, last) == app.do("get_memory", memory_id=by)["memory"]["superseded_by"]


def test_a_rejected_correction_leaves_the_pinned_memory(app: ProjectApp) -> None:
    say(app, FIRST)
    pinned = accept(app, list_candidates(app)[0])
    say(app, THEN)
    (then,) = list_candidates(app)
    app.do("review_candidate", candidate_id=then["id"], decision="reject")
    assert app.do("get_memory", memory_id=pinned)["memory"].get("superseded_by") is None


def test_an_agents_reply_that_rejects_what_was_accepted_names_its_memory(app: ProjectApp) -> None:
    say(app, BOOKED)
    pinned = accept(app, list_candidates(app)[0])
    say(app, OTHER)
    assert "replaces" not in list_candidates(app)[0]
    record(app, "Adler is out then.", role="assistant")
    app.react()
    assert (list_candidates(app)[0]["replaces"], contents(app, "accepted")) == ([pinned], [BOOKED])


def test_a_memory_that_was_forgotten_meanwhile_stays_forgotten(app: ProjectApp) -> None:
    say(app, FIRST)
    pinned = accept(app, list_candidates(app)[0])
    say(app, THEN)
    app.do("forget_memory", memory_id=pinned)
    accept(app, list_candidates(app)[0])
    assert len(app.events("memory_superseded")) == 0


def test_the_same_words_again_decide_anew(app: ProjectApp) -> None:
    for text in (FIRST, THEN, FIRST):
        say(app, text)
    assert FIRST in contents(app)
    assert contents(app, "superseded") == [FIRST]


def test_an_event_that_comes_again_changes_nothing(app: ProjectApp) -> None:
    say(app, FIRST)
    correction = say(app, THEN)
    assert [list(propose(event, app.services)) for event in app.events("turn_recorded")] == [[], []]
    forget(app, correction)
    app.react()
    (event,) = app.events("memory_forgotten")
    assert list(follow_turn(event, app.services)) == []
    assert contents(app) == [FIRST]


def test_who_accepts_it_meanwhile_comes_first(app: ProjectApp) -> None:
    say(app, FIRST)
    (first,) = list_candidates(app)
    app.wait(minutes=1)
    record(app, THEN)
    changes = propose(app.events("turn_recorded")[-1], app.services)
    app.do("review_candidate", candidate_id=first["id"], decision="accept", caller=BEN)
    with pytest.raises(ConditionFailed):
        app.store.write(changes)
    app.react()
    assert (contents(app), contents(app, "accepted")) == ([THEN], [FIRST])


def test_one_that_is_closed_during_a_review_is_decided_all_the_same(app: ProjectApp) -> None:
    say(app, FIRST)
    (first,) = list_candidates(app)
    project = project_interrupted_by(app, lambda: say(app, THEN))
    assert decide(project, first["id"], "rejected").was_first
    stored = project_of(app).rows(CANDIDATES).get(first["id"])
    assert stored is not None
    assert (stored.status, count_waiting(app)) == ("rejected", 1)
