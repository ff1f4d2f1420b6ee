"""Test which statements and remarks a snapshot shows, and in which order."""

import pytest

from almanac.families.memory.candidates.current_statements import CurrentStatement, talk_of
from almanac.families.memory.candidates.overtaken import LaterTurns
from almanac.families.memory.core.records import Role, Turn
from almanac.families.memory.snapshot import ranking
from almanac.families.memory.snapshot.ranking import current_statements_in, ranked_statements, remarks_in

MINUTE = 60_000


def make_turns(*lines: tuple[Role, str]) -> list[Turn]:
    """Turns of one session, one a minute, each from its role and its text."""
    return [
        Turn(
            id=f"turn{place:022d}",
            content=text,
            at=place * MINUTE,
            recorded_at=place * MINUTE,
            actor="ann",
            session="s1",
            role=role,
            position=place,
        )
        for place, (role, text) in enumerate(lines)
    ]


def remarks(*lines: tuple[Role, str]) -> list[str]:
    turns = make_turns(*lines)
    return [one.text for one in remarks_in(turns, talk_of(turns))]


def current_statements(*lines: tuple[Role, str]) -> list[str]:
    return [one.text for one in current_statements_in(talk_of(make_turns(*lines)), lambda _: False)]


def test_an_order_in_few_words_is_told_where_the_agent_repeats_it() -> None:
    assert "tiles 64 points wide, and when it waits too long look one tile over" in remarks(
        ("user", "tiles 64 points wide, and when it waits too long look one tile over"),
        ("assistant", "Tiles of 64 points, widening after a wait. Writing it."),
    )


def test_what_nobody_confirms_is_not_told() -> None:
    assert not remarks(
        ("user", "hm my hands are frozen, coffee"),
        ("assistant", "Enjoy!"),
        ("user", "did you see that other studio that got hacked, insane"),
        ("assistant", "I did not, sounds bad."),
    )


def test_a_passage_that_no_summary_would_take_comes_after_those_that_one_takes() -> None:
    unsure, sure = (
        "they painted shed 4 last year, I think",
        "tiles 64 points wide, and when it waits too long look one tile over",
    )
    idle: list[tuple[Role, str]] = [("user", "hm"), ("assistant", "Mm.")]
    found = remarks(
        *idle * 4,
        ("user", unsure),
        ("assistant", "Nice."),
        ("user", sure),
        ("assistant", "Tiles of 64 points, widening after a wait. Writing it."),
    )
    assert found.index(sure) < found.index(unsure)


def test_a_remark_about_what_was_replaced_is_not_told() -> None:
    told = remarks(
        ("user", "replays: keep them 14 days then delete"),
        ("assistant", "I'll add a job that deletes replays after 14 days."),
        ("tool", "Wrote internal/jobs/replays.go (41 lines)"),
        ("assistant", "internal/jobs/replays.go deletes replays after 14 days, at 04:00 UTC every night."),
        ("user", "14 days for replays is too short, streamers cut their videos after a month. make it 45"),
        ("assistant", "45 days. That's about 30 GB more."),
    )
    assert not [one for one in told if "14 days" in one]


def test_where_one_word_alone_says_that_a_decision_is_replaced_both_are_told() -> None:
    told = current_statements(
        ("user", "svelte kit then, prerendered"),
        ("assistant", "Moving to Svelte Kit."),
        ("user", "we go with svelte charts instead"),
    )
    assert [one for one in told if "instead" in one and "(earlier: svelte kit then, prerendered)" in one]


def test_an_earlier_statement_that_is_hidden_stays_so() -> None:
    turns = make_turns(
        ("user", "svelte kit then, prerendered"),
        ("assistant", "Moving to Svelte Kit."),
        ("user", "we go with svelte charts instead"),
    )
    told = current_statements_in(talk_of(turns), lambda one: "kit" in one.text)
    assert [one.text for one in told] == ["we go with svelte charts instead"]


def test_where_the_word_is_rejected_the_earlier_decision_goes() -> None:
    told = current_statements(
        ("user", "ok then Rabbit Queue, we had it in the last shop"),
        ("assistant", "Ok."),
        ("user", "agreed, Kafka instead of Rabbit"),
    )
    assert told == ["agreed, Kafka instead of Rabbit"]


def ranked(*lines: tuple[Role, str]) -> list[str]:
    return [one.text for one in ranked_statements(make_turns(*lines), lambda _: False)]


IDLE: tuple[tuple[Role, str], ...] = (
    ("user", "hm"),
    ("assistant", "Mm."),
    ("user", "rain again"),
    ("assistant", "Yes."),
)


def test_what_the_agent_took_up_stands_above_a_request_of_the_moment() -> None:
    rule, request = "never email the harbour master without asking me", "describe me the first one"
    told = ranked(
        ("user", rule),
        ("assistant", "No mail to the harbour master before I ask you."),
        *IDLE,
        ("user", request),
        ("assistant", "A sloop from 1978, with two cabins."),
    )
    assert rule in told
    assert request not in told[: told.index(rule)]


def test_a_date_that_a_later_one_overtakes_in_other_words_comes_behind_it() -> None:
    first, later = (
        "launch of the sloop is on Thursday at 14:00",
        "Moved: the launch of the sloop is on Monday, March 9 at 14:00.",
    )
    told = ranked(
        ("user", first),
        ("assistant", "The launch of the sloop: Thursday at 14:00."),
        *IDLE * 3,
        ("user", "new try monday the 9th, same hour"),
        ("assistant", later),
        *IDLE,
        ("user", "mooring fees are paid by the club, always"),
        ("assistant", "The club pays the mooring fees."),
    )
    days = [day for one in told for day in ("Thursday", "March 9") if day in one]
    assert days[0] == "March 9"


def test_an_agent_that_only_repeats_what_was_said_is_not_told_beside_it() -> None:
    told = ranked(
        ("user", "the club always pays the mooring fees of the sloop"),
        ("assistant", "The club always pays the mooring fees of the sloop."),
        *IDLE,
        ("user", "the club never pays the diver"),
        ("assistant", "The club never pays the diver; Marta Lund does."),
    )
    assert len([one for one in told if "mooring" in one]) == 1
    assert [one for one in told if "Marta Lund" in one]


def test_lines_of_neighbouring_turns_belong_together_and_overtake_nothing() -> None:
    lines: list[tuple[Role, str]] = [
        ("user", "We decided that the launch of the sloop is on Thursday at 14:00"),
        ("user", "Change of plan: the launch of the sloop is on Monday at 9:00"),
    ]

    def share_after(between: tuple[tuple[Role, str], ...]) -> float:
        turns = make_turns(lines[0], *between, lines[1])
        said = (turns[0], turns[-1])
        told = [CurrentStatement("decision", one.content, one.id, one.at, None, "user", "s1") for one in said]
        return LaterTurns(turns, told).share_of(said[0].content, said[0].id)

    assert share_after(IDLE[:1]) == 0.0
    assert share_after(IDLE * 3) > 0.1


def test_the_question_that_a_person_answers_says_what_the_answer_is_about_and_a_remark_before_it_does_not() -> None:
    def share_after(words_of_agent: str) -> float:
        said: list[tuple[Role, str]] = [("user", "the ferry to Brevik leaves at 14:00")]
        answer: list[tuple[Role, str]] = [("assistant", words_of_agent), ("user", "at 16:30")]
        turns = make_turns(*said, *IDLE * 3, *answer)
        told = [
            CurrentStatement("decision", one.content, one.id, one.at, None, "user", "s1")
            for one in (turns[0], turns[-1])
        ]
        return LaterTurns(turns, told).share_of(turns[0].content, turns[0].id)

    asked, remarked = share_after("When does the ferry to Brevik leave?"), share_after("The ferry to Brevik leaves.")

    assert remarked < 0.5 * asked


def test_an_empty_talk_has_no_lines() -> None:
    assert not ranked()


def test_only_the_best_lines_are_compared_and_the_others_come_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    def list_compared(_self: LaterTurns, text: str, _turn: str) -> float:
        compared.append(text)
        return 0.0

    compared: list[str] = []
    monkeypatch.setattr(LaterTurns, "share_of", list_compared)
    monkeypatch.setattr(ranking, "_MOST_COMPARED", 3)
    said = (
        "Never paint the harbor wall green.",
        "We always lock the archive at night.",
        "Nobody may feed the pigeons indoors.",
        "All invoices must be signed twice.",
        "We never deploy without a backup.",
    )
    rules: list[tuple[Role, str]] = [("user", one) for one in said]
    turns = make_turns(*rules)

    ranked = ranked_statements(turns, lambda _: False)

    assert len(compared) == 3
    assert sorted(one.text for one in ranked) == sorted(said)
    assert "harbor" in ranked[-1].text
