"""Client of the live feed, which reconnects after a failure and continues from the cursor of the last event."""

import json
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus, InvalidURI
from websockets.sync.client import ClientConnection, connect

from almanac.identity.access.authorize import KEY_HEADER, PROJECT_HEADER
from almanac.platform.feed.frames import FELL_BEHIND

FEED = "/feed"
BACKOFF = (0.5, 1.0, 2.0, 5.0, 10.0)
OPEN_SECONDS = 10.0
_MAX_FRAME = 1024 * 1024
_FINAL = range(4400, 4500)


NO_FEED = "no_feed"
_REFUSED = "unauthorized"
CURSOR_REFUSED = frozenset({"cursor_expired", "invalid_input", "invalid_cursor"})
_FOR_GOOD = CURSOR_REFUSED | {_REFUSED}


class FeedEnd(Exception):
    """Raised when the feed has ended for good. `exit_status` is 2 if the server did not answer the first attempt, and 1
    if it refused. `code` is the server's error code, or NO_FEED."""

    def __init__(self, message: str, exit_status: int, code: str = "") -> None:
        super().__init__(message)
        self.exit_status = exit_status
        self.code = code


class FeedListener:
    """A listener to one feed. `cursor` is the position that it has reached, or None before the first event. A `patient`
    listener also keeps trying while the server has not answered yet, or has no free slot."""

    def __init__(
        self,
        url: str,
        key: str,
        *,
        project: str = "",
        kinds: Sequence[str] = (),
        keys: Sequence[str] = (),
        since: str | None = None,
        patient: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._url = feed_url(url)
        self._headers = {KEY_HEADER: key, **({PROJECT_HEADER: project} if project else {})}
        self._wanted = {"type": "subscribe", "kinds": list(kinds), "keys": list(keys)}
        self._patient = patient
        self._sleep = sleep
        self._connected = False
        self._failures = 0
        self.cursor = since

    def events(
        self, say: Callable[[str], None], subscribed: Callable[[], None] = lambda: None
    ) -> Generator[dict[str, Any]]:
        """Yield events without end. `say` gets messages for people, and `subscribed` is called after each connection.
        Raises FeedEnd."""
        while True:
            try:
                with connect(
                    self._url,
                    additional_headers=self._headers,
                    open_timeout=OPEN_SECONDS,
                    max_size=_MAX_FRAME,
                    # The environment's proxy could not reach a server on this machine.
                    proxy=True if self._url.startswith("wss:") else None,
                ) as socket:
                    yield from self._events(socket, say, subscribed)
                self._pause(say, None)
            except InvalidStatus as refused:
                status = refused.response.status_code
                if status < 500 and not (self._patient and status == 429):
                    code = _REFUSED if status in (401, 403) else NO_FEED
                    raise FeedEnd(_refusal(self._url, status), 1, code) from refused
                self._pause(say, refused)
            except InvalidURI as invalid:
                raise FeedEnd(
                    f"{self._url} is not the address of a server. Write it like http://127.0.0.1:8787.", 2
                ) from invalid
            except (OSError, InvalidHandshake, ConnectionClosed, TimeoutError) as lost:
                self._pause(say, lost)

    def _events(
        self, socket: ClientConnection, say: Callable[[str], None], subscribed: Callable[[], None]
    ) -> Iterator[dict[str, Any]]:
        # The server may close the connection before this is sent. The reason can still be read.
        with suppress(ConnectionClosed):
            socket.send(json.dumps(self._wanted | ({"since": self.cursor} if self.cursor else {})))
        for text in socket:
            frame: dict[str, Any] = json.loads(text)
            match frame["type"]:
                case "subscribed":
                    self._connected, self._failures = True, 0
                    self.cursor = frame["cursor"]
                    say("Listening.")
                    subscribed()
                case "events":
                    for event in frame["events"]:
                        self.cursor = event["cursor"]
                        yield event
                case "error" if frame["code"] in _FOR_GOOD or not (self._patient or frame["code"] == "fell_behind"):
                    raise FeedEnd(f"{frame['message']} {frame['hint']}".strip(), 1, frame["code"])
                case _:
                    continue

    def _pause(self, say: Callable[[str], None], lost: Exception | None) -> None:
        """Wait before the next attempt. Raises FeedEnd if the server has refused, or if there never was a connection
        and the listener is not patient."""
        code = lost.rcvd.code if isinstance(lost, ConnectionClosed) and lost.rcvd else 0
        if code in _FINAL and code != FELL_BEHIND and not self._patient:
            raise FeedEnd(f"The server has closed the feed ({code}).", 1) from lost
        if not (self._connected or self._patient):
            hint = "Start a server with `almanac serve`, or name another with --url."
            raise FeedEnd(f"No live feed answers at {self._url}. {hint}", 2) from lost
        seconds = BACKOFF[min(self._failures, len(BACKOFF) - 1)]
        self._failures += 1
        say(f"The connection is lost; the next attempt is in {seconds:g} s.")
        self._sleep(seconds)


def feed_url(url: str) -> str:
    """Return the feed's address on the server of `url`, such as ws://host:port/feed. A URL of a WebSocket is returned
    unchanged."""
    parts = urlsplit(url)
    if parts.scheme in ("ws", "wss"):
        return url
    return f"{'wss' if parts.scheme == 'https' else 'ws'}://{parts.netloc}{FEED}"


def _refusal(url: str, status: int) -> str:
    if status in (401, 403):
        return "The server refuses the key. Check it, or ask for another: `almanac keys issue`."
    if status == 429:
        return "Too many refused keys came from here. Wait a minute."
    return f"{url} has no live feed (HTTP {status}). Name the server with --url; on AWS that is the stack's FeedUrl."
