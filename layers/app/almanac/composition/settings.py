"""Every environment variable that Almanac reads, in one place: read once by what starts, checked there, handed on.

What only AWS's SDK and Powertools look at is theirs.
"""

import os
from collections.abc import Mapping
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta, Struct

from almanac.families.calendar.accounts.reach import LOCK_SECONDS
from almanac.kernel.errors import InvalidInput


class Variable(NamedTuple):
    """`source` says who sets it, and to what."""

    name: str
    meaning: str
    source: str


_TEMPLATE = "the template"
_YOU = "you, where you like"

VARIABLES: Mapping[str, Variable] = {
    "table": Variable("ALMANAC_TABLE", "the DynamoDB table with all data", "the template; you: the output TableName"),
    "bucket": Variable(
        "ALMANAC_BUCKET", "the S3 bucket of large values", "the template; you: the output LargeValuesBucket"
    ),
    "region": Variable("AWS_REGION", "the AWS region of both", "Lambda; you"),
    "endpoint": Variable("AWS_ENDPOINT_URL", "the address of an emulator of AWS", _YOU),
    "table_endpoint": Variable("AWS_ENDPOINT_URL_DYNAMODB", "the same, of DynamoDB alone", _YOU),
    "credentials_key": Variable(
        "ALMANAC_CREDENTIALS_KEY",
        "the KMS key that seals the secrets of connected calendars; without it there are native calendars only",
        "the template; you: the output CredentialsKey",
    ),
    "usage_keys": Variable("ALMANAC_USAGE_KEYS", "what keys of usage plans end in, after the tier", _TEMPLATE),
    "event_queue": Variable("ALMANAC_EVENT_QUEUE", "the URL of the reactions' queue", _TEMPLATE),
    "event_bus": Variable("ALMANAC_EVENT_BUS", "the name of the event bus", _TEMPLATE),
    "feed_queue": Variable("ALMANAC_FEED_QUEUE", "the URL of the live feed's queue", _TEMPLATE),
    "feed_endpoint": Variable("ALMANAC_FEED_ENDPOINT", "the address that sends to WebSockets", _TEMPLATE),
    "timezone": Variable(
        "TIMEZONE",
        "the zone of callers for whom neither key, project nor tenant says one",
        "the template, from DefaultTimezone; on a laptop you",
    ),
    "lock_seconds": Variable(
        "LOCK_TTL_SECS",
        f"for how many seconds, {LOCK_SECONDS[0]} to {LOCK_SECONDS[2]}, a slot is locked for a provider's answer; "
        f"{LOCK_SECONDS[1]} where it is not set",
        "you: a little above what the slowest provider needs",
    ),
    "data": Variable("ALMANAC_DATA", "the data folder of a laptop, as `--data`", _YOU),
    "url": Variable("ALMANAC_URL", "the server for `almanac call` and `watch`", "you: the output Url or FeedUrl"),
    "api_key": Variable(
        "ALMANAC_API_KEY", "the key of `call`, `watch` and `stdio`; for `serve` that of its first tenant", _YOU
    ),
    "caldav_password": Variable("ALMANAC_CALDAV_PASSWORD", "the password for `calendar connect caldav`", _YOU),
    "google_client_id": Variable("GOOGLE_CLIENT_ID", "the client for `calendar connect google`", _YOU),
    "google_client_secret": Variable("GOOGLE_CLIENT_SECRET", "the client's secret", _YOU),
    "google_refresh_token": Variable("GOOGLE_REFRESH_TOKEN", "a permission given before: nobody is asked", _YOU),
    "oauth_redirect_port": Variable("OAUTH_REDIRECT_PORT", "the port of this machine where Google answers", _YOU),
    "xdg_data_home": Variable("XDG_DATA_HOME", "where data folders are, on Linux", "the system"),
    "local_app_data": Variable("LOCALAPPDATA", "where data folders are, on Windows", "the system"),
}
_SECRETS = frozenset({"ALMANAC_CALDAV_PASSWORD", "GOOGLE_CLIENT_SECRET"})
"""Taken as they are, blanks and all."""


class Settings(Struct, frozen=True, kw_only=True, rename={field: one.name for field, one in VARIABLES.items()}):
    """None stands for what is not set; `VARIABLES` says what each field is."""

    table: str | None = None
    bucket: str | None = None
    region: str | None = None
    endpoint: str | None = None
    table_endpoint: str | None = None
    credentials_key: str | None = None
    usage_keys: str | None = None
    event_queue: str | None = None
    event_bus: str | None = None
    feed_queue: str | None = None
    feed_endpoint: str | None = None
    timezone: str | None = None
    lock_seconds: Annotated[int, Meta(ge=LOCK_SECONDS[0], le=LOCK_SECONDS[2])] = LOCK_SECONDS[1]
    data: str | None = None
    url: str | None = None
    api_key: str | None = None
    caldav_password: str | None = None
    google_client_id: str | None = None
    google_client_secret: str | None = None
    google_refresh_token: str | None = None
    oauth_redirect_port: Annotated[int, Meta(ge=0, le=65535)] = 8085
    xdg_data_home: str | None = None
    local_app_data: str | None = None

    @property
    def dynamodb(self) -> str | None:
        """Where an emulator of DynamoDB is; None for AWS."""
        return self.table_endpoint or self.endpoint

    def needing(self, *fields: str) -> "Settings":
        """Itself. Raises InvalidInput that names the first of these variables that is not set."""
        for field in fields:
            if getattr(self, field) is None:
                raise InvalidInput(f"{VARIABLES[field].name} is not set.", _hint(VARIABLES[field]))
        return self


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """What the environment says; a blank variable is not set. Raises InvalidInput that names what cannot be."""
    known = {one.name: environment.get(one.name) for one in VARIABLES.values()}
    given = {name: text if name in _SECRETS else text.strip() for name, text in known.items() if text is not None}
    given = {name: text for name, text in given.items() if text or name in _SECRETS}
    try:
        return msgspec.convert(given, Settings, strict=False)
    except msgspec.ValidationError as wrong:
        # Only numbers can be wrong here, so that no secret is repeated.
        one = next(each for each in VARIABLES.values() if f"$.{each.name}" in str(wrong))
        raise InvalidInput(f"{one.name} cannot be {given[one.name][:20]!r}.", _hint(one)) from None


def _hint(one: Variable) -> str:
    return f"It is {one.meaning}. Who sets it: {one.source}."
