"""Composition of the Lambda functions that events and schedules start. Parts are opened at the first event."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# ruff: noqa: PLC0415 - each function imports only what it does

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from almanac.composition.aws import open_indexing, open_table, open_values, open_whole_store, services_on_aws
from almanac.composition.families import every_job, every_reaction, rules_reactions
from almanac.composition.quick_start import quick_start
from almanac.composition.settings import Settings, read_settings
from almanac.composition.storage_totals import DOCUMENT_TABLES, count_job, open_meter
from almanac.kernel.clock import SystemClock
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.platform.bus.delivery import Delivery, Report
    from almanac.platform.bus.sinks import Sink

Handler = Callable[[Mapping[str, Any], Any], Any]


@quick_start
def aws_stream() -> Handler:
    """Return the Lambda handler that carries events from the table's stream to the queues and the event bus."""
    from almanac.gateway.events.stream_door import stream_handler

    settings = read_settings().require_fields("event_queue", "event_bus", "table", "region")
    sinks_of_batch = cache(lambda: sinks_on_aws(settings))

    def open_sinks() -> "Sequence[Sink]":
        return sinks_of_batch()()

    return stream_handler(open_sinks)


@quick_start
def aws_reactions() -> Handler:
    """Return the Lambda handler that passes queued events to the reactions of all families."""
    from almanac.gateway.events.queue_door import queue_handler

    settings = read_settings().require_fields("table", "region")
    return queue_handler(every_reaction(), lambda report: open_delivery(settings, report))


@quick_start
def aws_rules() -> Handler:
    """Return the Lambda handler that passes events from the event bus, through a queue, to the rules of projects."""
    from almanac.gateway.events.queue_door import queue_handler

    settings = read_settings().require_fields("table", "region")
    return queue_handler(rules_reactions(), lambda report: open_delivery(settings, report), is_fifo=False)


@quick_start
def aws_schedule() -> Handler:
    """Return the Lambda handler that runs the due jobs of all families, once a minute."""
    from almanac.gateway.events.schedule_door import schedule_handler

    settings, clock = read_settings().require_fields("table", "region"), SystemClock()
    counts = count_job(lambda: open_table(settings), clock, time.monotonic)
    jobs = [*(job for job in every_job() if not job.everywhere), counts]
    return schedule_handler(jobs, lambda: services_on_aws(settings))


@quick_start
def aws_sweep() -> Handler:
    """Return the Lambda handler for two tasks on stored data.

    Once a day it deletes large values that no item names. It also adds the writes in the table's stream to the storage
    totals of tenants.
    """
    from almanac.gateway.events.meter_door import meter_handler
    from almanac.gateway.events.sweep_door import sweep_handler

    settings, clock = read_settings().require_fields("table", "region", "bucket"), SystemClock()
    sweep = sweep_handler(cache(lambda: open_values(settings)), clock)
    meter = meter_handler(cache(lambda: open_meter(open_table(settings), clock)), DOCUMENT_TABLES)

    def handle(event: Mapping[str, Any], context: Any) -> "dict[str, Any] | None":
        return meter(event, context) if "Records" in event else sweep(event, context)

    return handle


@quick_start
def aws_enrichment() -> Handler:
    """Return the Lambda handler that adds the embedding model's vectors to the new documents of a queue."""
    from almanac.gateway.events.enrichment_door import enrichment_handler

    settings = read_settings().require_fields("table", "region")
    return enrichment_handler(lambda: services_on_aws(settings))


def sinks_on_aws(settings: Settings) -> "Callable[[], Sequence[Sink]]":
    """Return a function that makes the sinks for a batch of events.

    The sinks are the reactions' queue, the queues of the live feed and the model if there are some, and then the event
    bus. The bus comes last so that reactions need not wait for it.
    """
    import boto3

    from almanac.families.team.rules.event_filter import RuleEventFilter, is_for_rules_alone
    from almanac.platform.bus.sinks import Bus, Queue, project_queue
    from almanac.platform.feed.sink import listeners_queue
    from almanac.search.engine.document_writes import DOCUMENT_WRITTEN

    client: Any = boto3.client("sqs")
    listeners = (listeners_queue(client, settings.feed_queue),) if settings.feed_queue else ()
    url = settings.enriching_queue
    enrichment = (project_queue(client, url, {DOCUMENT_WRITTEN}),) if url else ()
    queue = Queue(client, str(settings.event_queue), takes=lambda message: not is_for_rules_alone(message))
    events: Any = boto3.client("events")
    kinds = frozenset(settings.event_kinds.split(",")) - {""}
    # The filter only reads kinds of rules, which are never large values.
    table = cache(lambda: open_table(settings))

    def sinks() -> "Sequence[Sink]":
        bus = Bus(events, str(settings.event_bus), kinds, RuleEventFilter(table).concerns)
        return (queue, *listeners, *enrichment, bus)

    return sinks


def open_delivery(settings: Settings, report: "Report") -> "Delivery":
    """Open the delivery of events to reactions. It uses the table with its large values."""
    from almanac.composition.services import services_for
    from almanac.platform.bus.delivery import Delivery

    clock = SystemClock()
    services = services_for(open_whole_store(settings), clock, open_indexing=lambda: open_indexing(settings))
    # The store of the services also wakes jobs, so that writes of reactions do.
    return Delivery(services.get(Store), services, clock, report=report)
