"""Google's consent page, on which a user allows Almanac to use their calendars.

This is Google's flow for desktop apps. The browser sends the answer to a port of this machine. PKCE proves that the
program that redeems the code is the one that asked for it.
"""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, cast
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec

from almanac.families.calendar.providers.google.token import TOKEN_URL, GoogleSecret
from almanac.families.calendar.providers.transport.http import Http
from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes

CONSENT_URL = "https://accounts.google.com/o/oauth2/v2/auth"
SCOPE = "https://www.googleapis.com/auth/calendar.events https://www.googleapis.com/auth/calendar.calendarlist.readonly"
_THANKS = b"Almanac may use your calendars now. You can close this page."


class Client(msgspec.Struct, frozen=True):
    """A desktop client of a Google Cloud project."""

    client_id: str
    client_secret: str


def read_client(text: bytes) -> Client:
    """Return the client in the JSON file of Google Cloud's console. Raises InvalidInput for any other file."""
    try:
        return msgspec.json.decode(text, type=dict[str, Client])["installed"]
    except (msgspec.DecodeError, KeyError):
        raise InvalidInput(
            "This is not the client file of a desktop app.",
            "In Google Cloud's console make an OAuth client of the type Desktop app, and download its JSON file.",
        ) from None


def ask_consent(
    client: Client,
    http: Http,
    *,
    port: int,
    show: Callable[[str], None],
    random_bytes: RandomBytes,
    seconds: float,
) -> GoogleSecret:
    """Show the address of the consent page, wait for the answer and redeem its code. Raises Forbidden if the user
    refuses, and Unavailable if no answer comes within `seconds`."""
    state, verifier = _text(random_bytes(24)), _text(random_bytes(48))
    with _listen(port, state) as server:
        server.timeout = seconds
        redirect = f"http://127.0.0.1:{server.server_port}"
        challenge = _text(hashlib.sha256(verifier.encode()).digest())
        query = {
            "client_id": client.client_id,
            "redirect_uri": redirect,
            "response_type": "code",
            "scope": SCOPE,
            "access_type": "offline",
            "prompt": "consent",
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        show(f"{CONSENT_URL}?{urlencode(query)}")
        while not server.answer:
            server.handle_request()
            if server.gave_up:
                raise Unavailable(
                    "No answer came from the browser.", "Start again, and follow the address that is shown."
                )
    if server.answer.get("state") != state or "code" not in server.answer:
        raise Forbidden(
            "Access to the calendars was not granted in the browser.", "Start again, and agree in the browser."
        )
    return _redeem_code(client, http, server.answer["code"], verifier, redirect)


def _redeem_code(client: Client, http: Http, code: str, verifier: str, redirect: str) -> GoogleSecret:
    form = {
        "client_id": client.client_id,
        "client_secret": client.client_secret,
        "code": code,
        "code_verifier": verifier,
        "grant_type": "authorization_code",
        "redirect_uri": redirect,
    }
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    response = http.send("POST", TOKEN_URL, headers=headers, body=urlencode(form).encode())
    try:
        token = msgspec.json.decode(response.body, type=dict[str, Any]).get("refresh_token")
    except msgspec.DecodeError:
        token = None
    if response.status != 200 or not isinstance(token, str):
        raise Forbidden(
            "Google returned no refresh token, so the permission would not last.",
            "Check the client's id and secret, and start again.",
        )
    return GoogleSecret(client.client_id, client.client_secret, token)


class _Server(HTTPServer):
    answer: dict[str, str]
    state: str
    gave_up = False

    def handle_timeout(self) -> None:
        self.gave_up = True


class _Page(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        answer = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        server = cast(_Server, self.server)
        # Another program that finds the port does not know the state.
        known = answer.get("state") == server.state
        if known:
            server.answer = answer
        self.send_response(200 if known else 404)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        if known:
            self.wfile.write(_THANKS if "code" in answer else b"Almanac may not use your calendars.")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing, because the paths contain codes."""


def _listen(port: int, state: str) -> _Server:
    try:
        server = _Server(("127.0.0.1", port), _Page)
    except OSError as problem:
        raise InvalidInput(
            f"Port {port} cannot be used: {problem.strerror}.", "Choose another with --port."
        ) from problem
    server.answer, server.state = {}, state
    return server


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
