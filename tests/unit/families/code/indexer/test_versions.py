"""Test files that come, go and return while the clock stands still or steps back, against a dictionary."""

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from almanac.families.code.indexer.operations import remove
from tests.unit.families.code.repository import Repository

WORDS = ("login", "logout", "register")
path = st.sampled_from(["a.py", "b.py"])
word = st.sampled_from(WORDS)


class FilesModel(RuleBasedStateMachine):
    """A model of indexed files. `files` are those sent last and not removed since."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.repository = Repository(Path(self.folder))
        self.files: dict[str, str] = {}

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    @rule(path=path, word=word)
    def send(self, path: str, word: str) -> None:
        self.repository.index({path: f"{word} does it\n"})
        self.files[path] = word

    @rule(path=path)
    def take_out(self, path: str) -> None:
        self.repository.index(removed=[path])
        self.files.pop(path, None)

    @rule()
    def take_out_all(self) -> None:
        if self.files:
            remove(self.repository.project, "acme/web")
            self.files.clear()

    @rule(milliseconds=st.sampled_from([-3_600_000, -1, 1, 60_000]))
    def step_the_clock(self, milliseconds: int) -> None:
        self.repository.app.clock.instant += timedelta(milliseconds=milliseconds)

    @rule()
    def follow(self) -> None:
        self.repository.app.follow()

    @rule()
    def rebuild(self) -> None:
        self.repository.app.rebuild_index()

    @invariant()
    def search_finds_what_is_there(self) -> None:
        for word in WORDS:
            sent = sorted(path for path, text in self.files.items() if text == word)
            assert len(self.repository.search_names(word)) == len(sent), (word, self.files)


TestFilesModel = FilesModel.TestCase
TestFilesModel.settings = settings(max_examples=40, stateful_step_count=15, deadline=None)


@pytest.mark.parametrize("step", [0, -3_600_000])
def test_a_file_that_comes_back_is_found(repository: Repository, step: int) -> None:
    repository.index({"a.py": "login does it\n"})
    repository.app.follow()
    repository.index(removed=["a.py"])
    repository.app.follow()
    repository.app.clock.instant += timedelta(milliseconds=step)
    repository.index({"a.py": "login does it\n"})
    repository.app.follow()
    assert repository.search_names("login") == ["login"]
