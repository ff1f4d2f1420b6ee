"""Table of the environment variables that Almanac reads, and the only module that reads them.

Variables that only AWS's SDK and Powertools read are not listed. This module imports only the standard library, so that
a command that needs a single variable starts fast. Code that needs all variables, checked, reads `Settings`.
"""

import os
from collections.abc import Mapping
from typing import NamedTuple


class Variable(NamedTuple):
    """An environment variable. `source` says who sets it, and to what."""

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
    "table_endpoint": Variable("AWS_ENDPOINT_URL_DYNAMODB", "the address of an emulator of DynamoDB alone", _YOU),
    "credentials_key": Variable(
        "ALMANAC_CREDENTIALS_KEY",
        "the KMS key that seals the secrets of connected calendars; without it there are native calendars only",
        "the template; you: the output CredentialsKey",
    ),
    "usage_keys": Variable("ALMANAC_USAGE_KEYS", "suffix of the keys of usage plans, after the tier", _TEMPLATE),
    "tier_rates": Variable(
        "ALMANAC_TIER_RATES",
        "requests per minute of a tenant that has no limit of its own, for trial, standard and premium; 0 for no limit",
        "the template, from TenantRequestsPerMinute",
    ),
    "tier_calls": Variable(
        "ALMANAC_TIER_CALLS",
        "the number of calls to context, memory and code that a tenant may run at once, in the same form",
        "the template, from TenantCallsAtOnce",
    ),
    "event_queue": Variable("ALMANAC_EVENT_QUEUE", "the URL of the reactions' queue", _TEMPLATE),
    "event_bus": Variable("ALMANAC_EVENT_BUS", "the name of the event bus", _TEMPLATE),
    "event_kinds": Variable(
        "ALMANAC_EVENT_KINDS",
        "kinds of events, separated by commas, that the event bus also gets for targets of your own",
        "the template, from EventKinds",
    ),
    "feed_queue": Variable("ALMANAC_FEED_QUEUE", "the URL of the live feed's queue", _TEMPLATE),
    "enriching_queue": Variable(
        "ALMANAC_ENRICHING_QUEUE",
        "the URL of the queue of documents for the embedding model; without it nothing is queued",
        "the template, with SearchModel=on",
    ),
    "feed_endpoint": Variable("ALMANAC_FEED_ENDPOINT", "the address for sending to WebSockets", _TEMPLATE),
    "feed_url": Variable("ALMANAC_FEED_URL", "the address of the live feed for clients", _TEMPLATE),
    "search_endpoint": Variable(
        "ALMANAC_SEARCH_ENDPOINT",
        "the address of OpenSearch; without it search finds only recent writes",
        "the template; you: the output SearchEndpoint",
    ),
    "search_name": Variable(
        "ALMANAC_SEARCH_NAME",
        "the prefix of index names there, so that several installations may share a domain",
        "the template: the stack's name",
    ),
    "search_shards": Variable(
        "ALMANAC_SEARCH_SHARDS",
        "the number of shards of a rebuilt index, 1 to 100; where it is not set, as many as the old index had",
        "the template, from SearchShards; you, for `almanac search rebuild`",
    ),
    "search_replicas": Variable(
        "ALMANAC_SEARCH_REPLICAS",
        "the highest number of replicas of a rebuilt index, 0 to 5, if there are nodes for them; where it is not set,"
        " as many as before",
        "the template, from SearchReplicas; you, for `almanac search rebuild`",
    ),
    "language_model": Variable(
        "ALMANAC_LANGUAGE_MODEL",
        "a model of Amazon Bedrock, or an inference profile, that writes the answers of synthesize; without it, they"
        " consist of quotations",
        "the template, from LanguageModel; on a laptop you, with AWS_REGION and credentials of AWS",
    ),
    "embedding_model": Variable(
        "ALMANAC_EMBEDDING_MODEL",
        "amazon.titan-embed-text-v2:0, if that model of Amazon Bedrock should embed texts and questions for search",
        "the template, from EmbeddingModel",
    ),
    "timezone": Variable(
        "TIMEZONE",
        "the time zone of callers whose key, project and tenant set none",
        "the template, from DefaultTimezone; on a laptop you",
    ),
    "lock_seconds": Variable(
        "LOCK_TTL_SECS",
        "for how many seconds, 5 to 300, a slot is locked while a provider answers; 30 where it is not set",
        "you: a little above the time of the slowest provider",
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
    "holder": Variable("ALMANAC_HOLDER", "the holder who commits, for `almanac claims check`, as in claim", _YOU),
    "token": Variable("ALMANAC_TOKEN", "the token of a claim on the committed files, for `almanac claims check`", _YOU),
    "claims_offline": Variable(
        "ALMANAC_CLAIMS_OFFLINE",
        "`refuse` or `allow`: whether commits pass `almanac claims check` if the server does not answer",
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
    "google_refresh_token": Variable(
        "GOOGLE_REFRESH_TOKEN", "a permission from an earlier sign-in, which needs no browser", _YOU
    ),
    "oauth_redirect_port": Variable("OAUTH_REDIRECT_PORT", "the port of this machine where Google answers", _YOU),
    "cache": Variable(
        "ALMANAC_CACHE",
        "the folder for files that can be made again, which all data folders of a machine share",
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
"""Variables whose values keep leading and trailing blanks."""


def surroundings() -> Mapping[str, str]:
    """Return the variables that configure other programs of this machine, such as git."""
    return os.environ


def texts(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the variables that are set, by name. A blank one counts as not set."""
    known = {variable.name: environment.get(variable.name) for variable in VARIABLES.values()}
    values = {name: text if name in _SECRETS else text.strip() for name, text in known.items() if text is not None}
    return {name: text for name, text in values.items() if text or name in _SECRETS}


def text_of(field: str) -> str | None:
    """Return the text of one variable. None if it is not set."""
    return texts().get(VARIABLES[field].name)
