"""Test that knowledge, code, context and skills of a landed version are readable and can be changed.

`tests.landed.families` writes their samples.
"""

from base64 import b64decode
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from almanac.kernel.clock import FixedClock
from almanac.platform.store.port import Store
from tests.landed.families import (
    CART,
    DECISION,
    DOT,
    DOT_BYTES,
    ERROR,
    FILES,
    REPOSITORY,
    SCRIPT,
    STOCK,
    STYLE,
    fill_families,
    skill_md,
)
from tests.landed.landed_app import ANN, KEI, OLE, Json, LandedApp
from tests.landed.sample_maker import NOON
from tests.landed.samples import BEFORE_KNOWLEDGE, WAYS, every_sample, open_sample

FRIDAY = "2026-11-20T00:00:00Z"
ANALYSED_AS_NOW = {
    "0.1.0-2026-11-26",
    "0.1.0-2026-11-27",
    "0.1.0-2026-11-27b",
    "0.1.0-2026-11-27c",
    "0.1.0-2026-11-28",
    "0.1.0-2026-11-28b",
    "0.1.0-2026-11-28c",
    "0.1.0-2026-11-28d",
    "0.1.0-2026-11-28e",
}
"""Samples whose code was read by the analysis of now: what did not change is not read again."""


@pytest.fixture(params=every_sample(but=BEFORE_KNOWLEDGE))
def sample(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=WAYS)
def store(request: pytest.FixtureRequest, sample: str, tmp_path: Path) -> Store:
    address = request.getfixturevalue("bare_dynoxide_address") if request.param == "table" else ""
    return open_sample(sample, request.param, tmp_path, address)


@pytest.fixture
def app(store: Store) -> LandedApp:
    return LandedApp(store, FixedClock(NOON))


def objects(app: LandedApp, **asked: Any) -> list[str]:
    return sorted(fact["object"] for fact in app.do(ANN, "query_facts", **asked)["facts"])


def callers(app: LandedApp, symbol: str) -> dict[str, str]:
    """Return the callers of a definition, with the confidence of each edge."""
    found = app.do(ANN, "traverse_code", symbol=symbol, direction="in", edge_kinds=["calls"])
    return {edge["src"]: edge["how"] for edge in found["edges"]}


def contents(app: LandedApp, layer: int) -> set[str]:
    return {memory["content"] for memory in app.do(ANN, "context_list", layer=layer)["memories"]}


def memory_of(app: LandedApp, content: str, layer: int = 2) -> Json:
    [found] = [one for one in app.do(ANN, "context_list", layer=layer)["memories"] if content in one["content"]]
    return found


def replaced_memory(app: LandedApp) -> tuple[Json, str]:
    """The edge of the memory that superseded another, and the state of that one."""
    newer = memory_of(app, "Carts are kept in Redis.")
    found = app.do(ANN, "list_edges", id=newer["id"])
    [edge] = found["edges"]
    return edge, found["nodes"][1]["state"]


def test_facts_hold_when_they_held_and_are_known_since_they_were(app: LandedApp) -> None:
    work = {"subject": "Ann", "predicate": "works_at"}
    assert objects(app, **work) == ["Globex"]
    assert objects(app, **work, point_in_time="2024-01-01") == ["Acme"]
    assert objects(app, **work, known_at="2026-11-18") == ["Acme"]
    assert objects(app, subject="Bob") == []
    assert objects(app, subject="Bob", point_in_time="2016-01-01") == ["Oslo"]
    assert objects(app, predicate="uses") == ["Postgres", "Redis"]
    assert [fact["subject"] for fact in app.do(ANN, "query_facts", object="Finnish")["facts"]] == ["Ann"]

    [acme, globex] = app.do(ANN, "query_facts", **work, history=True)["facts"]
    assert (acme["valid_to"], acme["superseded_by"]) == (globex["valid_from"], [globex["fact_id"]])
    assert (globex["confidence"], globex["metadata"], globex["tool"]) == (0.9, {"heard": "at lunch"}, "claude-code")
    [owned] = app.do(ANN, "query_facts", subject="Billing", predicate="owned_by", history=True)["facts"]
    assert (owned["ended_because"], owned["reason"]) == ("invalidated", "He moved on.")
    spoken = app.do(ANN, "query_facts", subject="Ann", predicate="speaks", history=True)["facts"]
    assert {fact["object"]: fact["valid_to"] == fact["valid_from"] for fact in spoken} == {
        "Finish": True,
        "Finnish": False,
    }


def test_a_fact_of_then_is_superseded_invalidated_and_brought_back_now(app: LandedApp) -> None:
    moved = app.do(KEI, "record_fact", subject="Ann", predicate="works_at", object="Initech", valid_from=FRIDAY)
    assert len(moved["superseded"]) == 1
    assert app.do(KEI, "record_fact", subject="Billing", predicate="uses", object="S3")["superseded"] == []
    again = app.do(ANN, "invalidate_fact", fact_id=moved["fact"]["fact_id"], at=FRIDAY)
    assert len(again["holds_again"]) == 1
    assert objects(app, subject="Ann", predicate="works_at") == ["Globex"]
    [owned] = app.do(ANN, "query_facts", subject="Billing", predicate="owned_by", history=True)["facts"]
    assert app.do(ANN, "invalidate_fact", fact_id=owned["fact_id"], undo=True)["undone"]
    assert objects(app, subject="Billing") == ["Kei", "Postgres", "Redis", "S3"]


def test_a_contradiction_of_then_is_found_and_resolved(app: LandedApp) -> None:
    [found] = app.do(ANN, "detect_contradictions", judge="rules")["contradictions"]
    pair = {found[name]["object"]: found[name]["fact_id"] for name in ("fact_a", "fact_b")}
    assert (pair.keys(), found["severity"]) == ({"Tuesday", "Friday"}, "high")
    app.do(ANN, "invalidate_fact", fact_id=pair["Friday"])
    assert app.do(ANN, "detect_contradictions", judge="rules")["contradictions"] == []


def test_edges_of_then_connect_and_are_removed(app: LandedApp) -> None:
    edge, state = replaced_memory(app)
    assert (edge["kind"], edge["confidence"], edge["metadata"], state) == (
        "supersedes",
        0.8,
        {"because": "faster"},
        "superseded",
    )
    known_as = {"subject": "Bob", "same_as": True, "active_only": False}
    assert objects(app, **known_as) == ["Norwegian", "Oslo"]
    [plan] = app.do(ANN, "notes_search", q="cake")["notes"]
    [derived] = app.do(ANN, "list_edges", id=plan["id"])["edges"]
    assert (derived["kind"], derived["dst_id"]) == ("derives_from", plan["id"])

    ends = {"src_id": edge["src_id"], "dst_id": edge["dst_id"], "kind": "supersedes"}
    assert app.do(ANN, "create_edge", **ends)["deduped"]
    assert app.do(ANN, "create_edge", **ends, remove=True)["removed"]
    assert {"Carts are kept in Postgres.", "Carts are kept in Redis."} <= contents(app, 2)


def test_code_of_then_is_listed_followed_and_found(app: LandedApp) -> None:
    listed = app.do(ANN, "list_files")
    [repository] = listed["repositories"]
    assert (repository["repo_id"], repository["files"], repository["commit"]) == (REPOSITORY, 4, "c0ffee1")
    kept = {path: sha256(content.encode()).hexdigest() for path, content in FILES.items() if path != "shop/gone.py"}
    assert {file["path"]: file["sha256"] for file in listed["files"]} == kept
    assert {file["path"] for file in listed["files"] if file.get("redacted")} == {"shop/checkout.py"}
    assert len(app.do(ANN, "list_files", repo_id=REPOSITORY, path_prefix="stock/", lang="go")["files"]) == 2

    assert callers(app, "Cart.total").keys() == {"shop.checkout.checkout", "shop.checkout.owed"}
    assert callers(app, "Cart.total")["shop.checkout.owed"] == "precise"
    assert callers(app, "Basket.total") == {}
    assert callers(app, "counted").keys() == {"stock.Left"}
    [hit] = [hit for hit in app.do(ANN, "search_code", query="Left")["hits"] if hit.get("symbol") == "Left"]
    assert (hit["path"], hit["start_line"], hit["end_line"]) == ("stock/stock.go", 3, 6)
    assert "stock/stock.go" in {hit["path"] for hit in app.do(ANN, "search_code", query="articles left")["hits"]}
    around = app.do(ANN, "get_code_context", target="shop/checkout.py")
    assert "AKIA" not in str(around)
    assert "def owed(things)" in str(around["code"])


def test_code_of_then_is_indexed_on(app: LandedApp, sample: str) -> None:
    changed = STOCK.replace("counted(article)", "0")
    files = [{"path": "stock/stock.go", "content": changed}, {"path": "shop/cart.py", "content": CART}]
    indexed = app.do(KEI, "index_files", repo_id=REPOSITORY, files=files, commit="c0ffee2", complete=True)
    # What did not change is read again, too, where another analysis had read it.
    unchanged = int(sample in ANALYSED_AS_NOW)
    counts = (indexed["indexed"], indexed["unchanged"], indexed["repository"]["commit"])
    assert counts == (2 - unchanged, unchanged, "c0ffee2")
    again = app.do(KEI, "index_files", repo_id=REPOSITORY, files=files, commit="c0ffee2", complete=True)
    assert (again["indexed"], again["unchanged"]) == (0, 2)
    assert callers(app, "counted") == {}
    assert callers(app, "Cart.total")["shop.checkout.owed"] == "precise"
    assert app.do(ANN, "remove_repository", repo_id=REPOSITORY)["removed"] == 4
    assert app.do(ANN, "list_files")["files"] == []
    assert app.do(ANN, "search_code", query="Left")["hits"] == []


def test_memories_of_every_layer_are_where_they_were(app: LandedApp) -> None:
    assert contents(app, 1) == {"Trying the new checkout.", "Session started: claude-code"}
    assert contents(app, 3) == {"Try again after a growing pause.", "Times are stored in UTC."}
    assert not {"The old shop runs on Perl.", "We charge at once.", "Carts are kept in Postgres."} & contents(app, 2)
    charged = memory_of(app, DECISION["content"])
    assert (charged["type"], charged["tags"], charged["weight"]) == ("decision", ["checkout"], 5.0)
    assert charged["metadata"].items() >= DECISION["metadata"].items()
    assert memory_of(app, "Carts end at 40 articles.")["tags"] == ["cart"]

    window = app.do(ANN, "context_getCurrent", sessionId="s1", currentFile="shop/checkout.py")["context"]
    assert {one["content"] for one in window["working"]} == contents(app, 1)
    assert DECISION["content"] in {one["content"] for one in window["relevant"]}
    [pattern] = window["patterns"]
    assert (pattern["name"], pattern["code"], pattern["language"]) == ("Retry", "for pause in pauses: ...", "python")
    for caller, query, layer in ((ANN, "when do we charge", 2), (OLE, "growing pause", 3)):
        [best, *_] = app.do(caller, "context_recall", query=query, threshold=0)["results"]
        assert best["layer"] == layer
    assert app.do(ANN, "context_orient", projectPath="/srv/shop")["offlineGap"] is not None


def test_memories_of_then_are_counted_again_promoted_and_taken_out_of_their_summary(app: LandedApp) -> None:
    assert app.do(ANN, "context_reportEvent", event=ERROR)["occurrences"] == 2
    assert app.do(ANN, "context_store", type="scratchpad", content="More.", sessionId="s1")["layer"] == 1
    charged = app.do(KEI, "context_store", **DECISION)
    assert (charged["id"], charged["deduped"]) == (memory_of(app, DECISION["content"])["id"], True)
    assert app.do(ANN, "context_update", memoryId=charged["id"], targetLayer=3)["newLayer"] == 3
    assert DECISION["content"] in contents(app, 3)
    summary = memory_of(app, "The old shop runs on Perl.")
    assert summary["type"] == "summary"
    assert app.do(ANN, "context_delete", memoryId=summary["id"])["originalsRestored"] == 2
    assert {"The old shop runs on Perl.", "The old shop reads prices at night."} <= contents(app, 2)


def test_both_versions_of_a_skill_are_read(app: LandedApp) -> None:
    [listed] = app.do(ANN, "list_skills")["skills"]
    assert (listed["name"], listed["version"], listed["declared"]) == ("release-notes", 2, "1.1")
    newer = app.do(ANN, "get_skill", name="release-notes")
    older = app.do(ANN, "get_skill", name="release-notes", version=1)
    assert (newer["body"], newer["installed_by"]) == ("Read the log since the last tag.", "kei")
    assert (older["body"], older["installed_by"], older["declared"]) == ("Read the log.", "ann", "1.0")
    assert [file["path"] for file in older["files"]] == [DOT, STYLE]
    for version, text in ((1, "Short sentences.\n"), (2, "Short main clauses.\n")):
        file = {"name": "release-notes", "version": version}
        assert app.do(ANN, "read_skill_file", **file, path=STYLE)["text"] == text
        assert app.do(ANN, "read_skill_file", **file, path=DOT)["base64"] == DOT_BYTES
    removed = app.do(ANN, "get_skill", name="old-habits", version=1)
    assert (removed["removed"], removed["body"]) == (True, "Fax them.")


def test_a_skill_of_then_gets_its_next_version_and_one_that_was_removed_comes_back(app: LandedApp) -> None:
    files = {STYLE: "Short main clauses.\n", DOT: {"base64": DOT_BYTES}}
    current = skill_md("Read the log since the last tag.", "1.1")
    same = app.do(ANN, "install_skill", skill_md=current, files=files, folder="release-notes")
    assert (same["version"], same["changed"]) == (2, False)
    sent = {"scripts/notes.sh": {"uploads": [sha256(SCRIPT.encode()).hexdigest()]}}
    assert app.do(ANN, "install_skill", skill_md=skill_md("Run it.", "1.2"), files={**files, **sent})["version"] == 3
    script = app.do(ANN, "read_skill_file", name="release-notes", path="scripts/notes.sh")
    assert script["text"] == SCRIPT
    assert app.do(ANN, "get_skill", name="release-notes", version=2)["body"] == "Read the log since the last tag."
    back = app.do(ANN, "install_skill", skill_md=skill_md("Fax them.", "0.1", "old-habits"))
    assert (back["version"], back["changed"]) == (2, True)
    assert app.do(ANN, "remove_skill", name="release-notes")["version"] == 3


@pytest.mark.parametrize("sample", sorted(BEFORE_KNOWLEDGE))
def test_a_version_from_before_has_nothing_of_them_and_takes_all(app: LandedApp) -> None:
    assert app.do(ANN, "query_facts")["facts"] == []
    assert app.do(ANN, "list_files")["files"] == []
    assert (contents(app, 1), contents(app, 3)) == (set(), set())
    assert app.do(ANN, "list_skills")["skills"] == []
    fill_families(app, FixedClock(NOON))
    assert objects(app, predicate="uses") == ["Postgres", "Redis"]
    assert callers(app, "Cart.total")["shop.checkout.owed"] == "precise"
    assert contents(app, 3) == {"Try again after a growing pause.", "Times are stored in UTC."}
    assert b64decode(app.do(ANN, "read_skill_file", name="release-notes", path=DOT)["base64"]) == bytes(range(8))
