"""The live feed's queue on AWS: what listeners are told of, a project's messages one after the other."""

from typing import Any

from almanac.platform.bus.sinks import Queue, project_queue
from almanac.platform.feed.port import KINDS

SUBSCRIBED = "feed_subscribed"
"""The kind of event by which a new listener asks to be told what it has missed."""


def listeners_queue(client: Any, url: str) -> Queue:
    return project_queue(client, url, KINDS | {SUBSCRIBED})
