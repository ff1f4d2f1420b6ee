"""What the stream's and the queue's functions use on AWS, opened when first needed."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import os
from collections.abc import Sequence
from typing import Any

from almanac.composition.aws import open_whole_store
from almanac.composition.reactions import services_for
from almanac.kernel.clock import SystemClock
from almanac.platform.bus.delivery import Delivery, Report
from almanac.platform.bus.sinks import Bus, Queue, Sink
from almanac.platform.feed.sink import ListenersQueue


def open_sinks() -> Sequence[Sink]:
    """The queue at ALMANAC_EVENT_QUEUE (a URL), the live feed's at ALMANAC_FEED_QUEUE where there is one, then the bus
    named ALMANAC_EVENT_BUS.

    Our own reactions come first: they must not wait for the bus.
    """
    import boto3  # noqa: PLC0415 - tests of the door need no client

    client: Any = boto3.client("sqs")
    queue = Queue(client, os.environ["ALMANAC_EVENT_QUEUE"])
    listeners = os.environ.get("ALMANAC_FEED_QUEUE")
    told = (ListenersQueue(client, listeners),) if listeners else ()
    return (queue, *told, Bus(boto3.client("events"), os.environ["ALMANAC_EVENT_BUS"]))


def open_delivery(report: Report) -> Delivery:
    """On the table named by ALMANAC_TABLE and the bucket named by ALMANAC_BUCKET."""
    store, clock = open_whole_store(os.environ), SystemClock()
    return Delivery(store, services_for(store, clock), clock, report=report)
