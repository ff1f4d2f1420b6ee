"""Searches of code and skills in installations that have them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.composition.search import index_parts
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.search.port import Document, Profile
from almanac.search.source import Source
from tests.project_app import ProjectApp
from tests.unit.families.memory.memory_builder import MemoryBuilder

CODE = Document(
    id="c1", kind="function", profile="code", version=1, title="def retry_payment", text="retry payment", at=5
)
SKILL = Document(id="s1", kind="skill", profile="documents", version=1, title="Payments", text="retry payment", at=5)


def source(document: Document, profile: Profile) -> Source:
    def read(_: Services, __: Scope, ids: Sequence[str]) -> Sequence[Document]:
        return [document] if document.id in ids else []

    def every(_: Services, __: Scope, ___: str) -> Iterator[Document]:
        return iter([document])

    return Source(kind=document.kind, profile=profile, read=read, every=every)


@pytest.fixture
def app(tmp_path: Path) -> ProjectApp:
    """An installation with a function and a skill."""
    app = ProjectApp(tmp_path)
    indexing = index_parts(app.index, None)
    more = {"function": source(CODE, "code"), "skill": source(SKILL, "documents")}
    indexing = replace(indexing, sources={**indexing.sources, **more})
    app.open_again(indexing=indexing)
    app.index.index(app.caller.scope, [indexing.deriver().entry(each) for each in (CODE, SKILL)])
    return app


def test_code_is_found_by_its_mode_and_where_it_is_included(app: ProjectApp) -> None:
    said = MemoryBuilder(app).turn("We retry a payment")
    [hit] = app.do("search_memory", query="retry payment", mode="code")["hits"]
    assert (hit["id"], hit["title"], hit["source"]) == ("c1", "def retry_payment", {"mode": "code", "family": "code"})
    hits = app.do("search_memory", query="retry payment", include=["code", "skills"])["hits"]
    assert {each["id"] for each in hits} == {said, "c1", "s1"}


def test_skills_are_found_whatever_actor_tool_and_time_are_asked_for(app: ProjectApp) -> None:
    narrow: dict[str, Any] = {"actor": "ben", "tool": "cursor", "since": 100, "until": 200}
    [hit] = app.do("search_memory", query="retry payment", mode="skills", **narrow)["hits"]
    assert (hit["id"], hit["source"]) == ("s1", {"mode": "skills", "family": "skills"})
    assert app.do("search_memory", query="retry payment", mode="code", **narrow)["hits"] == []


def test_what_was_made_later_was_not_known(app: ProjectApp) -> None:
    for mode in ("code", "skills"):
        assert app.do("search_memory", query="retry payment", mode=mode, as_of=4)["hits"] == []
        assert len(app.do("search_memory", query="retry payment", mode=mode, as_of=5)["hits"]) == 1
