"""Test which statements of a talk still hold at its end."""

import pytest
from msgspec import structs

from almanac.families.memory.candidates.current_statements import (
    CurrentStatement,
    is_worth_showing,
    talk_of,
)
from almanac.families.memory.core.records import Role, Turn


def make_turns(*lines: str) -> list[Turn]:
    """Return turns of one session. Each line is "user: text" or "assistant: text"."""
    turns: list[Turn] = []
    for at, line in enumerate(lines):
        role, content = line.split(": ", 1)
        speaking_role: Role = "user" if role == "user" else "assistant"
        turns.append(
            Turn(id=f"t{at}", content=content, role=speaking_role, at=at, recorded_at=at, actor="a", session="s")
        )
    return turns


def current_in(turns: list[Turn]) -> list[CurrentStatement]:
    """Return the statements that still hold and that a snapshot may show, in the order of time."""
    return [one for one in talk_of(turns).current if is_worth_showing(one)]


def current_texts(*lines: str) -> list[str]:
    return [one.text for one in current_in(make_turns(*lines))]


def kinds(*lines: str) -> dict[str, str]:
    statements: list[CurrentStatement] = current_in(make_turns(*lines))
    return {one.text: one.kind for one in statements}


def test_a_later_decision_about_the_same_replaces_the_earlier() -> None:
    lines = current_texts(
        "user: We decided to paint the boat blue.",
        "assistant: Good.",
        "user: We decided to store the sails in the barn.",
        "user: No, the boat gets red paint instead of blue.",
    )
    assert not any("paint the boat blue" in one for one in lines)
    assert any("red paint" in one for one in lines)
    assert any("sails in the barn" in one for one in lines)


BOOKED = "We decided to book the Hotel Adler for the choir."
OTHER = "I've decided to let the choir sleep at my sister's."


def test_an_agents_reply_says_by_name_what_no_longer_holds() -> None:
    assert current_texts(f"user: {BOOKED}", f"user: {OTHER}", "assistant: Adler is out then, I write to her.") == [
        OTHER
    ]
    talk = talk_of(make_turns(f"user: {BOOKED}", f"user: {OTHER}", "assistant: Adler is out then, I write to her."))
    assert [(talk.statements[old].text, talk.statements[new].text) for old, new in talk.replaced.items()] == [
        (BOOKED, OTHER)
    ]


@pytest.mark.parametrize(
    "reply",
    ["assistant: Is the Adler out then?", "assistant: Fine, at your sister's.", "user: Adler is out, or is it?"],
)
def test_a_reply_that_rejects_nothing_leaves_both(reply: str) -> None:
    assert {BOOKED, OTHER} <= {*current_texts(f"user: {BOOKED}", f"user: {OTHER}", reply)}


def test_the_reply_of_another_session_rejects_nothing() -> None:
    turns = make_turns(f"user: {BOOKED}", f"user: {OTHER}", "assistant: Adler is out then, I write to her.")
    turns[2] = structs.replace(turns[2], session="s2")
    assert {BOOKED, OTHER} <= {one.text for one in current_in(turns)}


def test_a_decision_is_taken_back_by_the_next_whatever_it_names() -> None:
    assert current_texts("user: ok postgres it is then", "assistant: Fine.", "user: no, mysql after all") == [
        "no, mysql after all"
    ]
    assert current_texts("user: We decided on oak doors.", "user: wait, we decided on glass ones") == [
        "wait, we decided on glass ones"
    ]


def test_an_answer_to_a_question_takes_no_decision_back() -> None:
    lines = current_texts(
        "user: ok postgres it is then", "assistant: Do you want an ORM?", "user: no, plain sql after all"
    )
    assert "ok postgres it is then" in lines


def test_a_decision_of_earlier_turns_or_of_another_session_is_not_taken_back() -> None:
    small_talk = ["assistant: Fine.", "user: thanks", "assistant: You are welcome."]
    assert "ok postgres it is then" in current_texts(
        "user: ok postgres it is then", *small_talk, "user: no, mysql after all"
    )
    first, second = make_turns("user: ok postgres it is then", "user: no, mysql after all")
    second = structs.replace(second, session="another")
    assert len(current_in([first, second])) == 2


def test_a_name_with_a_sign_or_a_digit_is_what_a_decision_is_about() -> None:
    lines = current_texts(
        "user: We decided to build the site with next.js.",
        "user: We decided to keep the photos on s3.",
        "user: No, we decided on Astro instead of next.js.",
    )
    assert not any("build the site" in one for one in lines)
    assert any("photos on s3" in one for one in lines)


def test_words_that_name_nothing_make_no_two_statements_about_the_same() -> None:
    lines = current_texts(
        "user: The deadline of the harbour permit is March 14, so please come early.",
        "user: Not at nine, the plumber comes at ten on March 3.",
    )
    assert any("harbour permit" in one for one in lines)


def test_a_task_is_told_until_somebody_did_it() -> None:
    open_task = "user: TODO: order new ropes for the mast"
    assert any("ropes" in one for one in current_texts(open_task, "assistant: Noted."))
    closed = kinds(open_task, "assistant: I ordered the new ropes for the mast, done.")
    assert "task" not in [kind for text, kind in closed.items() if "ropes" in text]


@pytest.mark.parametrize(
    ("task", "report"),
    [
        pytest.param(
            "TODO: a runbook for the boiler, Ines is new",
            "assistant: The runbook is in docs/runbook.md: signs, causes, phones.",
            id="a path",
        ),
        pytest.param(
            "todo: the old favourites must survive, we need a migration",
            "assistant: The favourites migration is in: 7 of 7 came over.",
            id="is in",
        ),
        pytest.param("TODO calibration weights, two of ten kilos", "user: the weights came, finally", id="came"),
    ],
)
def test_a_short_report_that_something_is_in_or_has_come_closes_its_task(task: str, report: str) -> None:
    assert "task" in kinds(f"user: {task}").values()
    assert "task" not in kinds(f"user: {task}", "assistant: Ok.", report).values()


@pytest.mark.parametrize(
    "reply", ["Noted: two ten-kilo weights, class M1.", "Added: calibration weights, two of ten kilos."]
)
def test_a_reply_that_takes_note_of_a_task_leaves_it_open(reply: str) -> None:
    assert (
        "task" in kinds("user: TODO calibration weights, two of ten kilos, class M1.", f"assistant: {reply}").values()
    )


def test_only_the_last_list_of_open_tasks_is_told() -> None:
    lines = current_texts(
        "user: what is left?",
        "assistant: Open: sand the deck, call the insurance.",
        "user: the insurance is done, I rang them",
        "assistant: Open: sand the deck.",
    )
    assert not any("call the insurance" in one for one in lines)
    assert any(one == "Open: sand the deck." for one in lines)


def test_a_list_of_open_tasks_is_told_with_its_items() -> None:
    lines = current_texts(
        "assistant: The deck is sanded.\n\nNot done:\n- call the insurance\n- order ropes\n\nSee you at noon."
    )
    assert "Not done: call the insurance; order ropes" in lines


def test_an_answer_is_told_with_the_option_that_it_takes() -> None:
    lines = current_texts(
        "user: which engine?",
        "assistant: Three offers: 1. Volvo used, 4200 euros 2. Yanmar, 6100 euros 3. Electric, 9000 euros",
        "user: The second one.",
    )
    assert any("Yanmar, 6100 euros" in one for one in lines)


def test_items_of_a_list_are_told_one_by_one_and_its_heading_is_not() -> None:
    lines = current_texts(
        "user: Please note the rules of the harbour:"
        "\n- Never refuel with passengers on board\n- We always log the hours\n- oak"
    )
    assert {"Never refuel with passengers on board", "We always log the hours"} <= {*lines}
    assert not any(":" in one or "hours oak" in one for one in lines)


def test_questions_small_talk_and_suppositions_are_not_told() -> None:
    assert (
        current_texts("user: Should we sell it?", "user: thanks!", "user: If we had time we could sail to Denmark.")
        == []
    )


def test_the_same_words_are_told_once_and_tools_are_not_told() -> None:
    lines = current_texts("user: We always log the engine hours.", "user: We always log the engine hours.")
    assert len(lines) == 1
    printed = Turn(id="t", content="We always log the hours.", role="tool", at=1, recorded_at=1, actor="a")
    assert current_in([printed]) == []


def test_a_long_talk_is_read_from_its_end() -> None:
    lines = current_texts(
        "user: We never refuel at night.", *["assistant: " + "x " * 4000] * 10, "user: We always log the hours."
    )
    assert lines == ["We always log the hours."]


def test_a_turn_that_was_written_anew_is_read_anew() -> None:
    assert current_texts("user: We decided to paint the boat blue.") == current_texts(
        "user: We decided to paint the boat blue."
    )
    assert not any("blue" in one for one in current_texts("user: We decided to paint the boat green."))


def test_what_a_turn_tells_with_more_words_is_told_once() -> None:
    lines = current_texts("user: also: the cat needs a bed in the loft. TODO")
    assert len([one for one in lines if "bed in the loft" in one]) == 1


@pytest.mark.parametrize(
    "lines",
    [
        ("user: harbour man paid up, the 95 is on our account", "assistant: Ticked off."),
        ("user: ah, marek says the harbour money is changed hands", "assistant: Crossed off, thanks."),
        ("assistant: The harbour money is collected: 95 pounds.", "user: nice"),
    ],
)
def test_a_task_ends_with_the_report_that_the_agent_ticks_off(lines: tuple[str, ...]) -> None:
    task = "user: TODO get the 95 pounds harbour money back"
    other = "user: TODO paint the tender before May"
    told = current_texts(task, "assistant: Noted.", other, "assistant: Noted.", *lines)
    assert [one for one in told if one.startswith("TODO")] == [other.removeprefix("user: ")]


def test_a_tick_that_may_mean_two_tasks_ends_neither() -> None:
    told = current_texts(
        "user: TODO ask the harbour office for the key of the crane",
        "assistant: Noted.",
        "user: TODO pay the harbour office for the winter berth",
        "assistant: Noted.",
        "user: harbour office was closed, I had a fish roll",
        "assistant: Ticked off your lunch.",
    )
    assert len([one for one in told if "TODO" in one]) == 2
