"""Tell a client about events of the live feed and about mail.

A ping follows each group of notices. The stored position advances only after the client has answered it, because the
answer proves that the client has read everything before. The next bridge tells mail again until it is acknowledged at
the server.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct

from almanac.identity.access.authorize import PROJECT_HEADER
from almanac.kernel.errors import AlmanacError, Unavailable
from almanac.local.channel.client import Client, Gone
from almanac.local.channel.notices import (
    KINDS,
    MAIL,
    Notice,
    Reader,
    notice_of_event,
    notice_of_mail,
    notice_of_state,
)
from almanac.local.channel.position import Position
from almanac.local.client.feed_watch import CURSOR_REFUSED, NO_FEED, FeedEnd, FeedListener
from almanac.local.client.patient_calls import PatientCalls
from almanac.local.client.tool_calls import Failed, Session
from almanac.protocol.wire.server_info import FEED

_PAGE = 20
_REMEMBERED = 4096
_POLL_SECONDS = 15.0
_OUTAGE_SECONDS = 10.0

Json = dict[str, Any]


class ChannelServer(Struct, frozen=True):
    """The server to listen to. `url` is the address of the hub. `feed_url` is the address of the feed. If it is None,
    the bridge asks the hub for it."""

    url: str
    feed_url: str | None
    key: str
    project: str = ""

    def session(self) -> Session:
        return Session(self.url, self.key, {PROJECT_HEADER: self.project} if self.project else {})


class Teller:
    """Tells the client what happens, in one thread. It reads the feed no faster than the client takes notices."""

    def __init__(
        self,
        server: ChannelServer,
        client: Client,
        position: Position,
        log: Callable[[str], None],
        *,
        others_only: bool = False,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._server = server
        self._client = client
        self._position = position
        self._log = log
        self._others_only = others_only
        self._sleep = sleep
        self._session = server.session()
        self._calls = PatientCalls(self._session, pause=sleep, tell=log)
        self._feed_url = server.feed_url
        self._reader = Reader()
        self._mail_cursor: str | None = None
        self._told: dict[str, None] = {}
        self._values: dict[str, object] = {}

    def run(self) -> None:
        """Run until the client is gone or the server refuses the key."""
        try:
            while self._follow():
                pass
        except Gone:
            self._log("The client has stopped reading.")

    def _follow(self) -> bool:
        """Follow the feed until it ends, and return whether to start again."""
        server = self._server
        self._feed_url = self._feed_url or self._reported_feed_url()
        watching = FeedListener(
            self._feed_url,
            server.key,
            project=server.project,
            kinds=KINDS,
            since=self._position.cursor,
            patient=True,
            sleep=self._sleep,
        )

        def on_subscribed() -> None:
            if self._position.cursor is None:
                self._position.keep(watching.cursor)
            self._tell_mail()

        try:
            for event in watching.events(self._log, on_subscribed):
                self._take(event)
        except FeedEnd as ended:
            self._log(str(ended))
            if ended.code == NO_FEED:
                self._poll()
            if ended.code in CURSOR_REFUSED and self._position.cursor is not None:
                self._position.keep(None)
                text = "Some events were missed: they are kept for a day. The tools of Almanac show how things are now."
                self._client.tell([notice_of_state("events_missed", text)])
                return True
            text = "The Almanac server refused the channel, so no more notices arrive. A person has to look at its log."
            self._client.tell([notice_of_state("refused", text)])
        return False

    def _reported_feed_url(self) -> str:
        """Return the feed's URL that the hub reports, or the hub's own URL. Waits while the server does not answer."""
        while True:
            try:
                reported = self._session.experimental(FEED).get("url")
            except Failed as failed:
                if not failed.passing:
                    # The listener to the feed will report the problem.
                    return self._server.url
                self._log(f"{failed} Trying again in {_OUTAGE_SECONDS:g} s.")
                self._sleep(_OUTAGE_SECONDS)
                continue
            # The key is sent to this URL. If the hub uses https, the feed must be encrypted too.
            schemes = ("wss://",) if self._server.url.startswith("https:") else ("wss://", "ws://")
            return reported if isinstance(reported, str) and reported.startswith(schemes) else self._server.url

    def _poll(self) -> None:
        """Check for mail repeatedly, for a server without a live feed."""
        while True:
            self._tell_mail()
            self._sleep(_POLL_SECONDS)

    def _take(self, event: Json) -> None:
        if event["kind"] == MAIL:
            read = self._is_told(str(event["payload"].get("message_id"))) or self._tell_mail()
        else:
            notice = None if self._is_told(event["id"]) else notice_of_event(event, self._reader)
            read = notice is None or self._is_no_news(event) or self._tell([notice])
        if read:
            self._position.keep(event["cursor"])

    def _is_no_news(self, event: Json) -> bool:
        """Return whether the event is a broadcast of the reader's own that need not be told. That is the case if its
        value is unchanged, or if the reader wants only events of others. Without this check two sessions of one key
        would answer each other's broadcasts without end."""
        if event["kind"] != "broadcast_set" or not self._reader.is_actor(event["actor"]):
            return False
        key, value = str(event["payload"].get("key")), event["payload"].get("value")
        is_same = key in self._values and self._values[key] == value
        self._values[key] = value
        _forget_oldest(self._values)
        return is_same or self._others_only

    def _tell_mail(self) -> bool:
        """Tell mail that arrived since the last check, and return whether the client has read it."""
        read = True
        while True:
            at = {"cursor": self._mail_cursor} if self._mail_cursor else {}
            try:
                box = self._patiently("read_inbox", {"unread_only": True, "limit": _PAGE, **at})
            except AlmanacError as refused:
                if at:
                    self._mail_cursor = None
                    continue
                self._log(f"Mail cannot be delivered here: {refused}")
                return read
            self._reader = Reader(str(box.get("actor") or ""), [str(role) for role in box.get("roles") or ()])
            fresh = [one for one in box["messages"] if not self._is_told(str(one["id"]))]
            read = (not fresh or self._tell(map(notice_of_mail, fresh))) and read
            self._mail_cursor = box.get("next_cursor")
            if not box["truncated"]:
                return read

    def _patiently(self, tool: str, arguments: Json) -> Json:
        while True:
            try:
                return self._calls.ask(tool, arguments)
            except Unavailable:
                self._sleep(_OUTAGE_SECONDS)

    def _tell(self, notices: Iterable[Notice]) -> bool:
        new_notices = list(notices)
        read = self._client.tell(new_notices)
        self._told.update(dict.fromkeys(new_notice.id for new_notice in new_notices))
        _forget_oldest(self._told)
        return read

    def _is_told(self, id_: str) -> bool:
        return id_ in self._told


def _forget_oldest(rows: dict[str, Any]) -> None:
    while len(rows) > _REMEMBERED:
        del rows[next(iter(rows))]
