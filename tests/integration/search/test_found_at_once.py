"""Test that a process finds the writes of another by its next search, and no removed things, whichever process dies."""

import random
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.doubles.searched_things import SCOPE, Things
from tests.integration.search.processes import open_things
from tests.unit.search.samples import is_sound

WORDS = ["yellow", "green", "boat", "car", "lake", "river", "sandwich", "winter", "letter", "music", "garden", "horse"]


@contextmanager
def process(verb: str, tmp_path: Path) -> Generator["subprocess.Popen[str]"]:
    command = [sys.executable, "-m", "tests.integration.search.processes", verb, str(tmp_path), str(tmp_path / "index")]
    running = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield running
    finally:
        running.kill()
        running.communicate()


def ask_process(running: "subprocess.Popen[str]", question: str) -> list[str]:
    assert running.stdin is not None
    assert running.stdout is not None
    running.stdin.write(f"{question}\n")
    running.stdin.flush()
    return running.stdout.readline().split()


@pytest.mark.parametrize("tries", [50, pytest.param(1000, marks=pytest.mark.slow)])
def test_what_was_written_is_found_by_the_next_search_of_another_process(tmp_path: Path, tries: int) -> None:
    chance = random.Random(13)
    things = open_things(tmp_path, tmp_path / "index")
    with process("follow", tmp_path), process("answer", tmp_path) as searching:
        for number in range(tries):
            name, text = f"t{number}", " ".join(chance.choices(WORDS, k=8))
            things.write(name, f"{text} number{number}")
            assert name in ask_process(searching, f"number{number} {text}"), number
            if number % 5 == 4:
                things.drop(name)
                assert name not in ask_process(searching, f"number{number} {text}"), number


def assert_followed(things: Things) -> None:
    """Assert that the index has followed all writes."""
    # Each look takes a query; what is not followed by the last of them never is.
    for _ in range(100_000):
        if not things.fresh():
            return
    raise AssertionError(f"{len(things.fresh())} documents are left")


@pytest.mark.slow
def test_a_follower_that_is_killed_again_and_again_loses_nothing_and_brings_nothing_back(tmp_path: Path) -> None:
    chance = random.Random(7)
    things = open_things(tmp_path, tmp_path / "index")
    live: set[str] = set()
    dropped: set[str] = set()
    for kill in range(20):
        with process("follow", tmp_path):
            for number in range(40):
                name = f"t{kill}-{number}"
                things.write(name, "a yellow boat")
                live.add(name)
                if number % 4 == 3:
                    gone = chance.choice(sorted(live))
                    things.drop(gone)
                    live.discard(gone)
                    dropped.add(gone)
                if number % 10 == 9:
                    assert dropped.isdisjoint(things.search_ids("yellow boat", limit=100))
    with process("follow", tmp_path):
        assert_followed(things)
    found = things.upkeep.verify(SCOPE, lambda _: None)
    assert is_sound(found), found
    assert found.documents == len(live)
    again = open_things(tmp_path, tmp_path / "index")
    again.upkeep.rebuild([SCOPE], lambda _: None)
    assert dropped.isdisjoint(again.search_ids("yellow boat", limit=100))
