"""Test that turns are found which later turns take back."""

from almanac.families.memory.candidates.current_statements import talk_of
from almanac.families.memory.candidates.later_words import Changes, find_replacing_turns
from almanac.families.memory.core.records import Role, Turn

IDLE = ["The heron sat on the mast.", "Two fenders are missing.", "Ropes were washed.", "The kettle leaks."]


def replacing_ids(*lines: str) -> dict[str, str]:
    turns: list[Turn] = []
    for at, line in enumerate([*lines, *(f"user: {one}" for one in IDLE)]):
        role, content = line.split(": ", 1)
        speaking_role: Role = "tool" if role == "tool" else "user"
        turns.append(Turn(id=f"t{at}", content=content, role=speaking_role, at=at, recorded_at=at, actor="a"))
    return {old: new.id for old, new in find_replacing_turns(turns[::-1]).items()}


def test_a_correction_replaces_what_it_names() -> None:
    assert replacing_ids("user: the hull gets varnish then", "user: no varnish after all, take teak oil instead") == {
        "t0": "t1"
    }


def test_the_latest_of_several_corrections_replaces() -> None:
    lines = (
        "user: the hull gets varnish then",
        "user: no varnish after all, take teak oil instead",
        "user: no oil and no varnish either, we paint it instead",
    )
    assert replacing_ids(*lines) == {"t0": "t2", "t1": "t2"}


def test_other_subjects_questions_and_output_of_tools_replace_nothing() -> None:
    decided = "user: the hull gets varnish then"
    assert replacing_ids(decided, "user: no sails today, take the engine instead") == {}
    assert replacing_ids(decided, "user: should we take teak oil instead of varnish?") == {}
    assert replacing_ids(decided, "tool: varnish not found, use teak oil instead") == {}


def test_an_earlier_correction_does_not_replace() -> None:
    assert "t1" not in replacing_ids(
        "user: no varnish after all, take oil instead", "user: we use varnish for the hull"
    )


def later_texts(*talk_lines: str) -> list[str]:
    """Return the texts that replace the first of the lines, in a talk of idle lines and these, one a minute."""
    changes = changes_of(*talk_lines)
    return [changes.text_of(one) for one in changes.after(f"t{len(IDLE)}")]


def changes_of(*talk_lines: str) -> Changes:
    lines = [*(f"user: {one}" for one in IDLE), *talk_lines]
    turns: list[Turn] = []
    for place, line in enumerate(lines):
        role, content = line.split(": ", 1)
        speaking_role: Role = "user" if role == "user" else "assistant"
        turns.append(
            Turn(
                id=f"t{place}",
                content=content,
                role=speaking_role,
                at=place * 60_000,
                recorded_at=0,
                actor="a",
                session="s",
            )
        )
    return Changes(turns, talk_of(turns))


def test_a_later_choice_of_the_talk_replaces_an_idea_that_it_names() -> None:
    assert later_texts(
        "user: Bergen with the choir, four days",
        "assistant: I look for a boat.",
        "user: Ida says Turku is calmer than Bergen. ok let's do Turku",
    ) == ["Ida says Turku is calmer than Bergen. ok let's do Turku"]


def test_a_short_choice_replaces_what_the_words_before_it_reject() -> None:
    assert later_texts(
        "user: she wants the copper lamp",
        "assistant: The copper lamp is sold out; brass and tin are in stock.",
        "user: asking her",
        "user: brass it is",
    )[-1].startswith("brass it is")


def test_consent_is_told_with_the_proposal_that_replaces() -> None:
    told = later_texts(
        "user: reminders: the pager, we own one",
        "user: the pager costs too much. letters instead, ok?",
        "assistant: Letters take a day. Is it Mo's call?",
        "user: he agreed. do it",
    )
    assert any("letters instead" in one for one in told)


def test_what_was_chosen_in_its_place_may_be_replaced_too() -> None:
    told = later_texts(
        "user: let's take the walnut table then",
        "assistant: Noted.",
        "user: no walnut after all, we take the maple one",
        "assistant: The maple one, noted.",
        "user: maple is too soft, make it ash instead",
    )
    assert told[-1] == "maple is too soft, make it ash instead"


def test_a_choice_about_something_else_replaces_nothing() -> None:
    said = ("user: let's take the walnut table then", "assistant: Noted.")
    assert later_texts(*said, "user: no sails today, take the engine instead") == []
    assert later_texts(*said, "user: hm wait, how old is the engine?") == []


def test_a_change_that_names_the_old_value_with_its_number_replaces_it() -> None:
    said = ("user: smallest width is 90, fewer gates", "assistant: Noted.")
    change = "user: hey who set width 90? half of the older guests use wheelchairs. make it 110"
    assert later_texts(*said, change) == [change.removeprefix("user: ")]


def test_a_refusal_takes_back_what_the_turns_before_it_name() -> None:
    told = later_texts(
        "user: a present for Mo, I'm thinking of skates",
        "user: the skates from the harbour shop?",
        "assistant: 1) blue ones 2) red ones",
        "user: wait no. he owns a pair already. a drum",
    )
    assert told == ["wait no. he owns a pair already. a drum"]


def test_a_detail_of_a_choice_does_not_replace_it() -> None:
    told = later_texts(
        "user: no, a drum for Mo instead", "assistant: Ok, a drum instead. Small or large?", "user: small I think"
    )
    assert told == []


def test_a_refusal_behind_a_question_replaces_what_the_question_names() -> None:
    assert later_texts(
        "user: I decide that: varnish for the hull, everybody knows it",
        "assistant: Buying two tins.",
        "user: who decided on varnish?? no. the hull is mine: teak oil. send it back",
    ) == ["who decided on varnish?? no. the hull is mine: teak oil. send it back"]


WORKS = "Works:\n- hull: varnish by Ann\n- mast: cedar\n- galley: gas stove\n- sails: Harken\n- keel: "


def test_a_refusal_behind_a_list_takes_back_only_what_it_names() -> None:
    said = (
        "user: the galley gets a gas stove from Veld",
        *(f"user: {one}" for one in IDLE),
        f"assistant: {WORKS}paint",
    )
    assert later_texts(*said, "user: wait, that is too late for the keel, we sand it in May") == []


def test_a_list_replaces_only_what_its_corrections_name() -> None:
    report = f"{WORKS}no paint, oil instead"
    assert later_texts("user: the galley gets a gas stove from Veld", f"user: {report}") == []
    assert later_texts("user: the keel gets red paint", f"user: {report}") == [report]


def test_a_list_that_search_finds_replaces_only_what_its_corrections_name() -> None:
    report = f"user: {WORKS}no paint, we decided to oil it instead"
    assert replacing_ids("user: the galley gets a gas stove", report) == {}
    assert replacing_ids("user: the keel gets red paint", report) == {"t0": "t1"}


def test_a_no_behind_a_question_takes_back_nothing_before_it() -> None:
    said = (
        "user: the sails come from Harken, in May",
        "assistant: Do we need a new mast as well?",
        "user: no. cedar lasts",
    )
    assert later_texts(*said) == []


def test_a_refusal_that_ends_a_turn_replaces_nothing() -> None:
    assert (
        later_texts("user: varnish for the hull, everybody knows it", "user: varnish on Saturday then? no, wait") == []
    )


def test_another_number_of_the_same_things_replaces_the_first() -> None:
    first = "user: we order 40 lanterns"
    assert later_texts(first, "user: ok then 25 lanterns. 20 for the pier, five to spare") == [
        "ok then 25 lanterns. 20 for the pier, five to spare"
    ]
    assert later_texts(first, "user: ok then 25 buoys. 20 for the pier") == []
    assert later_texts(first, "assistant: 25 lanterns cost less, by the way.") == []
    assert later_texts("user: we wait 40 minutes at the lock", "user: ok then lunch, 25 minutes. no more") == []


def test_a_value_that_a_terse_choice_puts_out_is_replaced() -> None:
    kept = "user: logbook entries: papyrus, used it on my last boat"
    offer = "assistant: Either that or parchment, which is maintained."
    told = "parchment then, papyrus out. it rots (Either that or parchment, which is maintained)"
    assert later_texts(kept, offer, "user: parchment then, papyrus out. it rots") == [told]
    walls = "user: cabin walls in bottle green, like a dentist"
    assert later_texts(walls, "user: green's dead. it goes black at night. tobacco brown, two coats")


def test_a_terse_choice_comes_with_the_reply_that_names_its_subject() -> None:
    told = later_texts(
        "user: regatta party at the Crag Shed on the 28th",
        "assistant: Noted.",
        "user: no Crag Shed, the first then",
        "assistant: Booked: bowling at the Tenpin for the regatta party.",
    )
    assert told[-1] == "Booked: bowling at the Tenpin for the regatta party."


def test_an_agent_that_reports_a_change_replaces_its_earlier_report() -> None:
    told = later_texts(
        "assistant: Booked: 22 December, berth 3, seats with a table, code HJ7K2P.",
        "user: I work until 3 that day, so back to the later one, sorry.",
        "assistant: I changed it back: 22 December, berth 7, seats without a table, new code WB2N6C.",
    )
    assert told[-1].endswith("new code WB2N6C.")


def test_of_a_table_only_what_replaced_the_quoted_row_counts() -> None:
    table = """| Mast review | Tanya | 4 May | on track |
| Contract for the sails | Olu | 30 May | draft done |
| Furniture of the cabin | Nordesk | 15 June | late |
| Quotes for ropes, chains and anchors | Ines | 27 May | two firms asked |
| Paint for keel, deck and galley | Rui | 1 June | ordered |"""
    turns = [
        Turn(id=f"t{at}", content=content, role="user", at=at * 60_000, recorded_at=0, actor="a", session="s")
        for at, content in enumerate([*IDLE, table, "no Nordesk furniture after all, we take Altamira instead"])
    ]
    changes = Changes(turns, talk_of(turns))
    assert changes.after("t4", "| Mast review | Tanya | 4 May | on track |") == []
    assert changes.after("t4", "| Furniture of the cabin | Nordesk | 15 June | late |") == [turns[-1]]
    assert find_replacing_turns(turns[::-1]) == {}


def test_a_task_comes_with_the_report_that_it_is_done() -> None:
    task, report = (
        "TODO: somebody has to draw the rigging plan for the harbour office",
        "the rigging plan for the harbour office is done, handed in",
    )
    idle = [f"{'user' if at % 2 else 'assistant'}: {one}" for at, one in enumerate(IDLE * 3)]
    changes = changes_of(f"user: {task}", "assistant: On the list.", *idle, f"user: {report}", "assistant: Ticked off.")
    assert changes.overtaking(f"t{len(IDLE)}")[0].content == report
    assert changes.overtaking(f"t{len(IDLE)}", "somebody has to draw it")[0].content == report
    assert changes.overtaking("t0") == changes.overtaking("unknown") == []
