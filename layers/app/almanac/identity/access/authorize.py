"""Authorization of a request: takes headers and path, returns a principal or a refusal.

Pure, except for the directory.
"""

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
from almanac.identity.oauth.records import ClientGrant, narrow_key
from almanac.identity.oauth.resources import Origins, covers
from almanac.identity.oauth.tokens import ACCESS, Token, read_token
from almanac.identity.records import ANY_PROJECT, Grant, KeyRecord
from almanac.kernel.caller import Caller, Scope

KEY_HEADER = "x-api-key"
PROJECT_HEADER = "x-almanac-project"
_METHOD_HEADER, _NAME_HEADER = "mcp-method", "mcp-name"

# Stands in for a key that does not exist, so that unknown and known ids cost the same comparison. No secret has a
# digest of zeros.
_NOBODY = KeyRecord(
    id="nobody", digest=bytes(32), grant=Grant(tenant="nobody", project="nobody", actor="nobody"), created_at=0
)


class Directory(Protocol):
    """Port for looking up keys and projects."""

    def key(self, key_id: str) -> KeyRecord | None: ...

    def settings(self, tenant: str, project: str) -> EffectiveSettings | None:
        """Return the settings in force in the project. None if there is no such project."""
        ...


class GrantLookup(Protocol):
    """Port for looking up the grants of OAuth clients."""

    def client_grant(self, grant_id: str, opens: Callable[[ClientGrant], bool]) -> ClientGrant | None:
        """Return the grant with that id. None if there is none, or if `opens` returns False for it."""
        ...


class ToolNeeds(Struct, frozen=True):
    """Requirements of a tool: the family that it belongs to, and whether it changes data."""

    family: str
    writes: bool


class AccessTokens:
    """Finds the grant of an access token, for requests to this server only.

    `needs_of` returns the requirements of a tool by its name. With them, a refusal can name the scope to ask for before
    the tool is called. `on_verdict` is called with each grant that is used and the outcome of the request, as text.
    """

    def __init__(
        self,
        grants: GrantLookup,
        origins: Origins,
        needs_of: Callable[[str], ToolNeeds | None] = lambda _: None,
        on_verdict: Callable[[ClientGrant, str], None] = lambda _grant, _answer: None,
    ) -> None:
        self._grants = grants
        self._origins = origins
        self._needs_of = needs_of
        self._on_verdict = on_verdict

    def report(self, grant: ClientGrant, verdict: Principal | Refusal) -> None:
        """Report the verdict on a request with this grant."""
        self._on_verdict(grant, "let in" if isinstance(verdict, Principal) else f"refused: {verdict.message}")

    def missing_scope(self, caller: Caller, headers: Mapping[str, str], family: str | None) -> Refusal | None:
        """Return a refusal if the grant does not allow the family, or the tool that the headers name.

        None otherwise.
        """
        needs = ToolNeeds(family, writes=False) if family else None
        if headers.get(_METHOD_HEADER) == "tools/call" and (caller.families is not None or caller.readonly):
            needs = self._needs_of(headers.get(_NAME_HEADER, "")) or needs
        if needs is None or (caller.may_use(needs.family) and not (needs.writes and caller.readonly)):
            return None
        from almanac.identity.oauth.scopes import granted_scope  # noqa: PLC0415 - this refusal is rare

        # A grant reads or writes as a whole, so the client must also ask again for the families it already has.
        families = None if caller.families is None else caller.families | {needs.family}
        readonly = caller.readonly and not needs.writes
        return outside_grant(granted_scope(families, readonly=readonly, every=()))

    def grant_of(self, token: Token, headers: Mapping[str, str], path: str, now: int) -> ClientGrant | None:
        """Return the grant of a token if it is valid at `path` of the host that the request names. None otherwise."""
        origin = self._origins.of(headers)
        if origin is None or token.kind != ACCESS:
            return None

        def opens(grant: ClientGrant) -> bool:
            matching = [access for access in grant.access if token.opens(access.digest)]
            return any(now < access.expires_at for access in matching) and now < grant.ends_at

        grant = self._grants.client_grant(token.grant_id, opens)
        if grant is not None and not covers(grant.resource, origin, path):
            self._on_verdict(grant, f"refused: the token is for {grant.resource}")
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
    """Authorize a request by its headers (names in lower case) and path (`/mcp`, `/mcp/<family>`); `now` in
    milliseconds.

    Unknown, wrong, revoked and expired keys get the same refusal, and so do keys of a deleted project.
    `default_timezone` is the installation's zone, for keys whose project and tenant set none. `tiers` has the limits
    for tenants without limits of their own. `tokens` checks access tokens; None if the installation offers no sign-in.
    """
    sent = key_in_headers(headers)
    if sent is None:
        return NO_KEY
    if token := read_token(sent):
        grant = None if tokens is None else tokens.grant_of(token, headers, path, now)
        if tokens is None or grant is None:
            return BAD_TOKEN
        verdict = _authorize_token(grant, tokens, headers, path, directory, now, default_timezone, tiers)
        tokens.report(grant, verdict)
        return verdict
    record = _verify_key(sent, directory, now)
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
    """Return the principal of a working key in the project `named`, or in the key's own project if that is empty."""
    project = _project(record.grant, named)
    if isinstance(project, Refusal):
        return project
    settings = directory.settings(record.grant.tenant, project)
    if settings is None:
        return outside_project(project[:64]) if record.grant.project == ANY_PROJECT else BAD_KEY
    grant = record.grant
    caller = caller_of(grant, record.id, project, settings, default_timezone)
    limits = (tiers or {}).get(settings.tier, UNLIMITED)
    return Principal(
        caller,
        grant.per_minute,
        grant.per_day,
        settings.per_minute,
        settings.per_day,
        default_per_minute=limits.per_minute if settings.per_minute is None else None,
        calls_at_once=settings.calls_at_once or limits.calls_at_once,
    )


def caller_of(
    grant: Grant, key_id: str, project: str, settings: EffectiveSettings, default_timezone: str | None
) -> Caller:
    """Return the caller with this grant in a project, with its zone and start of the week resolved."""
    return Caller(
        scope=Scope(grant.tenant, project),
        actor=grant.actor,
        key_id=key_id,
        families=None if grant.families is None else frozenset(grant.families),
        readonly=grant.readonly,
        default_timezone=zone_for(grant, settings, default_timezone),
        week_start=week_start_for(grant, settings),
        shares_memory=settings.shared_memory,
        trusted_installers=frozenset(settings.trusted_installers),
        project_timezone=project_zone(settings, default_timezone),
        is_person=grant.person,
        storage_full=settings.storage_full,
    )


def key_in_headers(headers: Mapping[str, str]) -> str | None:
    """Return the key from `x-api-key` or from a bearer token. None if the request has neither."""
    if key := headers.get(KEY_HEADER, "").strip():
        return key
    scheme, _, token = headers.get("authorization", "").strip().partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def family_of(path: str) -> str | None:
    """Return the family that a path names: `time` for `/mcp/time`, also behind a stage prefix.

    None if it names none.
    """
    segments = [segment for segment in path.split("/") if segment]
    return segments[-1] if len(segments) >= 2 and segments[-2] == "mcp" else None


def _authorize_token(
    grant: ClientGrant,
    tokens: AccessTokens,
    headers: Mapping[str, str],
    path: str,
    directory: Directory,
    now: int,
    default_timezone: str | None,
    tiers: Mapping[str, TierLimits] | None,
) -> Principal | Refusal:
    """Authorize a request by the key behind its grant, narrowed to the permissions of the grant."""
    record = directory.key(grant.key_id)
    left = None if record is None else narrow_key(record, grant)
    if left is None or not left.works_at(now):
        return BAD_TOKEN
    verdict = principal_of(left, headers.get(PROJECT_HEADER, "").strip(), directory, default_timezone, tiers)
    if isinstance(verdict, Refusal):
        return verdict
    return tokens.missing_scope(verdict.caller, headers, family_of(path)) or verdict


def _verify_key(sent: str, directory: Directory, now: int) -> KeyRecord | None:
    key = read_api_key(sent)
    return None if key is None else _working_record(key, directory, now)


def _working_record(key: ApiKey, directory: Directory, now: int) -> KeyRecord | None:
    stored = directory.key(key.id)
    record = stored or _NOBODY
    opens = key.opens(record.digest)
    works = record.works_at(now)
    return stored if opens and works else None


def _project(grant: Grant, named: str) -> str | Refusal:
    if grant.project != ANY_PROJECT:
        return outside_project(named[:64]) if named not in ("", grant.project) else grant.project
    return named or PROJECT_NEEDED
