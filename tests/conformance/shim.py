"""HTTP on a free loopback port around an endpoint, with the standard library's server."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

from almanac.kernel.caller import Caller
from almanac.protocol.wire.http import HttpEndpoint, Request


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up early is no news here."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def _handler(endpoint: HttpEndpoint, caller: Caller) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            query = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
            response = endpoint.answer(Request(self.command, dict(self.headers.items()), body, query), caller)
            self.send_response(response.status)
            for name, value in response.headers.items():
                self.send_header(name, value)
            content = response.body.encode()
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815 - the names that the standard library calls

        def log_message(self, format: str, *args: object) -> None:
            """Quiet: the tests say what went wrong."""

    return Handler


@contextmanager
def serve_endpoint(endpoint: HttpEndpoint, caller: Caller, port: int = 0) -> Generator[str]:
    """The endpoint's address while it is served."""
    server = _Server(("127.0.0.1", port), _handler(endpoint, caller))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
