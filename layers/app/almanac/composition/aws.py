"""Composition of the Lambda functions on AWS: the table, the gatekeeper and the limits, each opened at its first use.

Each function reads and checks its settings when it starts. Imports are inside the functions here, so that a Lambda
function only loads what it uses.
"""
# ruff: noqa: PLC0415

import os
import random
import time
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, cast

from almanac.composition.families import EXPENSIVE, FAMILIES, TOOL_SETS, late_families, needs_of_tools
from almanac.composition.quick_start import quick_start
from almanac.composition.settings import Settings, read_settings
from almanac.families.calendar.accounts.providers import Providers
from almanac.gateway.http.door import Handler, http_handler
from almanac.identity.storage_limit import admit_unless_full
from almanac.kernel.clock import Clock, SystemClock
from almanac.platform.services import Services
from almanac.platform.store.port import Store

if TYPE_CHECKING:
    from almanac.gateway.observability.usage import LogsClient
    from almanac.identity.access.call_leases import CallLeases
    from almanac.identity.access.limits import RequestLimits
    from almanac.identity.oauth.attempts import FirstCalls
    from almanac.identity.oauth.records import ClientGrant
    from almanac.kernel.caller import Caller
    from almanac.platform.blobs.large_values import LargeValues
    from almanac.platform.blobs.port import Blobs
    from almanac.platform.embedder.layer_model import LayerVectors
    from almanac.platform.embedder.port import ContextEmbedder, StaticVectors
    from almanac.platform.store.retries import Retries
    from almanac.platform.store.tenant_scan import TenantScan
    from almanac.protocol.wire.http import HttpEndpoint, Request, Response
    from almanac.search.engine.parts import IndexParts


@quick_start
def aws_authorizer() -> Handler:
    """Return the Lambda handler of the authorizer.

    It refuses a revoked key within 30 seconds. It accepts access tokens if a public URL is set.
    """
    from almanac.composition.installation import installation_zone
    from almanac.gateway.http.authorizer import authorizer_handler
    from almanac.identity.access.authorize import AccessTokens
    from almanac.identity.access.directory import CachingDirectory, StoredDirectory
    from almanac.identity.access.gatekeeper import Gatekeeper
    from almanac.identity.access.tiers import tier_limits
    from almanac.identity.oauth.resources import Origins

    settings = read_settings().require_fields("table", "region", "usage_keys")
    origins = None if settings.public_url is None else Origins(settings.public_url)
    zone, clock = installation_zone(settings), SystemClock()
    tiers = tier_limits(*(list(map(int, text.split(","))) for text in (settings.tier_rates, settings.tier_calls)))

    @cache
    def table() -> Store:
        return open_table(settings)

    @cache
    def directory() -> CachingDirectory:
        return CachingDirectory(StoredDirectory(table()), clock)

    def first_calls(grant: "ClientGrant", answer: str) -> None:
        first_calls_recorder()(grant, answer)

    @cache
    def first_calls_recorder() -> "FirstCalls":
        # Imported late, because most authorizers only see old grants, which need no trace.
        from almanac.identity.oauth.attempts import FirstCalls

        return FirstCalls(table, clock)

    needs = needs_of_tools(lambda: late_families(Services({}), FAMILIES))

    def usage_key(tenant: str) -> str:
        return f"{directory().tier(tenant)}{settings.usage_keys}"

    def gatekeeper() -> Gatekeeper:
        tokens = None if origins is None else AccessTokens(directory(), origins, needs, first_calls)
        return Gatekeeper(directory(), table(), clock, zone, tiers, tokens)

    return authorizer_handler(gatekeeper, usage_key=usage_key, origin=None if origins is None else origins.public_url)


@quick_start
def aws_handler(*families: str) -> Handler:
    """Return the Lambda handler of a function that serves these families, by name.

    Parts are opened at their first use.
    """
    settings = read_settings().require_fields("table", "region")
    services = services_on_aws(settings)

    def open_limits() -> "RequestLimits":
        from almanac.identity.access.limits import RequestLimits

        return RequestLimits(lambda: services.get(Store), SystemClock())

    def open_leases() -> "CallLeases":
        from almanac.identity.access.call_leases import CallLeases

        return CallLeases(services.get(Store), SystemClock(), os.urandom)

    return http_handler(
        *late_families(services, families),
        admission=open_limits,
        audit_store=lambda: services.get(Store),
        admits=admit_unless_full,
        leases=open_leases,
        expensive=EXPENSIVE,
        hooks=_answer_hook if len(families) > 1 else None,
        sets=TOOL_SETS,
        feed_url=settings.feed_url,
    )


def _answer_hook(
    name: str, request: "Request", caller: "Caller", endpoint: "HttpEndpoint", store: Store, clock: Clock
) -> "Response":
    from almanac.gateway.hooks.endpoint import answer_hook

    return answer_hook(name, request, caller, endpoint, store, clock)


def aws_hub() -> Handler:
    """Return the Lambda handler of the function that serves all families."""
    return aws_handler(*FAMILIES)


def services_on_aws(settings: Settings) -> Services:
    """Return the services that tools use. The first tool that needs a part opens it."""
    from almanac.composition.language_model import open_language_model
    from almanac.composition.services import services_from

    services: Services = services_from(
        lambda: open_whole_store(settings),
        SystemClock,
        cache(lambda: open_providers(settings, lambda: services.get(Store))),
        lambda: open_indexing(settings),
        lambda: open_language_model(settings),
    )
    return services


def open_indexing(settings: Settings, vectors: "StaticVectors | None" = None) -> "IndexParts":
    """Return the parts of search: index, vectors and embedding model.

    The index is the one in the settings, if any. `vectors` default to those of the embedder's layer. The model is the
    one in the settings, else the one in the function's layer.
    """
    from almanac.composition.search import index_parts

    if settings.search_endpoint is None:
        return index_parts(None, vectors or open_vectors())
    from almanac.composition.search_on_aws import open_opensearch

    return index_parts(open_opensearch(settings), vectors or open_vectors(), _open_model(settings))


def _open_model(settings: Settings) -> "Callable[[], ContextEmbedder] | None":
    if settings.embedding_model is None:
        from almanac.platform.embedder.layer_model import layer_model

        return layer_model()

    def open_model() -> "ContextEmbedder":
        from almanac.platform.embedder.titan import open_titan

        return open_titan(settings.region, settings.endpoint, time.monotonic)

    return cache(open_model)


def open_providers(settings: Settings, open_store: Callable[[], Store]) -> Providers:
    """Return the providers of connected calendars, whose secrets a KMS key decrypts. Without a key, there are none."""
    if settings.credentials_key is None:
        return Providers()
    from almanac.families.calendar.accounts.connector import gateway_opener
    from almanac.families.calendar.accounts.environment import NetworkEnvironment
    from almanac.families.calendar.providers.transport.addresses import NetworkPolicy
    from almanac.platform.encryption.kms import open_kms

    # API Gateway waits 29 seconds for an answer, and a booking may need several requests to a provider.
    environment = NetworkEnvironment(SystemClock(), time.sleep, random.random, NetworkPolicy(), seconds=4)
    sealer = open_kms(settings.credentials_key, settings.region)
    opener = gateway_opener(open_store, sealer=sealer, environment=environment, random_bytes=os.urandom)
    return Providers(opener, settings.lock_seconds)


def open_whole_store(settings: Settings) -> Store:
    """Open the table, with large values in the bucket if there is one."""
    return open_table(settings) if settings.bucket is None else open_values(settings)


def open_values(settings: Settings) -> "LargeValues":
    """Open the table with large values in the bucket. Raises InvalidInput if the settings lack table or bucket."""
    from almanac.platform.blobs.large_values import LargeValues
    from almanac.platform.blobs.late import LateBlobs

    bucket = str(settings.require_fields("bucket").bucket)
    return LargeValues(open_table(settings), LateBlobs(lambda: open_bucket(bucket, settings.region)), os.urandom)


def open_bucket(bucket: str, region: str | None = None, *, deleted: bool = False) -> "Blobs":
    """Open the bucket. With `deleted`, it also covers deleted objects that are kept for recovery."""
    # boto3 carries no types.
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    from almanac.platform.blobs.s3 import S3Blobs

    return S3Blobs(boto3.client("s3", region_name=region), bucket, deleted=deleted)  # pyright: ignore[reportUnknownMemberType]


def open_logs(region: str | None) -> "LogsClient":
    """Return the client of CloudWatch Logs. Raises InvalidInput without a region."""
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    region_name = read_settings().require_fields("region").region if region is None else region
    return cast("LogsClient", boto3.client("logs", region_name=region_name))  # pyright: ignore[reportUnknownMemberType]


def open_vectors() -> "LayerVectors":
    """Return the static embedder from the function's layer."""
    from almanac.platform.embedder.layer_model import LayerVectors

    return LayerVectors()


def open_table(settings: Settings) -> Store:
    """Open the DynamoDB table, with a registry of its partitions. Raises InvalidInput without a table or a region."""
    from almanac.platform.store.dynamodb.calls import connect
    from almanac.platform.store.dynamodb.partition_registry import RegisteringStore
    from almanac.platform.store.dynamodb.store import DynamoStore
    from almanac.platform.store.shared_secret import shared_secret

    settings.require_fields("table", "region")
    store: DynamoStore = DynamoStore(
        str(settings.table),
        connection=connect(str(settings.region), settings.dynamodb),
        clock=SystemClock(),
        cursor_secret=lambda: shared_secret(store, "cursors", os.urandom),
        random_bytes=os.urandom,
        retries=_retries(),
    )
    return RegisteringStore(store, SystemClock())


def open_table_scan(settings: Settings, clock: Clock) -> "TenantScan":
    """Open the scan that finds all items of a tenant in the table."""
    from almanac.platform.store.dynamodb.calls import connect
    from almanac.platform.store.dynamodb.scan import DynamoTenantScan

    settings.require_fields("table", "region")
    return DynamoTenantScan(
        str(settings.table),
        connection=connect(str(settings.region), settings.dynamodb),
        clock=clock,
        retries=_retries(),
    )


def _retries() -> "Retries":
    from almanac.platform.store.retries import Retries

    return Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic)
