"""Test Titan of Bedrock as the embedding model, over a local stand-in for its endpoint."""

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from almanac.composition.aws import open_indexing
from almanac.composition.search import index_parts
from almanac.composition.settings import read_settings
from almanac.kernel.errors import Unavailable
from almanac.platform.embedder.titan import TITAN, TitanEmbedder, open_titan
from almanac.search.engine.enrichment import enrich
from almanac.search.questions.port import MODEL_SILENT
from almanac.search.sqlite.index import SqliteIndex
from tests.doubles.five_words import Table
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things, source

_ALIKE = ("boat", "ship", "vessel")


class Endpoint:
    """Answers as `InvokeModel` of Titan does: a vector by the words of a text, where all ships are one word."""

    def __init__(self) -> None:
        self.asked: list[dict[str, Any]] = []
        self.status, self.dimensions = 200, 256
        endpoint = self

        class Answers(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                endpoint.asked.append({"path": self.path, **request})
                vector = endpoint.vector(request["inputText"])
                body = json.dumps({"embedding": vector.tolist(), "inputTextTokenCount": 3}).encode()
                self.send_response(endpoint.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.address = f"http://127.0.0.1:{self.server.server_port}"

    def vector(self, text: str) -> "np.ndarray[Any, np.dtype[np.float64]]":
        vector = np.zeros(self.dimensions)
        for word in text.lower().split():
            digest = hashlib.sha256(("boat" if word in _ALIKE else word).encode()).digest()
            vector[digest[0] % self.dimensions] += 1
        return vector / (np.linalg.norm(vector) or 1)


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "a")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "b")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    endpoint = Endpoint()
    thread = threading.Thread(target=endpoint.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield endpoint
    endpoint.server.shutdown()
    thread.join()
    endpoint.server.server_close()


def titan(endpoint: Endpoint, now: list[float]) -> TitanEmbedder:
    return open_titan("eu-central-1", endpoint.address, lambda: now[0])


def test_each_text_is_a_vector_of_the_indexs_length_and_blank_ones_are_not_asked_for(endpoint: Endpoint) -> None:
    read = titan(endpoint, [0.0]).embed(["A red boat", " \n", "x" * 5000])
    assert [each.pooled.shape for each in read] == [(384,)] * 3
    assert [round(float(np.linalg.norm(each.pooled)), 5) for each in read] == [1, 0, 1]
    assert not read[0].pooled[256:].any()
    assert [(each.pieces, each.states.shape) for each in read] == [([], (0, 384))] * 3
    assert {each["path"] for each in endpoint.asked} == {f"/model/{TITAN.replace(':', '%3A')}/invoke"}
    assert sorted(len(each["inputText"]) for each in endpoint.asked) == [10, 2000]
    assert {(each["dimensions"], each["normalize"]) for each in endpoint.asked} == {(256, True)}


@pytest.mark.parametrize(("status", "dimensions"), [(429, 256), (403, 256), (500, 256), (200, 1024)])
def test_who_fails_is_unavailable_and_asked_again_after_half_a_minute(
    endpoint: Endpoint, status: int, dimensions: int
) -> None:
    now = [100.0]
    model = titan(endpoint, now)
    endpoint.status, endpoint.dimensions = status, dimensions
    with pytest.raises(Unavailable):
        model.embed(["boat"])
    endpoint.status, endpoint.dimensions = 200, 256
    now[0] += 29
    with pytest.raises(Unavailable):
        model.embed(["boat"])
    assert len(endpoint.asked) == 1
    now[0] += 1
    assert model.embed(["boat"])[0].pooled.any()


class _Vectors:
    def ready(self) -> Table:
        return Table()


def things_with_titan(folder: Path, endpoint: Endpoint, now: list[float], index: Any) -> Things:
    """Things whose index is enriched by Titan."""
    things = Things(folder, index)
    model = titan(endpoint, now)
    opened = index_parts(index, _Vectors(), lambda: model)
    things.open_with(
        type(opened)(
            index=index,
            deriver=opened.deriver,
            sources={"thing": source()},
            vectors_of=opened.vectors_of,
            model=opened.model,
        )
    )
    return things


@pytest.mark.parametrize("kind", ["memory", "sqlite"])
def test_search_finds_by_what_titan_says_and_without_it_by_words(tmp_path: Path, endpoint: Endpoint, kind: str) -> None:
    now = [0.0]
    index = MemoryIndex() if kind == "memory" else SqliteIndex(tmp_path / "index", made_by="table")
    things = things_with_titan(tmp_path, endpoint, now, index)
    for number in range(5):
        things.write(f"car{number}", f"the green car number {number} stands there")
    things.write("sea", "an old vessel lies there")
    things.deliver()
    assert enrich(things.services, SCOPE) == 6
    assert enrich(things.services, SCOPE) == 0
    answer = things.answer("ship")
    assert answer.hits[0].id == "sea"
    assert MODEL_SILENT not in answer.notes
    endpoint.status = 500
    spoken = things.answer("green car")
    assert spoken.hits[0].id.startswith("car")
    assert MODEL_SILENT in spoken.notes


def test_the_setting_names_the_model_and_no_weights_are_asked_for(endpoint: Endpoint) -> None:
    given = {
        "ALMANAC_EMBEDDING_MODEL": TITAN,
        "ALMANAC_SEARCH_ENDPOINT": "http://127.0.0.1:1",
        "AWS_REGION": "eu-central-1",
        "AWS_ENDPOINT_URL": endpoint.address,
    }
    model = open_indexing(read_settings(given)).model
    assert model is not None
    opened = model()
    assert opened is model()
    assert opened is not None
    assert opened.name == f"bedrock:{TITAN}"
    assert opened.embed(["boat"])[0].pooled.any()
