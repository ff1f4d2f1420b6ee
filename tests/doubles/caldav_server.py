"""The part of a CalDAV server that account discovery needs, on loopback. Tests set its login and its faults."""

import hashlib
import re
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler

from tests.doubles.loopback import serve

_FIELD = re.compile(r'(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^,\s]+))')


@dataclass
class CalDav:
    """Behaviour and record of a server.

    `answers` has the answer for a path: a status, or the properties that a PROPFIND returns as XML. `digest` names the
    algorithm of RFC 7616 that the server demands; without one it accepts Basic. `challenges` replace the server's own
    challenge. `requests` records method and path of each request, `used_counts` the nonce counts seen for the nonce.
    """

    answers: dict[str, int | str] = field(default_factory=dict[str, int | str])
    redirects: dict[str, str] = field(default_factory=dict[str, str])
    digest: str | None = None
    challenges: list[str] | None = None
    uses_of_a_nonce: int = 1000
    requests: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    logins: list[str] = field(default_factory=list[str])
    puts: list[str] = field(default_factory=list[str])
    nonce: int = 1
    used_counts: set[str] = field(default_factory=set[str])


@contextmanager
def run_caldav(server: CalDav) -> Generator[str]:
    """Run the server, and yield its address without a trailing slash."""

    class Handler(_Handler):
        known = server

    with serve(Handler) as address:
        yield address


class _Handler(BaseHTTPRequestHandler):
    known: CalDav
    protocol_version = "HTTP/1.1"
    timeout = 5

    def do_PROPFIND(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.known
        server.requests.append((self.command, self.path))
        if self.command == "PUT":
            server.puts.append(body.decode().replace("\r\n ", ""))
        if self.path in server.redirects:
            self._say(301, Location=server.redirects[self.path])
        elif not self._is_logged_in():
            challenges = server.challenges or [self._challenge()]
            self._say(401, *challenges)
        elif self.command == "PUT":
            self._say(201, ETag='"1"')
        else:
            self._describe(server.answers.get(self.path, 404))

    do_PUT = do_GET = do_PROPFIND  # noqa: N815 - the names of http.server

    def log_message(self, format: str, *args: object) -> None:
        pass

    def _describe(self, answer: int | str) -> None:
        if isinstance(answer, int):
            self._say(answer, body=b"<html>It works!</html>")
            return
        spaces = 'xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'
        inside = (
            f"<D:href>{self.path}</D:href><D:propstat><D:prop>{answer}</D:prop><D:status>HTTP/1.1 200 OK</D:status>"
        )
        text = f"<D:multistatus {spaces}><D:response>{inside}</D:propstat></D:response></D:multistatus>"
        self._say(207, body=text.encode())

    def _say(self, status: int, *challenges: str, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for challenge in challenges:
            self.send_header("WWW-Authenticate", challenge)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _challenge(self) -> str:
        server = self.known
        if server.digest is None:
            return 'Basic realm="calendars"'
        stale = ", stale=true" if server.used_counts else ""
        server.nonce += 1
        server.used_counts.clear()
        return f'Digest realm="calendars", qop="auth", algorithm={server.digest}, nonce="n{server.nonce}"{stale}'

    def _is_logged_in(self) -> bool:
        """Return whether the request has the login of user `ann` with password `secret`."""
        header = self.headers.get("Authorization", "")
        self.known.logins.append(header)
        if self.known.digest is None:
            return header == "Basic YW5uOnNlY3JldA=="
        said = {name: quoted or plain for name, quoted, plain in _FIELD.findall(header)}
        if not header.startswith("Digest ") or said["nonce"] != f"n{self.known.nonce}" or said["uri"] != self.path:
            return False
        if said["nc"] in self.known.used_counts or len(self.known.used_counts) >= self.known.uses_of_a_nonce:
            return False
        self.known.used_counts.add(said["nc"])
        return said["response"] == _response(said, self.command)


def _response(said: dict[str, str], method: str) -> str:
    """Return the digest that RFC 7616, 3.4.1 demands."""
    name = said["algorithm"].removesuffix("-sess").replace("-", "").lower()

    def hash_text(text: str) -> str:
        return hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest()

    key = hash_text(f"ann:{said['realm']}:secret")
    if said["algorithm"].endswith("-sess"):
        key = hash_text(f"{key}:{said['nonce']}:{said['cnonce']}")
    what = hash_text(f"{method}:{said['uri']}")
    return hash_text(f"{key}:{said['nonce']}:{said['nc']}:{said['cnonce']}:auth:{what}")
