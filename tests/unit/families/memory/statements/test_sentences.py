"""Splitting of texts into sentences."""

import pytest

from almanac.families.memory.statements.sentences import (
    PART_CHARACTERS,
    every_sentence,
    is_question,
    is_quoted,
    join_sentences,
    on_one_line,
    sentences_of,
)
from tests.cpu_time import takes_under


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("It is e.g. here. Dr. Smith said so.", ["It is e.g. here.", "Dr. Smith said so."]),
        ("We met at 5 p.m. in Berlin. Then we left.", ["We met at 5 p.m. in Berlin.", "Then we left."]),
        ("J. K. Rowling wrote it.", ["J. K. Rowling wrote it."]),
        ("oak is nicer. and cheaper. ok let's take oak", ["oak is nicer.", "and cheaper.", "ok let's take oak"]),
        ("It weighs approx. ten kilos incl. the lid.", ["It weighs approx. ten kilos incl. the lid."]),
        ("wait no. he has one. Gate No. 5 then.", ["wait no.", "he has one.", "Gate No. 5 then."]),
        ("See src/app.py and v1.2.3 of it. Done.", ["See src/app.py and v1.2.3 of it.", "Done."]),
        ("Er sagte z.B. nichts. Und ging.", ["Er sagte z.B. nichts.", "Und ging."]),
        ('He said "no." She left.', ['He said "no."', "She left."]),
        ("Wait... what? Yes.", ["Wait...", "what?", "Yes."]),
        ("会议改到周三。地点不变\uff01可以吗\uff1f", ["会议改到周三。", "地点不变\uff01", "可以吗\uff1f"]),
        ("A line\nthat goes on\nand on.\nAnother", ["A line that goes on and on.", "Another"]),
        ("# Title\n- first item\n- [x] second\n2. third", ["Title: first item", "Done: second", "Title: third"]),
        ("Before\n```py\nx = 1. Then.\n```\nafter", ["Before", "after"]),
        ("Before\n```\nnever closed", ["Before"]),
        ("> quoted. Twice.\nmine", ["mine"]),
        ("It fails:\nTraceback (most recent call last):\nfoo(bar); baz{}\nWhy?", ["It fails:", "Why?"]),
        (
            "Status:\n\n| Item | Owner | Due |\n|---|:-:|---|\n| Lease | Ann | 4 May |\n| Sails | - | |\nFine.",
            ["Status:", "Lease: Owner Ann, Due 4 May", "Sails", "Fine."],
        ),
        ("| mast | 12 m |\n| keel | lead |", ["mast: 12 m", "keel: lead"]),
        ("either | or", ["either | or"]),
        ("# Orchard", ["Orchard"]),
        (
            "## Decisions\n- prune in March\n- no ladders\n\nBye",
            ["Decision: prune in March", "Decision: no ladders", "Bye"],
        ),
        ("**Not done**\n- [ ] the fence\n- the gate", ["Open: the fence", "Not done: the gate"]),
        (
            "## Visit (row 4)\nTwo trees are **sick**. We cut them.",
            ["Visit (row 4): Two trees are sick.", "We cut them."],
        ),
        (
            "All good. Rules for the barn:\n1. no fire\n2. shut the door\nThanks",
            [
                "All good.",
                "Rules for the barn:",
                "no fire",
                "shut the door",
                "Thanks",
            ],
        ),
        ("Ground rules:\n1. no fire\n2. shut the door", ["Rule: no fire", "Rule: shut the door"]),
        ("## Here are the tools\n- a rake", ["a rake"]),
        (
            "Plan: dig.\n- first the well\nthat lies behind the barn",
            ["Plan: dig.", "first the well that lies behind the barn"],
        ),
        (
            "| Row | Tree | Due |\n|---|---|---|\n| 4 | plum | 9 May |\n| 5 | - | 11 May |",
            [
                "4: Tree plum, Due 9 May",
                "5: Due 11 May",
            ],
        ),
        ("| 4 | plum |\n| 5 | pear |", ["4: plum", "5: pear"]),
        ("", []),
        (" \n\t\n ", []),
        ("...", ["..."]),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("The oars\nare wet.\nDry them", "The oars are wet. Dry them"),
        ("Works:\n- [x] hull\n- [ ] mast\n1. oars", "Works: (done) hull; (open) mast; oars"),
        ("| mast | 12 m |\n| keel | lead |", "mast: 12 m; keel: lead"),
        ("## Plan\n```py\nx = [1]\n```\nThen paint.", "Plan; Then paint."),
        ("```\nx = 1\n```", "``` x = 1 ```"),
        ("", ""),
    ],
)
def test_a_text_is_quoted_on_one_line_without_code(text: str, line: str) -> None:
    assert on_one_line(text) == line


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (
            "Ada from the mill writes:\n> Flour is late. Sorry.\n> Regards, Ada\nso we wait",
            [
                "Ada from the mill writes: “Flour is late.”",
                "Ada from the mill writes: “Sorry.”",
                "so we wait",
            ],
        ),
        (
            "On Mon, 3 May 2027 at 10:11, Ada Hill <ada@mill.test> wrote:\n> Flour must be paid in advance.",
            [
                "Ada Hill wrote: “Flour must be paid in advance.”",
            ],
        ),
        (
            "fyi\n\nFrom: Ada Hill <ada@mill.test>\nTo: Ben\nSubject: flour\n\nFlour is late.\n\nBest regards\nAda",
            [
                "fyi",
                "Ada Hill wrote: “Flour is late.”",
            ],
        ),
        ('note on the door:\n"Closed until Monday"', ["note on the door: “Closed until Monday”"]),
        ("Date: 3 May\nPlace: the mill", ["Date: 3 May", "Place: the mill"]),
        ("From: the mill\nWe need flour", ["From: the mill", "We need flour"]),
    ],
)
def test_quoted_words_keep_the_name_of_their_writer(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences
    assert all(is_quoted(one) == ("“" in one) for one in sentences)


@pytest.mark.parametrize(
    ("sentences", "text"),
    [
        ([], ""),
        (["We dig.", "Then we rest."], "We dig. Then we rest."),
        (["the well", "the fence"], "the well; the fence"),
        (["Open: the well", "Open: the fence", "Bye."], "Open: the well; the fence; Bye."),
        (["Ada wrote: “Late.”", "Ada wrote: “Sorry”"], "Ada wrote: “Late.” “Sorry”"),
    ],
)
def test_items_of_a_list_are_joined_by_semicolons(sentences: list[str], text: str) -> None:
    assert join_sentences(sentences) == text


def test_a_long_sentence_is_cut_at_a_word() -> None:
    (sentence,) = sentences_of("word " * 200)
    assert len(sentence) <= 400
    assert sentence.endswith("word…")


def test_of_a_long_text_the_beginning_and_the_end_are_read() -> None:
    text = "The first. " + "A middle sentence. " * 2000 + "The last."
    sentences = sentences_of(text)
    assert (sentences[0], sentences[-1]) == ("The first.", "The last.")
    assert sum(map(len, sentences)) < 9000
    assert sentences_of(" " * 65_536) == ["…"]


def test_questions_are_told_by_their_sign() -> None:
    assert is_question('Is it "so?"')
    assert is_question("可以吗\uff1f")
    assert not is_question("It is.")


@pytest.mark.parametrize(
    "text",
    [
        "." * 65_535 + "x",
        '."' * 32_768,
        "1. " * 21_845,
        "import " * 9362,
        "\n" * 65_536,
        "|-" * 32_768,
        "| " * 32_768,
        "|--|\n" * 13_000,
        "a." * 32_768,
        "A" * 65_536,
        "| " * 30_000,
        (" " * 999 + "\n") * 60,
        " " * 64_000 + "x",
        ("#0 0x" + "a" * 990 + "\n") * 60,
        ("at " + "a.b/" * 240 + "\n") * 60,
    ],
)
def test_no_text_takes_long(text: str) -> None:
    assert takes_under(0.5, lambda: sentences_of(text))


def test_a_line_of_signs_is_no_heading_to_search_for_long() -> None:
    assert takes_under(0.03, lambda: sentences_of("# a" + "#" * 64_000 + "x"))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('He said "go." Then we went. Really? yes', ['He said "go."', "Then we went.", "Really?", "yes"]),
        ("- one thing\n- another thing\n\n3. a third", ["one thing", "another thing", "a third"]),
        ("> quoted. Twice.\nfoo(bar); baz{}", ["quoted.", "Twice.", "foo(bar); baz{}"]),
        ("A line\nthat goes on", ["A line", "that goes on"]),
        ("...\n---\n", []),
    ],
)
def test_code_and_quotations_can_be_quoted_too(text: str, sentences: list[str]) -> None:
    assert list(every_sentence(text)) == sentences


@pytest.mark.parametrize("text", ["word " * 200, "x" * 1000])
def test_a_long_sentence_is_quoted_in_parts_and_nothing_is_lost(text: str) -> None:
    parts = list(every_sentence(text))
    assert max(map(len, parts)) <= PART_CHARACTERS
    assert "".join("".join(parts).split()) == "".join(text.split())
