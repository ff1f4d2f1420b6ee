"""The client's end of the pipes: what is told goes out in order, and pings find out what the client has read."""

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
    """The client has stopped reading."""


class Client:
    """The client's end of the pipes. What is sent goes out in order, by a thread that alone waits for the client."""

    def __init__(self, sent: BinaryIO) -> None:
        self._sent = sent
        self._waiting: Queue[bytes] = Queue(256)
        self._changed = threading.Condition()
        self._pinged = self._answered = 0
        self._answers = True
        self._is_gone = False
        threading.Thread(target=self._write, daemon=True).start()

    def send(self, message: Json) -> None:
        """Raises Gone where the client takes nothing."""
        if self._is_gone:
            raise Gone
        line = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode("utf-8", "replace")
        try:
            self._waiting.put(line + b"\n", timeout=_STUCK_SECONDS)
        except Full:
            raise Gone from None

    def tell(self, notices: Iterable[Notice]) -> bool:
        """Tell all, and return whether the client says that it has read them. One that answers no pings is not waited
        for again until it answers one."""
        for one in notices:
            params = {"content": one.content, "meta": one.meta}
            self.send({"method": "notifications/claude/channel", "params": params})
        with self._changed:
            self._pinged += 1
            number = self._pinged
        self.send({"id": f"{_PING}{number}", "method": "ping"})
        with self._changed:
            if self._answers:
                self._answers = self._changed.wait_for(lambda: self._answered >= number, _ANSWER_SECONDS)
            return self._answered >= number

    def answered(self, id_: object) -> None:
        """Take the answer to a request, which can only be a ping."""
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
            # Who waits for room is let go: nobody takes anything out any more.
            with suppress(Empty):
                while True:
                    self._waiting.get_nowait()
