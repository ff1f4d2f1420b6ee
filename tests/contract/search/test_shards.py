"""An index of several shards, where a tenant is in one; how one of a single shard becomes it, also in two attempts."""

import json
import os
from collections.abc import Generator
from typing import Any

import pytest
from opensearchpy import Transport

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.opensearch import document_codec, layout
from almanac.search.opensearch.calls import Patience, connect, lines
from almanac.search.opensearch.generations import Shape
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import DocumentState, RebuildPlace
from tests.contract.search.index_samples import context, entry
from tests.contract.search.settled_index import SettledIndex, next_scope
from tests.opensearch.shared_node import STARTING

pytestmark = STARTING

TENANTS = 60


class Installation:
    """An index of its own on the node, as processes with these settings open it."""

    def __init__(self, transport: Transport, name: str) -> None:
        self.transport, self.name = transport, name

    def open_index(self, shape: Shape | None = None) -> SettledIndex:
        patience = Patience(60, 60)
        index = OpenSearchIndex(
            self.transport, self.name, sleep=lambda _: self.settle(), patience=patience, shape=shape or Shape()
        )
        return SettledIndex(index, self.settle)

    def settle(self) -> None:
        self.transport.perform_request("POST", f"/{self.name}.search-*/_refresh", timeout=60)

    def get_json(self, path: str) -> Any:
        return json.loads(self.transport.perform_request("GET", path, timeout=60))

    def shards(self) -> int:
        (index,) = self.get_json(f"/_alias/{self.name}.search")
        return int(self.get_json(f"/{index}/_settings")[index]["settings"]["index"]["number_of_shards"])

    def shards_with_documents(self) -> list[int]:
        found = self.get_json(f"/_cat/shards/{self.name}.search?format=json&h=prirep,docs")
        return [int(each["docs"]) for each in found if each["prirep"] == "p" and int(each["docs"] or 0)]


@pytest.fixture
def installation(opensearch_address: str, request: pytest.FixtureRequest) -> Generator[Installation]:
    transport = connect(opensearch_address)
    made = Installation(transport, f"shards-{os.getpid()}-{abs(hash(request.node.name)) % 10_000}")
    yield made
    transport.perform_request("DELETE", f"/{made.name}.search-*", timeout=60)


def _write_unrouted(installation: Installation, scope: Scope) -> None:
    """Write as versions until 2026-11-27 did: into a single shard, and without a routing value."""
    template = layout.template(f"{installation.name}.search-*", 1000)
    installation.transport.perform_request(
        "PUT", f"/_index_template/{installation.name}.search", body=json.dumps(template), timeout=60
    )
    aliases: dict[str, Any] = {"aliases": {f"{installation.name}.search": {}}}
    installation.transport.perform_request(
        "PUT", f"/{installation.name}.search-000001", body=json.dumps(aliases), timeout=60
    )
    bodies: list[Any] = []
    for each in (entry("tea", "ginger tea"), entry("milk", "oat milk")):
        corpus = layout.corpus_key(scope, "talk")
        key = {"_index": f"{installation.name}.search", "_id": layout.document_key(corpus, each.id)}
        bodies += [{"index": key | {"version": 1, "version_type": "external"}}, document_codec.body_of(scope, each)]
    installation.transport.perform_request("POST", "/_bulk", body=lines(bodies), timeout=60)
    installation.settle()


def test_an_index_that_a_landed_version_wrote_goes_on_and_becomes_one_of_shards(installation: Installation):
    scope = next_scope()
    _write_unrouted(installation, scope)
    searched = installation.open_index(Shape(shards=3))
    assert searched.search_ids(scope, "tea milk") == {"tea", "milk"}
    searched.write(scope, entry("tea", "black tea", version=2))
    searched.enrich(scope, context(entry("milk"), "oat milk"))
    assert searched.state_by_id(scope) == {
        "milk": DocumentState("milk", 1, enriched=True),
        "tea": DocumentState("tea", 2),
    }
    searched.remove(scope, "milk", version=2)
    assert searched.search_ids(scope, "tea milk") == {"tea"}

    searched.index.start_rebuild()
    searched.write(scope, entry("tea", "black tea", version=2))
    searched.index.finish_rebuild()
    searched.settle()
    assert installation.shards() == 3
    assert searched.search_ids(scope, "tea milk") == {"tea"}
    assert searched.state_by_id(scope) == {
        "milk": DocumentState("milk", 2, removed=True),
        "tea": DocumentState("tea", 2),
    }


def test_what_a_landed_version_wrote_can_be_forgotten(installation: Installation):
    scope = next_scope()
    _write_unrouted(installation, scope)
    searched = installation.open_index()
    searched.index.forget(scope)
    searched.settle()
    assert searched.state_by_id(scope) == {}


def test_a_tenant_is_in_one_shard_and_tenants_are_in_several(installation: Installation):
    searched = installation.open_index(Shape(shards=3, replicas=0))
    first = next_scope()
    searched.write(first, *(entry(f"t{number}", "ginger tea") for number in range(20)))
    searched.write(Scope(first.tenant, "other"), entry("t", "ginger tea"))
    assert installation.shards_with_documents() == [21]
    for _ in range(TENANTS):
        searched.write(next_scope(), entry("t", "ginger tea"))
    assert len(installation.shards_with_documents()) == installation.shards() == 3
    assert len(searched.search_ids(first, "ginger tea")) == 20


def test_a_rebuild_keeps_shards_and_replicas_unless_it_is_told_others(installation: Installation):
    scope = next_scope()
    installation.open_index(Shape(shards=2, replicas=0)).write(scope, entry("tea"))
    for shape, shards in ((None, 2), (Shape(shards=1), 1)):
        rebuilding = installation.open_index(shape)
        rebuilding.index.start_rebuild()
        rebuilding.index.finish_rebuild()
        assert installation.shards() == shards
    (index,) = installation.get_json(f"/_alias/{installation.name}.search")
    settings = installation.get_json(f"/{index}/_settings")[index]["settings"]["index"]
    assert settings["auto_expand_replicas"] == "0-0"


def test_a_rebuild_may_be_the_first_thing_that_is_done(installation: Installation):
    scope, searched = next_scope(), installation.open_index()
    searched.index.start_rebuild()
    searched.write(scope, entry("tea", "ginger tea"))
    searched.index.finish_rebuild()
    searched.settle()
    assert searched.search_ids(scope, "tea") == {"tea"}


def test_where_only_a_rebuild_was_begun_and_left_writes_are_taken_and_found(installation: Installation):
    aliases: dict[str, Any] = {"aliases": {f"{installation.name}.search.next": {}}}
    installation.transport.perform_request(
        "PUT", f"/{installation.name}.search-000001", body=json.dumps(aliases), timeout=60
    )
    scope, searched = next_scope(), installation.open_index()
    searched.write(scope, entry("tea", "ginger tea"))
    assert searched.search_ids(scope, "tea") == {"tea"}


def test_another_process_goes_on_with_a_rebuild_of_the_same_form(installation: Installation):
    scope = next_scope()
    first, second = installation.open_index(), installation.open_index()
    first.write(scope, entry("tea", "ginger tea"))
    assert not second.index.resume_rebuild()
    first.index.start_rebuild()
    first.write(scope, entry("tea", "ginger tea"))
    assert first.index.rebuild_place(scope, "turn") == RebuildPlace()
    first.index.keep_rebuild_place(scope, "turn", RebuildPlace("tea"))
    first.index.keep_rebuild_place(scope, "note", RebuildPlace(done=True))

    assert not installation.open_index(Shape(shards=2)).index.resume_rebuild()
    assert second.index.resume_rebuild()
    assert second.index.rebuild_place(scope, "turn") == RebuildPlace("tea")
    assert second.index.rebuild_place(scope, "note") == RebuildPlace(done=True)
    assert second.index.rebuild_place(Scope(scope.tenant, "other"), "note") == RebuildPlace()
    second.index.finish_rebuild()
    second.settle()
    assert second.state_by_id(scope) == {"tea": DocumentState("tea", 1)}, "how far it had come is nothing that is found"
    assert second.index.status(scope).documents == 1
    with pytest.raises(Unavailable, match="gone"):
        first.index.keep_rebuild_place(scope, "turn", RebuildPlace("tea"))
