"""Composition of the Lambda functions of the live feed. Parts are opened at the first event."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false
# ruff: noqa: PLC0415 - each function imports only what it does

import os
from collections.abc import Callable, Mapping
from typing import Any

from almanac.composition.aws import open_table
from almanac.composition.installation import installation_zone
from almanac.composition.quick_start import quick_start
from almanac.composition.settings import Settings, read_settings
from almanac.gateway.feed.push import PushParts
from almanac.gateway.feed.socket_door import SocketParts
from almanac.identity.access.directory import CachingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.kernel.clock import SystemClock
from almanac.platform.feed.api_gateway import ApiGatewaySender
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret

Handler = Callable[[Mapping[str, Any], Any], Any]
_NEEDED = ("table", "region", "feed_endpoint")


@quick_start
def aws_feed_socket() -> Handler:
    """Return the Lambda handler of the WebSocket API, for connections, subscriptions and disconnections."""
    from almanac.gateway.feed.socket_door import socket_handler

    settings = read_settings().require_fields(*_NEEDED)
    zone = installation_zone(settings)
    return socket_handler(lambda: open_socket_parts(settings, zone))


@quick_start
def aws_feed_push() -> Handler:
    """Return the Lambda handler that moves events from the live feed's queue to the projects' logs and to their
    listeners.
    """
    from almanac.composition.aws_events import open_delivery
    from almanac.gateway.feed.push_door import push_handler

    settings = read_settings().require_fields(*_NEEDED)
    return push_handler(lambda: open_push_parts(settings), lambda report: open_delivery(settings, report))


def open_socket_parts(settings: Settings, zone: str | None) -> SocketParts:
    store, clock = open_table(settings), SystemClock()
    directory = CachingDirectory(StoredDirectory(store), clock)
    gatekeeper = Gatekeeper(directory, store, clock, zone)
    # The dashboard's pages come from the public URL, but the socket has an address of its own.
    pages = frozenset([settings.public_url.lower()] if settings.public_url else [])
    return SocketParts(store, gatekeeper, _cursors(store), _sender(settings), clock, os.urandom, allowed_origins=pages)


def open_push_parts(settings: Settings) -> PushParts:
    store, clock = open_table(settings), SystemClock()
    directory = CachingDirectory(StoredDirectory(store), clock)
    return PushParts(store, _cursors(store), _sender(settings), directory, clock, os.urandom)


def _cursors(store: Store) -> Cursors:
    return Cursors(lambda: shared_secret(store, "cursors", os.urandom))


def _sender(settings: Settings) -> ApiGatewaySender:
    import boto3

    endpoint = settings.require_fields("feed_endpoint").feed_endpoint
    return ApiGatewaySender(boto3.client("apigatewaymanagementapi", endpoint_url=endpoint))
