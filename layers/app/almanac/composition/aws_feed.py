"""What the live feed's functions use on AWS, opened when first needed."""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false

import os

from almanac.composition.aws import open_table
from almanac.composition.installation import installation_zone
from almanac.gateway.feed.push import PushParts
from almanac.gateway.feed.socket_door import SocketParts
from almanac.identity.access.directory import RememberingDirectory, StoredDirectory
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.kernel.clock import SystemClock
from almanac.platform.feed.api_gateway import ApiGatewaySender
from almanac.platform.store.cursors import Cursors
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret


def open_socket_parts() -> SocketParts:
    """On the table named by ALMANAC_TABLE and the WebSocket API at ALMANAC_FEED_ENDPOINT."""
    store, clock = open_table(os.environ), SystemClock()
    directory = RememberingDirectory(StoredDirectory(store), clock)
    gatekeeper = Gatekeeper(directory, store, clock, installation_zone(os.environ))
    return SocketParts(store, gatekeeper, _cursors(store), _sender(), clock, os.urandom)


def open_push_parts() -> PushParts:
    """The same for the function that tells the listeners."""
    store, clock = open_table(os.environ), SystemClock()
    directory = RememberingDirectory(StoredDirectory(store), clock)
    return PushParts(store, _cursors(store), _sender(), directory, clock, os.urandom)


def _cursors(store: Store) -> Cursors:
    return Cursors(lambda: shared_secret(store, "cursors", os.urandom))


def _sender() -> ApiGatewaySender:
    import boto3  # noqa: PLC0415 - tests of the doors need no client

    endpoint = os.environ["ALMANAC_FEED_ENDPOINT"]
    return ApiGatewaySender(boto3.client("apigatewaymanagementapi", endpoint_url=endpoint))
