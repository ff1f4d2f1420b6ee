"""Test OpenSearch's answers to writes, including refusals within an answer of status 200."""

import json
from typing import Any

import pytest
from opensearchpy import ConnectionTimeout, NotFoundError, TransportError

from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.search.opensearch.index import OpenSearchIndex
from almanac.search.port import Filters, Question, Removal
from tests.contract.search.index_samples import entry

SCOPE = Scope("tenant", "project")


class ScriptedTransport:
    """A transport that answers bulk requests with `outcomes` in order and records the requests."""

    def __init__(self, *outcomes: Any, rebuilding: bool = False) -> None:
        self._outcomes = list(outcomes)
        self._rebuilding = rebuilding
        self.asked: list[tuple[str, str, bytes | None]] = []

    def perform_request(self, method: str, path: str, body: bytes | None = None, timeout: float = 0) -> str:
        self.asked.append((method, path, body))
        if path == "/_alias/tested.search.next" and not self._rebuilding:
            raise NotFoundError(404, "aliases_not_found", {})
        if not path.startswith("/_bulk"):
            return json.dumps({"tested.search-000001": {"aliases": {}}})
        outcome = self._outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return json.dumps({"errors": True, "items": [{"index": each} for each in outcome]})

    def bulk_actions(self) -> list[Any]:
        """The actions of the last bulk request."""
        body = [body for _, path, body in self.asked if path.startswith("/_bulk")][-1]
        assert body is not None
        return [json.loads(line)["index"] for line in body.splitlines()[::2]]


def _index(transport: Any) -> OpenSearchIndex:
    return OpenSearchIndex(transport, "tested", sleep=lambda _: None)


REFUSED = {"status": 429, "error": {"type": "rejected_execution_exception"}}
OLD = {"status": 409, "error": {"type": "version_conflict_engine_exception"}}
NO_ALIAS = {"status": 404, "error": {"type": "index_not_found_exception"}}


def test_what_is_not_newer_is_no_failure():
    transport = ScriptedTransport([OLD, {"status": 201}])
    _index(transport).index(SCOPE, [entry("a"), entry("b")])
    assert [each["version_type"] for each in transport.bulk_actions()] == ["external", "external"]


def test_one_refused_write_of_many_is_a_failure():
    with pytest.raises(Unavailable, match="rejected_execution_exception"):
        _index(ScriptedTransport([{"status": 201}, REFUSED])).index(SCOPE, [entry("a"), entry("b")])


@pytest.mark.parametrize("error", [ConnectionTimeout("TIMEOUT", "", {}), TransportError(503, "", {})])
def test_a_service_that_does_not_answer_is_unavailable(error: Exception):
    with pytest.raises(Unavailable, match="does not answer"):
        _index(ScriptedTransport(error)).remove(SCOPE, [Removal(id="a", profile="talk", version=2)])


def test_a_service_that_refuses_says_what_to_check():
    with pytest.raises(Unavailable, match="access policy"):
        _index(ScriptedTransport(TransportError(403, "", {}))).index(SCOPE, [entry("a")])


def test_what_opensearch_does_not_understand_is_a_defect():
    with pytest.raises(TransportError):
        _index(ScriptedTransport(TransportError(400, "parsing_exception", {}))).index(SCOPE, [entry("a")])


def test_the_first_write_makes_the_index():
    transport = ScriptedTransport([NO_ALIAS], [{"status": 201}])
    _index(transport).index(SCOPE, [entry("a")])
    assert ("PUT", "/tested.search-000001") in [asked[:2] for asked in transport.asked]


def test_while_a_rebuild_goes_on_both_are_written():
    transport = ScriptedTransport([{"status": 201}] * 2, rebuilding=True)
    _index(transport).index(SCOPE, [entry("a")])
    assert [each["_index"] for each in transport.bulk_actions()] == ["tested.search", "tested.search.next"]


def test_nothing_is_asked_for_nothing():
    transport = ScriptedTransport()
    index = _index(transport)
    index.index(SCOPE, [])
    index.enrich(SCOPE, [])
    assert transport.asked == []


def test_without_an_index_nothing_is_found():
    class MissingIndex(ScriptedTransport):
        def perform_request(self, method: str, path: str, body: bytes | None = None, timeout: float = 0) -> str:
            raise NotFoundError(404, "index_not_found_exception", {})

    frame = _index(MissingIndex()).candidates(SCOPE, "talk", Question(terms=("tea",)), Filters(), ["words"], 10)
    assert (frame.ids, frame.documents) == ([], 0)
