"""The records of sign-in, and their keys in the store.

    S#oauth_clients#<id>        client       RegisteredClient
    S#oauth_documents#<digest>  document     the metadata document of a client, by the digest of its URL
    S#oauth_codes#<digest>      code         CodeRecord, for ten minutes after its end, also found by gsi1
    S#oauth_grants#<id>         grant        ClientGrant, also found by gsi1 at T#<tenant>#oauth_grants, <id>
    S#oauth_used#<grant>        <digest>     UsedRefresh, a refresh token that was used
    S#oauth_rates#<network>     <what>#<minute>   number of requests without a key that came from a network
    S#oauth_attempts            <id>         Attempt, also found by gsi1 at T#<tenant>#oauth_attempts, <id>

Instants are milliseconds since 1970.
"""

from msgspec import Struct
from msgspec.structs import replace

from almanac.identity.records import ANY_PROJECT, Grant, KeyRecord
from almanac.kernel.caller import Scope
from almanac.platform.store.keys import Key, Partition, sort_key

MINUTE = 60_000
DAY = 86_400_000
CODE_MS = MINUTE
ACCESS_MS = 60 * MINUTE
GRACE_MS = 5 * MINUTE
"""Time during which a used refresh token still returns the same successor, in milliseconds."""
IDLE_MS = 30 * DAY
CODE_KEPT_MS = 10 * MINUTE
CLIENT_KEPT_MS = 90 * DAY
DOCUMENT_KEPT_MS = 7 * DAY
ATTEMPT_KEPT_MS = 7 * DAY


class Terms(Struct, frozen=True, kw_only=True):
    """Permissions that a person gives a client.

    `families` None means all families of the key. `lifetime_ms` None means no end.
    """

    key_id: str
    tenant: str
    project: str
    families: tuple[str, ...] | None = None
    readonly: bool = True
    lifetime_ms: int | None = None


class Client(Struct, frozen=True, kw_only=True):
    """An OAuth client, registered or described by a metadata document.

    `host` is the host of the metadata document, empty without one. `secret` is the digest of the client's secret, None
    for a public client.
    """

    id: str
    name: str
    redirect_uris: tuple[str, ...]
    host: str = ""
    secret: bytes | None = None
    auth_method: str = "none"


class RegisteredClient(Client, frozen=True, kw_only=True):
    """A client that registered itself, or that an operator registered. `is_permanent` ones do not expire."""

    created_at: int
    used_at: int
    is_permanent: bool = False


class CodeRecord(Struct, frozen=True, kw_only=True):
    """An authorization code. `grant_id` is the grant that was made from it, None until the code is used."""

    client_id: str
    client_name: str
    client_host: str
    redirect_uri: str
    challenge: str
    resource: str
    terms: Terms
    attempt: str
    expires_at: int
    grant_id: str | None = None


class AccessDigest(Struct, frozen=True):
    digest: bytes
    expires_at: int


class ClientGrant(Struct, frozen=True, kw_only=True):
    """A client's permission to use a key, narrowed, and the digests of its tokens.

    `refresh` is the digest of the current refresh token, and `access` has those of the access tokens that work.
    `expires_at` is the end of the grant, None without one.
    """

    id: str
    key_id: str
    tenant: str
    project: str
    client_id: str
    client_name: str
    client_host: str
    resource: str
    families: tuple[str, ...] | None
    readonly: bool
    created_at: int
    used_at: int
    expires_at: int | None
    attempt: str
    refresh: bytes
    access: tuple[AccessDigest, ...]
    version: int = 0

    @property
    def ends_at(self) -> int:
        idle = self.used_at + IDLE_MS
        return idle if self.expires_at is None else min(idle, self.expires_at)


class UsedRefresh(Struct, frozen=True):
    salt: bytes
    at: int


class Attempt(Struct, frozen=True, kw_only=True):
    """One step of a sign-in: the request, and how the server answered it. It holds no secrets.

    `attempt` is the same for all steps of one sign-in. `tenant` is empty until a person has presented a key.
    """

    id: str
    at: int
    attempt: str
    step: str
    outcome: str
    client_id: str = ""
    client_host: str = ""
    redirect: str = ""
    scope: str = ""
    resource: str = ""
    tenant: str = ""
    key_id: str = ""
    grant_id: str = ""


def narrow_key(record: KeyRecord, grant: ClientGrant) -> KeyRecord | None:
    """Return the key with its permissions narrowed to the grant. None if the key no longer covers the grant."""
    own = record.grant
    if own.tenant != grant.tenant or own.project not in (ANY_PROJECT, grant.project):
        return None
    families = grant.families if own.families is None else _common(own.families, grant.families)
    ends = [end for end in (own.expires_at, grant.expires_at) if end is not None]
    terms: Grant = replace(
        own,
        project=grant.project,
        families=families,
        readonly=own.readonly or grant.readonly,
        operator=False,
        person=False,
        expires_at=min(ends, default=None),
    )
    return replace(record, grant=terms)


def _common(own: tuple[str, ...], granted: tuple[str, ...] | None) -> tuple[str, ...]:
    return own if granted is None else tuple(family for family in own if family in granted)


def client_key(client_id: str) -> Key:
    return Key(Partition.system("oauth_clients", client_id), sort_key("client"))


def document_key(url_digest: bytes) -> Key:
    return Key(Partition.system("oauth_documents", url_digest.hex()), sort_key("document"))


def code_key(digest: bytes) -> Key:
    return Key(Partition.system("oauth_codes", digest.hex()), sort_key("code"))


def grant_key(grant_id: str) -> Key:
    return Key(Partition.system("oauth_grants", grant_id), sort_key("grant"))


def used_refreshes_of(grant_id: str) -> Partition:
    return Partition.system("oauth_used", grant_id)


def used_refresh_key(grant_id: str, digest: bytes) -> Key:
    return Key(used_refreshes_of(grant_id), sort_key(digest.hex()))


def client_grants_of(tenant: str) -> Partition:
    """Return the partition in index gsi1 that lists the tenant's grants of clients."""
    return Partition.in_tenant(Scope(tenant, ""), "oauth_grants")


def codes_of(tenant: str) -> Partition:
    """Return the partition in index gsi1 that lists the tenant's authorization codes."""
    return Partition.in_tenant(Scope(tenant, ""), "oauth_codes")


ATTEMPTS = Partition.system("oauth_attempts")


def attempts_of(tenant: str) -> Partition:
    """Return the partition in index gsi1 that lists the tenant's authorization attempts."""
    return Partition.in_tenant(Scope(tenant, ""), "oauth_attempts")
