"""The live feed's queue on AWS, with the events for listeners. A project's messages are delivered in order."""

from typing import Any

from almanac.platform.bus.sinks import Queue, project_queue
from almanac.platform.feed.port import KINDS

SUBSCRIBED = "feed_subscribed"
"""Kind of event by which a new listener requests the events that it has missed."""


def listeners_queue(client: Any, url: str) -> Queue:
    return project_queue(client, url, KINDS | {SUBSCRIBED})
