"""Memories that are pinned, edited, superseded, promoted, forgotten and restored, against a dictionary of versions."""

import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import neighbour

MOST_EDITS = 9
"""One less than the earlier texts that are kept."""

numbers = st.integers(0, 1_000)


class Version(NamedTuple):
    """What a memory said from an instant on, and where; `text` None: it was hidden."""

    at: int
    text: str | None
    is_shared: bool


@dataclass
class ModelMemory:
    text: str
    is_shared: bool = False
    superseded_by: str | None = None
    is_forgotten: bool = False
    edits: int = 0
    versions: list[Version] = field(default_factory=list[Version])

    @property
    def is_shown(self) -> bool:
        return not self.is_forgotten and self.superseded_by is None

    def then(self, as_of: int, *, only_shared: bool = False) -> str | None:
        """What an answer of now says of it; what is forgotten is gone from the past too."""
        if self.is_forgotten:
            return None
        known = [each for each in self.versions if each.at <= as_of]
        return known[-1].text if known and (known[-1].is_shared or not only_shared) else None


class MemoriesModel(RuleBasedStateMachine):
    """`known` are the memories by id, `edges` the pairs of which the first one supersedes the second."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.mkdtemp()
        self.app = ProjectApp(Path(self.folder))
        self.known: dict[str, ModelMemory] = {}
        self.edges: dict[tuple[str, str], None] = {}
        self.texts = 0
        self.began = self.app.now

    @initialize()
    def begin(self) -> None:
        for is_pinned in (True, False, False):
            self.pin(is_pinned=is_pinned)

    def teardown(self) -> None:
        shutil.rmtree(self.folder)

    def some(self, number: int) -> str:
        return list(self.known)[number % len(self.known)]

    def text(self) -> str:
        self.texts += 1
        return f"Deploy rule {self.texts}."

    def note(self) -> None:
        """What is known from now on."""
        for one in self.known.values():
            version = Version(self.app.now, one.text if one.is_shown else None, one.is_shared)
            if not one.versions or one.versions[-1][1:] != version[1:]:
                one.versions.append(version)

    @rule(is_pinned=st.booleans())
    def pin_another(self, *, is_pinned: bool) -> None:
        self.pin(is_pinned=is_pinned)

    def pin(self, *, is_pinned: bool) -> None:
        text = self.text()
        tool = "pin_memory" if is_pinned else "extract_semantic"
        memory = self.app.do(tool, content=text)["memory"]["id"]
        self.known[memory] = ModelMemory(text)
        self.note()

    @precondition(lambda self: self.known)
    @rule(number=numbers)
    def edit(self, number: int) -> None:
        memory = self.some(number)
        known = self.known[memory]
        if not known.is_shown:
            self.app.refusal("context_update", memoryId=memory, content="Deploy never.")
        elif known.edits < MOST_EDITS:
            known.text, known.edits = self.text(), known.edits + 1
            self.app.do("context_update", memoryId=memory, content=known.text)
            self.note()

    @precondition(lambda self: self.known)
    @rule(number=numbers)
    def promote(self, number: int) -> None:
        memory = self.some(number)
        if self.known[memory].is_shown:
            self.app.do("context_update", memoryId=memory, targetLayer=3)
            self.known[memory].is_shared = True
            self.note()

    @precondition(lambda self: len(self.known) > 1)
    @rule(one=numbers, other=numbers)
    def supersede(self, one: int, other: int) -> None:
        src, dst = self.some(one), self.some(other)
        newer, older = self.known[src], self.known[dst]
        is_said = (src, dst) in self.edges
        if (
            src == dst
            or newer.is_forgotten
            or older.is_forgotten
            or (not is_said and (newer.is_shared != older.is_shared or self.leads(dst, src)))
        ):
            self.app.refusal("create_edge", src_id=src, dst_id=dst, kind="supersedes")
            return
        self.app.do("create_edge", src_id=src, dst_id=dst, kind="supersedes")
        self.edges[src, dst] = None
        older.superseded_by = older.superseded_by or src
        self.note()

    def leads(self, start: str, goal: str) -> bool:
        reached, waiting = {start}, [start]
        while waiting:
            node = waiting.pop()
            following = {dst for src, dst in self.edges if src == node} - reached
            reached |= following
            waiting += following
        return goal in reached

    @precondition(lambda self: self.edges)
    @rule(number=numbers)
    def remove_edge(self, number: int) -> None:
        src, dst = list(self.edges)[number % len(self.edges)]
        self.app.do("create_edge", src_id=src, dst_id=dst, kind="supersedes", remove=True)
        del self.edges[src, dst]
        older = self.known[dst]
        if older.superseded_by == src:
            older.superseded_by = min((one for one, other in self.edges if other == dst), default=None)
        self.note()

    @precondition(lambda self: self.known)
    @rule(number=numbers)
    def forget(self, number: int) -> None:
        memory = self.some(number)
        answer = self.app.do("forget_memory", memory_id=memory)
        hidden = [one for one, each in self.known.items() if each.superseded_by == memory and not each.is_forgotten]
        assert sorted(answer.get("still_hidden", ())) == sorted(hidden)
        self.known[memory].is_forgotten = True
        self.note()

    @precondition(lambda self: self.known)
    @rule(number=numbers)
    def restore(self, number: int) -> None:
        memory = self.some(number)
        known = self.known[memory]
        self.app.do("forget_memory", memory_id=memory, restore=True)
        if known.is_forgotten:
            known.is_forgotten = False
        else:
            known.superseded_by = None
        self.note()

    @rule(seconds=st.sampled_from([1, 60, 86_400]))
    def wait(self, seconds: int) -> None:
        self.app.wait(seconds=seconds)

    @rule()
    def follow(self) -> None:
        self.app.follow()

    @rule()
    def react(self) -> None:
        self.app.react()

    @precondition(lambda self: self.known)
    @rule(number=numbers, after=st.sampled_from([-1, 0, 1]))
    def look_back(self, number: int, after: int) -> None:
        instants = sorted({each.at for one in self.known.values() for each in one.versions})
        as_of = instants[number % len(instants)] + after
        self.agrees(as_of)

    @invariant()
    def now_is_known(self) -> None:
        self.agrees(None)

    @invariant()
    def edges_are_shown_from_both_ends(self) -> None:
        for memory, known in self.known.items():
            if known.is_forgotten:
                continue
            shown = self.app.do("get_memory", memory_id=memory)
            assert shown["memory"].get("superseded_by") == known.superseded_by
            found = {(each["direction"], each["id"], each["state"]) for each in shown["edges"]["stated"]}
            ends = {("out", dst) for src, dst in self.edges if src == memory}
            ends |= {("in", src) for src, dst in self.edges if dst == memory}
            assert found == {(direction, other, self.state(other)) for direction, other in ends}

    def state(self, memory: str) -> str:
        known = self.known[memory]
        if known.is_forgotten:
            return "forgotten"
        return "superseded" if known.superseded_by else "remembered"

    def agrees(self, as_of: int | None) -> None:
        then = self.app.now if as_of is None else as_of
        told: Json = {} if as_of is None else {"as_of": as_of}
        for who in (self.app.caller, neighbour(self.app)):
            is_other = who is not self.app.caller
            answer = self.app.do("search_memory", query="deploy rule", k=100, caller=who, **told)
            everything = {one: each.then(then, only_shared=is_other) for one, each in self.known.items()}
            expected = {one: text for one, text in everything.items() if text is not None}
            assert {hit["id"]: hit["content"] for hit in answer["hits"]} == expected, (as_of, is_other)
            if not expected:
                assert answer.get("coverage", {}).get("verdict") != "covered"


TestMemoriesModel = MemoriesModel.TestCase
TestMemoriesModel.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
