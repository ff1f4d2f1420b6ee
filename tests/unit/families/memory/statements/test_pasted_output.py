"""Output of programs pasted into a talk: of a trace only the line that names the error counts as said."""

import pytest

from almanac.families.memory.candidates.finder import find_statements
from almanac.families.memory.core.records import Turn
from almanac.families.memory.statements.classifier import classify
from almanac.families.memory.statements.pasted_output import names_error
from almanac.families.memory.statements.sentences import sentences_of

PYTHON = """again:
Traceback (most recent call last):
  File "/srv/mill/run.py", line 31, in main
    grind(load(path))
  File "/srv/mill/load.py", line 8, in load
    return rows["rye"]
  File "/usr/lib/python3.12/json/decoder.py", line 355, in raw_decode
    x = y
KeyError: 'rye'
any idea?"""
JAVA = """java.lang.IllegalStateException: no mill
\tat org.mill.Mill.open(Mill.java:44)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.io.IOException: the gate must be closed
\tat java.base/java.io.Reader.read(Reader.java:9)
\tat org.mill.Gate.read(Gate.java:12)
\t... 14 more"""
DART = """RangeError(7): not in range
0..6
#0      List.[] (dart:core/list.dart:37:7)
#1      Sacks.take (package:mill/sacks.dart:58:5)
<asynchronous suspension>
#2      main (package:mill/main.dart:9:3)"""
SCRIPT = """TypeError: sack is undefined
    at fold (node_modules/flour/x.js:3:1)
    at grind (src/mill.ts:10:5)
it came with the new stones"""
RUST = """src/mill.rs:12:9: error: mismatched types
src/mill.rs:14:1: warning: unused
error: could not compile `mill`"""
TWICE = """first
TypeError: sack is undefined
    at f (src/a.js:1:1)
and after my change I get
RangeError: too heavy
    at g (src/b.js:2:2)"""


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        (PYTHON, ["again:", "KeyError: 'rye' (/srv/mill/load.py:8)", "any idea?"]),
        (JAVA, ["java.io.IOException: the gate must be closed (Gate.java:12)"]),
        (DART, ["RangeError(7): not in range (package:mill/sacks.dart:58)"]),
        (SCRIPT, ["TypeError: sack is undefined (src/mill.ts:10)", "it came with the new stones"]),
        (RUST, ["src/mill.rs:12:9: error: mismatched types"]),
        (
            TWICE,
            [
                "first",
                "TypeError: sack is undefined (src/a.js:1)",
                "and after my change I get",
                "RangeError: too heavy (src/b.js:2)",
            ],
        ),
        ("10:00:01 INFO start\n10:00:02 ERROR stones: no grain\n10:00:03 INFO stop", []),
        ("10:00:01 INFO start\n10:00:02 mill-2 ERROR GrainError: no rye", ["GrainError: no rye"]),
        ("t,weight,wet,dry\n1,4.2,0,1\n2,4.3,0,1", []),
        ("2027-05-03T10:00:02Z WARN slow\n2027-05-03T10:00:09Z INFO ok", []),
        ("Resolving sacks...\nWeighing 40%\n> Task :mill\nBUILD FAILED in 9s", []),
        ('{\n  "stones": 2,\n  "wet": true\n}\nuse this', ["use this"]),
        ('{"stones": 2, "wet": true}', []),
    ],
)
def test_of_pasted_output_only_the_error_is_said(text: str, sentences: list[str]) -> None:
    assert sentences_of(text) == sentences


@pytest.mark.parametrize(
    "text",
    [
        "Error: I forgot the flour",
        "INFO: the mill is closed on Friday",
        "2027-05-03 14:00 dentist",
        "Grinding takes long...",
        "at Rossi (the place by the river) at 10:30",
        "#3 Ada (the new one)",
        "we want 40%",
        "ok Ada 12s",
        '"Rye": that is what we call it',
    ],
)
def test_a_line_that_people_write_too_is_output_only_next_to_other_output(text: str) -> None:
    assert sentences_of(text) == [text]


@pytest.mark.parametrize(
    "content",
    [
        "java.io.IOException: we decided that the gate must always be closed",
        JAVA,
        "10:00:01 INFO we use rye\n10:00:02 ERROR never use wet grain, all sacks must be dry",
        "Ada from the mill writes:\n> We decided to use rye. Never order wheat.",
        "The rules of the mill, which everybody must always know and keep:\n- oak",
    ],
)
def test_words_of_a_program_or_of_somebody_else_are_no_statement(content: str) -> None:
    turn = Turn(id="t", at=0, recorded_at=0, actor="a", content=content, role="user")
    assert find_statements(turn) == []


@pytest.mark.parametrize(
    "text",
    [
        "KeyError: 'rye' (/srv/mill/load.py:8)",
        "Unhandled Exception: GrainException(no rye found in the mill)",
        "src/mill.rs:12:9: error: mismatched types",
        "WARN mill.gate: level must not exceed 12, closing",
        "[ERROR] GrainLoader: moisture must be set",
        "Mill Error: the gate must be closed first",
    ],
)
def test_an_error_is_classified_as_one(text: str) -> None:
    assert classify(text).kind == "error"


@pytest.mark.parametrize("text", ["WARN: the gate must be closed by night", "Margin of error: at most two sacks"])
def test_words_of_people_that_look_alike_are_no_error(text: str) -> None:
    assert not names_error(text)
