"""Test the stream that tells pages of changes: its readers, its delay, its limits and its end."""

import http.client
import json
import time
from collections.abc import Generator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.integration.local.server_process import ALMANAC, Server, call_message, run_server
from tests.until import ends_within


class Session:
    """A browser that signed in by a key."""

    def __init__(self, server: Server, key: str, connections: ExitStack) -> None:
        self._server = server
        self._connections = connections
        self.host = f"127.0.0.1:{server.port}"
        answer = self.send("POST", "/ui/login", urlencode({"key": key}), origin=f"http://{self.host}")
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def send(self, method: str, path: str, body: str = "", **headers: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._server.port, timeout=20)
        self._connections.callback(connection.close)
        connection.request(method, path, body, {"sec-fetch-site": "same-origin", **headers})
        return self._connections.enter_context(connection.getresponse())

    def listen(self, **headers: str) -> http.client.HTTPResponse:
        return self.send("GET", "/ui/live", cookie=self.cookie, **headers)


@pytest.fixture
def server(tmp_path: Path) -> Generator[Server]:
    with run_server([ALMANAC, "serve", "--port", "0", "--data", tmp_path / "data"], HOME=str(tmp_path)) as server:
        yield server


@pytest.fixture
def connections() -> Generator[ExitStack]:
    with ExitStack() as connections:
        yield connections


@pytest.mark.slow
def test_pages_are_told_soon_until_their_session_or_the_server_ends(server: Server, connections: ExitStack) -> None:
    session = Session(server, server.key or "", connections)
    stream = session.listen()
    assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream")
    assert stream.readline() == b"retry: 2000\n"

    def tell() -> None:
        answer = server.post(call_message("set_broadcast", key="release", value="soon"))
        assert "result" in json.loads(answer.body), answer
        while stream.readline() != b"data: changed\n":
            pass

    assert ends_within(2, tell)

    strangers = Session(server, server.key or "", connections)
    strangers.cookie = session.cookie[:-4] + "aaaa"
    assert strangers.listen().status == 401
    assert session.listen(**{"sec-fetch-site": "cross-site"}).status == 403
    assert session.listen(host="evil.example").status == 421

    assert [session.listen().status for _ in range(4)] == [200, 200, 200, 429]

    page = session.send("GET", "/ui/", cookie=session.cookie).read().decode()
    token = page.partition('name="token" value="')[2].partition('"')[0]
    fields = urlencode({"token": token})
    ended = session.send("POST", "/ui/logout", fields, cookie=session.cookie, origin=f"http://{session.host}")
    assert ended.status == 303
    begun = time.monotonic()
    assert b"data" not in stream.read()
    assert time.monotonic() - begun < 8

    other = Session(server, server.key or "", connections).listen()
    begun = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - begun < 15
    other.read()
