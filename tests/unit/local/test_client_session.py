"""Test that calls of a session share a connection and respect the server's retry times."""

import json
import threading
from collections.abc import Generator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from almanac.local.client.tool_calls import Failed, session


class Peer(ThreadingHTTPServer):
    connections = 0
    status = 200


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def peer(self) -> Peer:
        assert isinstance(self.server, Peer)
        return self.server

    def setup(self) -> None:
        self.peer.connections += 1
        super().setup()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        error = {"code": self.peer.status, "message": "Slow down."}
        answer: dict[str, object] = {"result": {"content": []}} if self.peer.status == 200 else {"error": error}
        body = json.dumps(answer).encode()
        self.send_response(self.peer.status)
        self.send_header("content-length", str(len(body)))
        self.send_header("retry-after", "7")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def peer() -> Generator[Peer]:
    with Peer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_many_calls_use_one_connection_and_a_refusal_says_when_to_come_back(peer: Peer) -> None:
    with session(f"http://127.0.0.1:{peer.server_address[1]}/mcp", "key") as calls:
        for _ in range(5):
            calls.call("add", {"text": "é\ud800"})
        assert peer.connections == 1
        peer.status = 429
        with pytest.raises(Failed, match="Slow down") as refused:
            calls.call("add", {})
    assert (refused.value.passing, refused.value.retry_after) == (True, 7.0)
