"""The live feed's queue on AWS: what listeners are told of, a project's messages one after the other."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import msgspec

from almanac.platform.bus.messages import Message
from almanac.platform.bus.sinks import Queue, Sent
from almanac.platform.feed.port import KINDS

SUBSCRIBED = "feed_subscribed"
"""The kind of event by which a new listener asks to be told what it has missed."""


class ListenersQueue:
    """An SQS FIFO queue whose groups are projects. Retries of a reaction concern no listener."""

    def __init__(self, client: Any, url: str) -> None:
        self._queue = Queue(client, url, project_group)

    def send(self, messages: Sequence[Message]) -> Sent:
        places = [place for place, message in enumerate(messages) if _is_told(message)]
        if not places:
            return Sent(len(messages))
        sent = self._queue.send([messages[place] for place in places])
        if sent.accepted == len(places):
            return Sent(len(messages))
        return Sent(places[sent.accepted], sent.problem)


def project_group(message: Message) -> str:
    """64 characters, the same for all messages of a project."""
    return sha256(msgspec.json.encode((message.event.tenant, message.event.project))).hexdigest()


def _is_told(message: Message) -> bool:
    return message.reaction is None and (message.event.kind in KINDS or message.event.kind == SUBSCRIBED)
