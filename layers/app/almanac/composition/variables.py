"""Table of the environment variables that Almanac reads, and the only module that reads them.

Variables that only AWS's SDK and Powertools read are not listed. This module imports nothing but the standard library,
so a command that needs a single text starts fast. Code that needs all variables, checked, reads `Settings`.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple


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
    "tier_rates": Variable(
        "ALMANAC_TIER_RATES",
        "requests per minute of a tenant that has no limit of its own, for trial, standard and premium; 0 for no limit",
        "the template, from TenantRequestsPerMinute",
    ),
    "tier_calls": Variable(
        "ALMANAC_TIER_CALLS",
        "how many calls to context, memory and code a tenant may have at one moment, the same way",
        "the template, from TenantCallsAtOnce",
    ),
    "event_queue": Variable("ALMANAC_EVENT_QUEUE", "the URL of the reactions' queue", _TEMPLATE),
    "event_bus": Variable("ALMANAC_EVENT_BUS", "the name of the event bus", _TEMPLATE),
    "event_kinds": Variable(
        "ALMANAC_EVENT_KINDS",
        "kinds of events, with commas between, that are put on the event bus for targets of yours",
        "the template, from EventKinds",
    ),
    "feed_queue": Variable("ALMANAC_FEED_QUEUE", "the URL of the live feed's queue", _TEMPLATE),
    "enriching_queue": Variable(
        "ALMANAC_ENRICHING_QUEUE",
        "the URL of the queue of what the model is to read; without it nothing is sent there",
        "the template, with SearchModel=on",
    ),
    "feed_endpoint": Variable("ALMANAC_FEED_ENDPOINT", "the address that sends to WebSockets", _TEMPLATE),
    "feed_url": Variable("ALMANAC_FEED_URL", "the address of the live feed, which clients are told", _TEMPLATE),
    "search_endpoint": Variable(
        "ALMANAC_SEARCH_ENDPOINT",
        "the address of OpenSearch; without it search finds what was written lately",
        "the template; you: the output SearchEndpoint",
    ),
    "search_name": Variable(
        "ALMANAC_SEARCH_NAME",
        "what the indices there are called by, so that several installations may share it",
        "the template: the stack's name",
    ),
    "search_shards": Variable(
        "ALMANAC_SEARCH_SHARDS",
        "how many shards an index has that is made anew, 1 to 100; where it is not set, as many as the one before had",
        "the template, from SearchShards; you, for `almanac search rebuild`",
    ),
    "search_replicas": Variable(
        "ALMANAC_SEARCH_REPLICAS",
        "the most copies that such an index has, 0 to 5, as far as there are nodes for them; where it is not set, as"
        " before",
        "the template, from SearchReplicas; you, for `almanac search rebuild`",
    ),
    "language_model": Variable(
        "ALMANAC_LANGUAGE_MODEL",
        "a model of Amazon Bedrock, or an inference profile, that writes the answers of synthesize; without it they are"
        " put together of what is quoted",
        "the template, from LanguageModel; on a laptop you, with AWS_REGION and credentials of AWS",
    ),
    "embedding_model": Variable(
        "ALMANAC_EMBEDDING_MODEL",
        "amazon.titan-embed-text-v2:0, where that model of Amazon Bedrock reads texts and questions for search",
        "the template, from EmbeddingModel",
    ),
    "timezone": Variable(
        "TIMEZONE",
        "the zone of callers for whom neither key, project nor tenant says one",
        "the template, from DefaultTimezone; on a laptop you",
    ),
    "lock_seconds": Variable(
        "LOCK_TTL_SECS",
        "for how many seconds, 5 to 300, a slot is locked for a provider's answer; 30 where it is not set",
        "you: a little above what the slowest provider needs",
    ),
    "data": Variable("ALMANAC_DATA", "the data folder of a laptop, as `--data`", _YOU),
    "public_url": Variable(
        "ALMANAC_PUBLIC_URL",
        "the https address at which clients reach the server and sign in, without a path",
        "you, as `--public-url`; the template, from PublicUrl",
    ),
    "url": Variable(
        "ALMANAC_URL",
        "the server for `almanac call`, `claims`, `code`, `skills` and `watch`",
        "you: the output Url or FeedUrl",
    ),
    "holder": Variable("ALMANAC_HOLDER", "who commits, for `almanac claims check`, as in claim", _YOU),
    "token": Variable("ALMANAC_TOKEN", "the token of a claim on what is committed, for `almanac claims check`", _YOU),
    "claims_offline": Variable(
        "ALMANAC_CLAIMS_OFFLINE",
        "`refuse` or `allow`: whether commits pass `almanac claims check` where the server does not answer",
        _YOU,
    ),
    "api_key": Variable(
        "ALMANAC_API_KEY",
        "the key of `call`, `claims`, `code`, `skills`, `watch` and `stdio`; for `serve` that of its first tenant",
        _YOU,
    ),
    "caldav_password": Variable("ALMANAC_CALDAV_PASSWORD", "the password for `calendar connect caldav`", _YOU),
    "google_client_id": Variable("GOOGLE_CLIENT_ID", "the client for `calendar connect google`", _YOU),
    "google_client_secret": Variable("GOOGLE_CLIENT_SECRET", "the client's secret", _YOU),
    "google_refresh_token": Variable("GOOGLE_REFRESH_TOKEN", "a permission given before: nobody is asked", _YOU),
    "oauth_redirect_port": Variable("OAUTH_REDIRECT_PORT", "the port of this machine where Google answers", _YOU),
    "cache": Variable(
        "ALMANAC_CACHE",
        "the folder of what can be made again, which all data folders of a machine share",
        "you; else the platform's folder for caches",
    ),
    "xdg_data_home": Variable("XDG_DATA_HOME", "where data folders are, on Linux", "the system"),
    "xdg_cache_home": Variable("XDG_CACHE_HOME", "where caches are, on Linux", "the system"),
    "xdg_config_home": Variable(
        "XDG_CONFIG_HOME", "where Claude Desktop and OpenCode keep settings, on Linux", "the system"
    ),
    "app_data": Variable("APPDATA", "where Claude Desktop keeps its settings, on Windows", "the system"),
    "codex_home": Variable("CODEX_HOME", "where Codex keeps its settings", _YOU),
    "claude_config_dir": Variable("CLAUDE_CONFIG_DIR", "where Claude Code keeps its settings", _YOU),
    "local_app_data": Variable("LOCALAPPDATA", "where data folders and caches are, on Windows", "the system"),
}
_SECRETS = frozenset({"ALMANAC_CALDAV_PASSWORD", "GOOGLE_CLIENT_SECRET"})
"""Taken as they are, blanks and all."""


def surroundings() -> Mapping[str, str]:
    """Return the variables that configure other programs of this machine, such as git."""
    return os.environ


def texts(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the set variables by name; a blank one counts as not set."""
    known = {one.name: environment.get(one.name) for one in VARIABLES.values()}
    given = {name: text if name in _SECRETS else text.strip() for name, text in known.items() if text is not None}
    return {name: text for name, text in given.items() if text or name in _SECRETS}


def text_of(field: str) -> str | None:
    """The text of one variable, None where it is not set."""
    return texts().get(VARIABLES[field].name)
