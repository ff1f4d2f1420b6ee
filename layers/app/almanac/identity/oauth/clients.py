"""OAuth clients, which register (RFC 7591) or whose id is the URL of their metadata document."""

import hmac
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from almanac.identity.oauth.records import (
    CLIENT_KEPT_MS,
    DAY,
    DOCUMENT_KEPT_MS,
    MINUTE,
    Client,
    RegisteredClient,
    client_key,
    document_key,
)
from almanac.identity.oauth.redirects import is_loopback, may_register
from almanac.identity.oauth.tokens import base32, digest_of, new_secret
from almanac.identity.records import from_attributes, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent
from almanac.platform.store.port import Item, Put, Store

MOST_DOCUMENT_BYTES = 5 * 1024
MOST_URIS = 20
MOST_NAME = 80
AUTH_METHODS = ("none", "client_secret_post", "client_secret_basic")

_ID_BYTES = 10
_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_URL_PATH = re.compile(r"/[A-Za-z0-9._~!$&'()*+,;=:@/%-]*")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*\.[a-z][a-z0-9-]*[a-z0-9]")
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=\"?([0-9]{1,9})")
_FRESH_MS = (5 * MINUTE, DAY)
_STALE_MS = DAY


class FetchedDocument(Struct, frozen=True):
    """A metadata document as its server sent it."""

    body: bytes
    cache_control: str = ""


class FetchDocument(Protocol):
    def __call__(self, url: str) -> FetchedDocument:
        """Return the JSON document at an https URL.

        Raises an AlmanacError if it cannot be fetched safely and in time.
        """
        ...


class BadRegistration(Exception):
    """The server refuses a registration. `error` is a code of RFC 7591."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error = error
        self.description = description


class CachedDocument(Struct, frozen=True, kw_only=True):
    """Metadata document of a client, cached until `fresh_until`.

    Nothing reads `fetched_at`, but servers of earlier versions cannot open a document without it.
    """

    client: Client
    fetched_at: int
    fresh_until: int


class Clients:
    """Finds and registers clients. Without `fetch`, clients with a metadata document are unknown."""

    def __init__(
        self, store: Store, clock: Clock, random_bytes: RandomBytes, fetch: FetchDocument | None = None
    ) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._fetch = fetch

    def register(self, metadata: object) -> tuple[RegisteredClient, str | None]:
        """Register a client by its metadata. Return it and its secret, None for a public client.

        Only a digest of the secret is stored. Raises BadRegistration.
        """
        client, secret = registration(metadata, now_ms(self._clock), self._random_bytes)
        self._store.write([_put(client, Absent())])
        return client, secret

    def add(
        self, name: str, redirect_uris: tuple[str, ...], *, with_secret: bool
    ) -> tuple[RegisteredClient, str | None]:
        """Register a client on behalf of an operator. It does not expire. Raises InvalidInput for an unsafe redirect
        URI.
        """
        method = "client_secret_post" if with_secret else "none"
        metadata = {"client_name": name, "redirect_uris": list(redirect_uris), "token_endpoint_auth_method": method}
        try:
            client, secret = registration(metadata, now_ms(self._clock), self._random_bytes)
        except BadRegistration as bad:
            raise InvalidInput(bad.description, "Use https, or http on loopback.", path="redirect_uri") from bad
        client = replace(client, is_permanent=True)
        self._store.write([_put(client, Absent())])
        return client, secret

    def find_registered(self, client_id: str) -> RegisteredClient | None:
        if not _ID.fullmatch(client_id):
            return None
        item = self._store.get(client_key(client_id))
        return None if item is None else from_attributes(item.attributes, RegisteredClient)

    def is_authenticated(self, client_id: str, secret: str | None, method: str) -> bool:
        """Return whether the client has proved its identity at the token endpoint.

        A client with a metadata document has no secret to check.
        """
        if is_document_url(client_id):
            return True
        client = self.find_registered(client_id)
        if client is None:
            return False
        if client.secret is None:
            # Some clients send an empty secret, or a leftover one; a public client proves itself by PKCE.
            return True
        return method != "none" and secret is not None and hmac.compare_digest(digest_of(secret), client.secret)

    def find(self, client_id: str, may_fetch: Callable[[], None]) -> Client | None:
        """Return the client with that id. None if it is unknown.

        Calls `may_fetch` before it fetches a document; it raises to refuse that. Raises an AlmanacError if the client's
        document is invalid or cannot be fetched.
        """
        if not is_document_url(client_id):
            client = self.find_registered(client_id)
            if client is not None and client.used_at < now_ms(self._clock) - DAY:
                client = replace(client, used_at=now_ms(self._clock))
                self._store.write([_put(client)])
            return client
        if self._fetch is None:
            return None
        return self._find_by_document(client_id, self._fetch, may_fetch)

    def _find_by_document(self, url: str, fetch: FetchDocument, may_fetch: Callable[[], None]) -> Client:
        instant = now_ms(self._clock)
        key = document_key(digest_of(url))
        known = _cached_document(self._store.get(key), url)
        if known is not None and instant < known.fresh_until:
            return known.client
        may_fetch()
        try:
            fetched = fetch(url)
        except Unavailable:
            if known is not None and instant < known.fresh_until + _STALE_MS:
                return known.client
            raise
        client = client_of_document(url, fetched.body)
        made = CachedDocument(client=client, fetched_at=instant, fresh_until=instant + _fresh_ms(fetched.cache_control))
        self._store.write([Put(key, to_attributes(made), expires_at=instant + DOCUMENT_KEPT_MS)])
        return client


def is_document_url(client_id: str) -> bool:
    """Return whether a client id is the URL of a metadata document: https with a path, in its canonical spelling."""
    if len(client_id) > 500 or not client_id.startswith("https://"):
        return False
    try:
        parts = urlsplit(client_id)
        port = parts.port
    except ValueError:
        return False
    segments = parts.path.lower().replace("%2e", ".").split("/")
    plain = f"https://{parts.netloc}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    return (
        plain == client_id
        and port in (None, 443)
        and _HOST.fullmatch(parts.netloc.removesuffix(":443")) is not None
        and parts.path not in ("", "/")
        and _URL_PATH.fullmatch(parts.path) is not None
        and "." not in segments
        and ".." not in segments
        and not parts.query
    )


def client_of_document(url: str, body: bytes) -> Client:
    """Parse the metadata document at `url`. Raises InvalidInput if it does not describe an acceptable client."""
    document = _json_object(body)
    if document is None:
        raise _bad_document("it is not a JSON object")
    if document.get("client_id") != url:
        raise _bad_document("its client_id is not its own address")
    if document.get("token_endpoint_auth_method", "none") not in ("none", "private_key_jwt"):
        raise _bad_document("it asks for a client secret, which a public document cannot have")
    if any(name.startswith("client_secret") for name in document):
        raise _bad_document("it holds a client secret")
    try:
        uris = _redirect_uris(document)
    except BadRegistration as bad:
        raise _bad_document(bad.description) from bad
    host = (urlsplit(url).hostname or "").lower()
    return Client(id=url, name=_name(document), redirect_uris=uris, host=host)


def registration(metadata: object, instant: int, random_bytes: RandomBytes) -> tuple[RegisteredClient, str | None]:
    """Make a client from its metadata. Return it and its secret, None for a public client. Raises BadRegistration."""
    if not isinstance(metadata, dict):
        raise BadRegistration("invalid_client_metadata", "Send a JSON object.")
    asked = cast("Mapping[str, Any]", metadata)
    uris = _redirect_uris(asked)
    usual = "none" if any(map(_is_native, uris)) else "client_secret_basic"
    method = asked.get("token_endpoint_auth_method") or usual
    if method not in AUTH_METHODS:
        raise BadRegistration(
            "invalid_client_metadata", f"token_endpoint_auth_method is one of {', '.join(AUTH_METHODS)}."
        )
    grants = asked.get("grant_types")
    if isinstance(grants, list) and "authorization_code" not in grants:
        raise BadRegistration("invalid_client_metadata", "grant_types must hold authorization_code.")
    secret = None if method == "none" else new_secret(random_bytes)
    client = RegisteredClient(
        id=f"alc-{base32(random_bytes(_ID_BYTES))}",
        name=_name(asked),
        redirect_uris=uris,
        secret=None if secret is None else digest_of(secret),
        auth_method=method,
        created_at=instant,
        used_at=instant,
    )
    return client, secret


def _is_native(uri: str) -> bool:
    return is_loopback(uri) or not uri.startswith("https:")


def _redirect_uris(metadata: Mapping[str, Any]) -> tuple[str, ...]:
    uris = metadata.get("redirect_uris")
    if not isinstance(uris, list) or not uris:
        raise BadRegistration("invalid_redirect_uri", "redirect_uris must hold at least one URI.")
    listed = cast("list[object]", uris)
    if len(listed) > MOST_URIS:
        raise BadRegistration("invalid_redirect_uri", f"redirect_uris may hold at most {MOST_URIS} URIs.")
    for uri in listed:
        if not isinstance(uri, str) or not may_register(uri):
            raise BadRegistration(
                "invalid_redirect_uri",
                f"{str(uri)[:100]!r} cannot be a redirect URI: use https, http on 127.0.0.1, localhost or [::1], or "
                "the scheme of an application.",
            )
    return tuple(str(uri) for uri in listed)


def _name(metadata: Mapping[str, Any]) -> str:
    """Return the client's name for display: printable and short."""
    name = metadata.get("client_name")
    shown = (
        "".join(each if each.isprintable() else " " for each in name[: 4 * MOST_NAME]) if isinstance(name, str) else ""
    )
    return " ".join(shown.split())[:MOST_NAME]


def _fresh_ms(cache_control: str) -> int:
    found = _MAX_AGE.search(cache_control.lower())
    asked = int(found[1]) * 1000 if found else 60 * MINUTE
    return max(_FRESH_MS[0], min(asked, _FRESH_MS[1]))


def _cached_document(item: Item | None, url: str) -> CachedDocument | None:
    known = None if item is None else from_attributes(item.attributes, CachedDocument)
    return known if known is not None and known.client.id == url else None


def _json_object(body: bytes) -> Mapping[str, Any] | None:
    if len(body) > MOST_DOCUMENT_BYTES:
        return None
    try:
        document: object = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", document) if isinstance(document, dict) else None


def _bad_document(reason: str) -> InvalidInput:
    return InvalidInput(f"The metadata document of this client cannot be used: {reason}.", "Tell the client's maker.")


def _put(client: RegisteredClient, condition: Absent | None = None) -> Put:
    ends = None if client.is_permanent else client.used_at + CLIENT_KEPT_MS
    return Put(client_key(client.id), to_attributes(client), condition, expires_at=ends)
