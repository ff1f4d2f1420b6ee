"""Connection to the client over standard input and output. Messages are sent in order, and pings confirm what the
client has read."""

import json
import threading
from collections.abc import Iterable
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Any, BinaryIO

from almanac.local.channel.notices import Notice

_ANSWER_SECONDS = 5.0
_STUCK_SECONDS = 30.0
_PING = "almanac-"

Json = dict[str, Any]


class Gone(Exception):
    """Raised if the client has stopped reading."""


class Client:
    """Connection to the client. A thread writes the messages in order, so a slow client blocks only that thread."""

    def __init__(self, stdout: BinaryIO) -> None:
        self._sent = stdout
        self._waiting: Queue[bytes] = Queue(256)
        self._changed = threading.Condition()
        self._pinged = self._answered = 0
        self._answers = True
        self._is_gone = False
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, message: Json) -> None:
        """Queue a message. Raises Gone if the client no longer reads."""
        if self._is_gone:
            raise Gone
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._waiting.put(line + b"\n", timeout=_STUCK_SECONDS)
        except Full:
            raise Gone from None

    def tell(self, notices: Iterable[Notice]) -> bool:
        """Send the notices and a ping, and return whether the client has answered the ping. If it does not answer
        within five seconds, later calls do not wait until it answers one."""
        for notice in notices:
            params = {"content": notice.content, "meta": notice.meta}
            self.send({"method": "notifications/claude/channel", "params": params})
        with self._changed:
            self._pinged += 1
            number = self._pinged
        self.send({"id": f"{_PING}{number}", "method": "ping"})
        with self._changed:
            if self._answers:
                self._answers = self._changed.wait_for(lambda: self._answered >= number, _ANSWER_SECONDS)
            return self._answered >= number

    def take_answer(self, id_: object) -> None:
        """Process the client's answer to a request. The only requests are pings."""
        number = str(id_).removeprefix(_PING)
        with self._changed:
            if number.isdecimal() and len(number) < 19 and self._answered < int(number) <= self._pinged:
                self._answered, self._answers = int(number), True
                self._changed.notify_all()

    def _write(self) -> None:
        try:
            while True:
                self._sent.write(self._waiting.get())
                self._sent.flush()
        except (OSError, ValueError):
            self._is_gone = True
            # Empty the queue, so that no sender waits for room in it.
            with suppress(Empty):
                while True:
                    self._waiting.get_nowait()
