"""Settings from the environment, read and checked once at the start and then passed on."""

from collections.abc import Mapping
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from almanac.composition.variables import VARIABLES, Variable, texts
from almanac.families.calendar.accounts.providers import LOCK_SECONDS
from almanac.identity.records import TIERS
from almanac.kernel.errors import InvalidInput

_OF_TIERS = rf"^\d{{1,9}}(,\d{{1,9}}){{{len(TIERS) - 1}}}$"
_NAMES = r"^([a-z_]{1,64}(,[a-z_]{1,64})*)?$"


class Settings(Struct, frozen=True, kw_only=True, rename={field: one.name for field, one in VARIABLES.items()}):
    """Values of the environment variables, checked. An unset variable is None; `VARIABLES` describes each field."""

    table: str | None = None
    bucket: str | None = None
    region: str | None = None
    endpoint: str | None = None
    table_endpoint: str | None = None
    credentials_key: str | None = None
    usage_keys: str | None = None
    tier_rates: Annotated[str, Meta(pattern=_OF_TIERS)] = "0,0,0"
    tier_calls: Annotated[str, Meta(pattern=_OF_TIERS)] = "0,0,0"
    event_queue: str | None = None
    event_bus: str | None = None
    event_kinds: Annotated[str, Meta(pattern=_NAMES)] = ""
    feed_queue: str | None = None
    enriching_queue: str | None = None
    feed_endpoint: str | None = None
    feed_url: str | None = None
    search_endpoint: str | None = None
    search_name: str = "almanac"
    search_shards: Annotated[int, Meta(ge=1, le=100)] | None = None
    search_replicas: Annotated[int, Meta(ge=0, le=5)] | None = None
    language_model: str | None = None
    embedding_model: Literal["amazon.titan-embed-text-v2:0"] | None = None
    timezone: str | None = None
    lock_seconds: Annotated[int, Meta(ge=LOCK_SECONDS[0], le=LOCK_SECONDS[2])] = LOCK_SECONDS[1]
    data: str | None = None
    public_url: str | None = None
    url: str | None = None
    holder: str | None = None
    token: str | None = None
    claims_offline: str | None = None
    api_key: str | None = None
    caldav_password: str | None = None
    google_client_id: str | None = None
    google_client_secret: str | None = None
    google_refresh_token: str | None = None
    oauth_redirect_port: Annotated[int, Meta(ge=0, le=65535)] = 8085
    cache: str | None = None
    xdg_data_home: str | None = None
    xdg_cache_home: str | None = None
    xdg_config_home: str | None = None
    app_data: str | None = None
    codex_home: str | None = None
    claude_config_dir: str | None = None
    local_app_data: str | None = None

    @property
    def dynamodb(self) -> str | None:
        """Address of a DynamoDB emulator; None for AWS."""
        return self.table_endpoint or self.endpoint

    def require_fields(self, *fields: str) -> "Settings":
        """Return these settings. Raises InvalidInput, naming the variable, if one of these fields is not set."""
        for field in fields:
            if getattr(self, field) is None:
                raise InvalidInput(f"{VARIABLES[field].name} is not set.", _hint(VARIABLES[field]))
        return self


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings from `environment`, by default this process's. Raises InvalidInput for an invalid value."""
    values = texts() if environment is None else texts(environment)
    try:
        return msgspec.convert(values, Settings, strict=False)
    except msgspec.ValidationError as wrong:
        # Only settings that are no secrets are checked, so the message cannot repeat a secret.
        variable = next(each for each in VARIABLES.values() if f"$.{each.name}" in str(wrong))
        raise InvalidInput(f"{variable.name} cannot be {values[variable.name][:20]!r}.", _hint(variable)) from None


def _hint(variable: Variable) -> str:
    return f"It is {variable.meaning}. Who sets it: {variable.source}."
