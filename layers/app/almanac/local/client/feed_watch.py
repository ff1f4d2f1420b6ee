"""Command-line listener of a live feed: after a failure it connects again from the cursor of the last event."""

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
    """The feed is over: `exit_status` 2 where no server answered at the first attempt, 1 where it refused. `code` is
    that of the server's error, or NO_FEED."""

    def __init__(self, message: str, exit_status: int, code: str = "") -> None:
        super().__init__(message)
        self.exit_status = exit_status
        self.code = code


class FeedListener:
    """One listener. `cursor` is the place that it has come to, None before the first. A `patient` one also waits for a
    server that has not answered yet, and for a place where others have taken all."""

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
        """The events, without end; `say` gets what a person wants to know meanwhile, `subscribed` is called at each
        connection. Raises FeedEnd."""
        while True:
            try:
                with connect(
                    self._url,
                    additional_headers=self._headers,
                    open_timeout=OPEN_SECONDS,
                    max_size=_MAX_FRAME,
                    # A proxy of the environment's would not find the server of this machine.
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
        # Who is refused may be hung up on before it speaks; why is still to be read.
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
        """Before the next attempt. Raises FeedEnd where there never was a connection, or the server has refused."""
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
    """The feed's address on the server of `url`, which may name the hub: ws://host:port/feed. One that is a socket's
    already stays as it is."""
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
