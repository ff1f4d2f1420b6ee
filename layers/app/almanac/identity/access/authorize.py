"""Authorization: headers and path in, a principal or a refusal out. Pure, but for the directory."""

from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from almanac.identity.access.effective_settings import EffectiveSettings, project_zone, week_start_for, zone_for
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import (
    BAD_KEY,
    BAD_TOKEN,
    NO_KEY,
    PROJECT_NEEDED,
    Refusal,
    outside_families,
    outside_grant,
    outside_project,
)
from almanac.identity.access.tiers import UNLIMITED, TierLimits
from almanac.identity.api_key import ApiKey, read_api_key
from almanac.identity.oauth.records import ClientGrant, narrowed
from almanac.identity.oauth.resources import Origins, covers
from almanac.identity.oauth.tokens import ACCESS, Token, read_token
from almanac.identity.records import ANY_PROJECT, Grant, KeyRecord
from almanac.kernel.caller import Caller, Scope

KEY_HEADER = "x-api-key"
PROJECT_HEADER = "x-almanac-project"
_METHOD_HEADER, _NAME_HEADER = "mcp-method", "mcp-name"

# In place of a key that does not exist, so that unknown and known ids cost the same comparison. No secret has a
# digest of zeros.
_NOBODY = KeyRecord(
    id="nobody", digest=bytes(32), grant=Grant(tenant="nobody", project="nobody", actor="nobody"), created_at=0
)


class Directory(Protocol):
    """The port by which keys and projects are looked up."""

    def key(self, key_id: str) -> KeyRecord | None: ...

    def place(self, tenant: str, project: str) -> EffectiveSettings | None:
        """Return the settings in force in the project; None without such a project."""
        ...


class GrantLookup(Protocol):
    """The port by which the grants of clients are looked up."""

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        """The grant of that id, None where there is none that `opens`."""
        ...


class ToolNeeds(Struct, frozen=True):
    """Requirements of a tool: the family that it belongs to, and whether it changes data."""

    family: str
    writes: bool


class AccessTokens:
    """Finds the grant of an access token, for requests to this server only. `needs_of` knows tools by name, so that a
    client may be told what to ask for before it calls one. `seen` is told how requests with a grant are answered."""

    def __init__(
        self,
        grants: GrantLookup,
        origins: Origins,
        needs_of: Callable[[str], ToolNeeds | None] = lambda _: None,
        seen: Callable[[ClientGrant, str], None] = lambda _grant, _answer: None,
    ) -> None:
        self._grants = grants
        self._origins = origins
        self._needs_of = needs_of
        self._seen = seen

    def answered(self, grant: ClientGrant, verdict: Principal | Refusal) -> None:
        """Tell how a request with this grant was answered."""
        self._seen(grant, "let in" if isinstance(verdict, Principal) else f"refused: {verdict.message}")

    def lacking(self, caller: Caller, headers: Mapping[str, str], family: str | None) -> Refusal | None:
        """The refusal of a request for a family, or for a tool that its headers name, that the grant does not allow."""
        needs = ToolNeeds(family, writes=False) if family else None
        if headers.get(_METHOD_HEADER) == "tools/call" and (caller.families is not None or caller.readonly):
            needs = self._needs_of(headers.get(_NAME_HEADER, "")) or needs
        if needs is None or (caller.may_use(needs.family) and not (needs.writes and caller.readonly)):
            return None
        from almanac.identity.oauth.scopes import granted_scope  # noqa: PLC0415 - few requests are refused so

        # A grant reads or writes as a whole, so what it has already is asked for again.
        families = None if caller.families is None else caller.families | {needs.family}
        readonly = caller.readonly and not needs.writes
        return outside_grant(granted_scope(families, readonly=readonly, every=()))

    def grant_of(self, token: Token, headers: Mapping[str, str], path: str, now: int) -> ClientGrant | None:
        """The grant of a token that works at `path` of the host that the request names, None for any other."""
        origin = self._origins.of(headers)
        if origin is None or token.kind != ACCESS:
            return None

        def opens(grant: ClientGrant) -> bool:
            matching = [one for one in grant.access if token.opens(one.digest)]
            return any(now < one.expires_at for one in matching) and now < grant.kept_until

        grant = self._grants.client_grant(token.grant_id, opens)
        if grant is not None and not covers(grant.resource, origin, path):
            self._seen(grant, f"refused: the token is for {grant.resource}")
            return None
        return grant


def authorize(
    headers: Mapping[str, str],
    path: str,
    directory: Directory,
    now: int,
    default_timezone: str | None = None,
    tiers: Mapping[str, TierLimits] | None = None,
    tokens: AccessTokens | None = None,
) -> Principal | Refusal:
    """Judge a request by its headers (names in lower case) and path (`/mcp`, `/mcp/<family>`); `now` in milliseconds.

    Unknown, wrong, revoked and expired keys, and those of a project that is gone, get the same refusal.
    `default_timezone` is the installation's, for keys whose project and tenant say none; `tiers` has the limits of
    tenants that have none of their own. `tokens` judges access tokens, None where nobody can sign in.
    """
    sent = sent_key(headers)
    if sent is None:
        return NO_KEY
    if token := read_token(sent):
        grant = None if tokens is None else tokens.grant_of(token, headers, path, now)
        if tokens is None or grant is None:
            return BAD_TOKEN
        verdict = _granted(grant, tokens, headers, path, directory, now, default_timezone, tiers)
        tokens.answered(grant, verdict)
        return verdict
    record = _verified(sent, directory, now)
    if record is None:
        return BAD_KEY
    family = family_of(path)
    if family and record.grant.families is not None and family not in record.grant.families:
        return outside_families(family)
    return principal_of(record, headers.get(PROJECT_HEADER, "").strip(), directory, default_timezone, tiers)


def principal_of(
    record: KeyRecord,
    named: str,
    directory: Directory,
    default_timezone: str | None,
    tiers: Mapping[str, TierLimits] | None,
) -> Principal | Refusal:
    """Judge what a key that works may do in the project that is named, or in its own where none is."""
    project = _project(record.grant, named)
    if isinstance(project, Refusal):
        return project
    place = directory.place(record.grant.tenant, project)
    if place is None:
        return outside_project(project[:64]) if record.grant.project == ANY_PROJECT else BAD_KEY
    grant = record.grant
    caller = caller_of(grant, record.id, project, place, default_timezone)
    limits = (tiers or {}).get(place.tier, UNLIMITED)
    return Principal(
        caller,
        grant.per_minute,
        grant.per_day,
        place.per_minute,
        place.per_day,
        default_per_minute=limits.per_minute if place.per_minute is None else None,
        calls_at_once=place.calls_at_once or limits.calls_at_once,
    )


def caller_of(
    grant: Grant, key_id: str, project: str, place: EffectiveSettings, default_timezone: str | None
) -> Caller:
    """The caller with this grant in a project; zone and start of the week are resolved."""
    return Caller(
        scope=Scope(grant.tenant, project),
        actor=grant.actor,
        key_id=key_id,
        families=None if grant.families is None else frozenset(grant.families),
        readonly=grant.readonly,
        default_timezone=zone_for(grant, place, default_timezone),
        week_start=week_start_for(grant, place),
        shares_memory=place.shared_memory,
        trusted_installers=frozenset(place.trusted_installers),
        project_timezone=project_zone(place, default_timezone),
        is_person=grant.person,
        storage_full=place.storage_full,
    )


def sent_key(headers: Mapping[str, str]) -> str | None:
    """The key as sent, in `x-api-key` or as a bearer token; None where there is none."""
    if key := headers.get(KEY_HEADER, "").strip():
        return key
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def family_of(path: str) -> str | None:
    """`time` of `/mcp/time`, also behind a stage prefix; None where the path names no family."""
    segments = [segment for segment in path.split("/") if segment]
    return segments[-1] if len(segments) >= 2 and segments[-2] == "mcp" else None


def _granted(
    grant: ClientGrant,
    tokens: AccessTokens,
    headers: Mapping[str, str],
    path: str,
    directory: Directory,
    now: int,
    default_timezone: str | None,
    tiers: Mapping[str, TierLimits] | None,
) -> Principal | Refusal:
    """Judge a request by the key behind its grant, narrowed to what the client was granted."""
    record = directory.key(grant.key_id)
    left = None if record is None else narrowed(record, grant)
    if left is None or not left.works_at(now):
        return BAD_TOKEN
    verdict = principal_of(left, headers.get(PROJECT_HEADER, "").strip(), directory, default_timezone, tiers)
    if isinstance(verdict, Refusal):
        return verdict
    return tokens.lacking(verdict.caller, headers, family_of(path)) or verdict


def _verified(sent: str, directory: Directory, now: int) -> KeyRecord | None:
    key = read_api_key(sent)
    return None if key is None else _opened(key, directory, now)


def _opened(key: ApiKey, directory: Directory, now: int) -> KeyRecord | None:
    stored = directory.key(key.id)
    record = stored or _NOBODY
    opens = key.opens(record.digest)
    works = record.works_at(now)
    return stored if opens and works else None


def _project(grant: Grant, named: str) -> str | Refusal:
    if grant.project != ANY_PROJECT:
        return outside_project(named[:64]) if named not in ("", grant.project) else grant.project
    return named or PROJECT_NEEDED
