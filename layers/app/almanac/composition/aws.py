"""What the doors use on AWS, opened when first needed: the table, the gatekeeper and the limits on top of it.

Imports are inside: a door names these functions, and only the one that is called pays for what it needs.
"""
# ruff: noqa: PLC0415

import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from almanac.families.calendar.accounts.reach import Providers, ProvidersIfAllowed
from almanac.gateway.http.door import Handler, http_handler
from almanac.kernel.clock import Clock, SystemClock
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.protocol.family import Family

if TYPE_CHECKING:
    from almanac.identity.access.limits import RequestLimits
    from almanac.platform.blobs.port import Blobs


def aws_authorizer() -> Handler:
    """The Lambda handler of the authorizer's function; a revoked key is refused within 30 seconds.

    ALMANAC_USAGE_KEYS is what the keys of the usage plans end in: each is called like its tier, followed by that.
    TIMEZONE is the zone of callers for whom neither key, project nor tenant says one.
    """
    from almanac.composition.installation import installation_zone
    from almanac.gateway.http.authorizer import authorizer_handler
    from almanac.identity.access.directory import RememberingDirectory, StoredDirectory
    from almanac.identity.access.gatekeeper import Gatekeeper

    clock = SystemClock()

    @cache
    def table() -> Store:
        return open_table(os.environ)

    @cache
    def directory() -> RememberingDirectory:
        return RememberingDirectory(StoredDirectory(table()), clock)

    def usage_key(tenant: str) -> str:
        return directory().tier(tenant) + os.environ["ALMANAC_USAGE_KEYS"]

    def gatekeeper() -> Gatekeeper:
        return Gatekeeper(directory(), table(), clock, installation_zone(os.environ))

    return authorizer_handler(gatekeeper, usage_key=usage_key)


def aws_handler(make_families: Callable[[Services], Sequence[Family]]) -> Handler:
    """The Lambda handler of a function that serves these families. Nothing is opened before a call needs it."""
    services = services_on_aws()

    def open_limits() -> "RequestLimits":
        from almanac.identity.access.limits import RequestLimits

        return RequestLimits(services.get(Store), SystemClock())

    return http_handler(*make_families(services), admission=open_limits, audit_store=lambda: services.get(Store))


def services_on_aws() -> Services:
    """What tools work with; each part is opened by the first tool that needs it."""

    @cache
    def providers() -> Providers:
        return open_providers(os.environ, lambda: services.get(Store))

    services: Services = Services(
        {
            Store: lambda: open_whole_store(os.environ),
            Clock: SystemClock,
            Providers: providers,
            ProvidersIfAllowed: providers,
        }
    )
    return services


def open_providers(environment: Mapping[str, str], open_store: Callable[[], Store]) -> Providers:
    """The providers of connected calendars, whose secrets the KMS key of ALMANAC_CREDENTIALS_KEY opens; without one
    there are native calendars only."""
    from almanac.families.calendar.booking.service import lock_seconds

    key = environment.get("ALMANAC_CREDENTIALS_KEY")
    if not key:
        return Providers()
    from almanac.families.calendar.accounts.connecting import remotes_opener
    from almanac.families.calendar.accounts.surroundings import Surroundings
    from almanac.families.calendar.providers.transport.addresses import Reach
    from almanac.platform.sealing.kms import open_kms

    # API Gateway waits 29 seconds for an answer, which a booking may need several of a provider for.
    around = Surroundings(SystemClock(), time.sleep, random.random, Reach(), seconds=4)
    sealer = open_kms(key, environment.get("AWS_REGION"))
    return Providers(
        remotes_opener(open_store, sealer=sealer, around=around, random_bytes=os.urandom), lock_seconds(environment)
    )


def open_whole_store(environment: Mapping[str, str], table: str | None = None, region: str | None = None) -> Store:
    """The table of `open_table`, whose large values are in the bucket named by ALMANAC_BUCKET, where there is one."""
    small = open_table(environment, table, region)
    bucket = environment.get("ALMANAC_BUCKET")
    if not bucket:
        return small
    from almanac.platform.blobs.large_values import LargeValues
    from almanac.platform.blobs.late import LateBlobs

    return LargeValues(small, LateBlobs(lambda: open_bucket(bucket, region)), os.urandom)


def open_bucket(bucket: str, region: str | None = None) -> "Blobs":
    # boto3 carries no types.
    import boto3  # pyright: ignore[reportMissingTypeStubs]

    from almanac.platform.blobs.s3 import S3Blobs

    return S3Blobs(boto3.client("s3", region_name=region), bucket)  # pyright: ignore[reportUnknownMemberType]


def open_table(environment: Mapping[str, str], table: str | None = None, region: str | None = None) -> Store:
    """The DynamoDB table named by ALMANAC_TABLE, or `table`; AWS_ENDPOINT_URL points to an emulator.

    Raises KeyError where neither the environment nor the argument says which table, or which region.
    """
    from almanac.platform.store.dynamodb.calls import connect
    from almanac.platform.store.dynamodb.store import DynamoStore
    from almanac.platform.store.retries import Retries
    from almanac.platform.store.shared_secret import shared_secret

    host = environment.get("AWS_ENDPOINT_URL_DYNAMODB") or environment.get("AWS_ENDPOINT_URL")
    opened: DynamoStore = DynamoStore(
        table or environment["ALMANAC_TABLE"],
        connection=connect(region or environment["AWS_REGION"], host),
        clock=SystemClock(),
        cursor_secret=lambda: shared_secret(opened, "cursors", os.urandom),
        random_bytes=os.urandom,
        retries=Retries(sleep=time.sleep, random=random.random, monotonic=time.monotonic),
    )
    return opened
