"""An authorization request: read from a query, sealed into the pages that ask a person about it."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

import msgspec
from msgspec import Struct

from almanac.identity.oauth.resources import canonical_resource

MOST_STATE = 4096
MOST_FIELDS = 60
_SEALED_MS = 10 * 60_000

Pairs = Sequence[tuple[str, str]]
Event = Mapping[str, Any]


class AuthorizationRequest(Struct, frozen=True, kw_only=True):
    """A request that was checked: its client is known, and `redirect_uri` is one of the client's."""

    client_id: str
    client_name: str
    client_host: str
    redirect_uri: str
    challenge: str
    resource: str
    scope: str
    attempt: str
    state: str | None = None


class SealedRequest(Struct, frozen=True, kw_only=True):
    """The state that a page hands back: the request, the browser it was shown to, and the key that a person entered."""

    request: AuthorizationRequest
    browser: str
    at: int
    key_id: str | None = None


class DuplicateParameter(Exception):
    """A parameter was sent more than once."""


class Parameters:
    """The parameters of a query or a form."""

    def __init__(self, pairs: Pairs) -> None:
        self._pairs = pairs

    def one(self, name: str) -> str | None:
        """The value of a parameter, None where it is missing. Raises Repeated."""
        values = [value for key, value in self._pairs if key == name]
        if len(values) > 1:
            raise DuplicateParameter(name)
        return values[0] if values else None

    def every(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]


class BadResource(Exception):
    """The request names a resource that is not of this server, or several."""


def resource_in(parameters: Parameters, origin: str) -> str | None:
    """The resource that a request names, None where it names none; the same one may be repeated. Raises BadResource."""
    named = {canonical_resource(text, origin) for text in parameters.every("resource")}
    if len(named) > 1 or None in named:
        raise BadResource
    return named.pop() if named else None


def query_of(event: Event) -> Parameters:
    """The query of an event of API Gateway, in either payload format."""
    raw = event.get("rawQueryString")
    if raw is not None:
        return Parameters(_parsed(str(raw)))
    several: Mapping[str, Any] = event.get("multiValueQueryStringParameters") or {}
    if several:
        return Parameters([(name, str(value)) for name, values in several.items() for value in values or ()])
    single: Mapping[str, Any] = event.get("queryStringParameters") or {}
    return Parameters([(name, str(value or "")) for name, value in single.items()])


def form_of(body: bytes) -> Parameters | None:
    """The fields of a form, None for what is not one."""
    try:
        return Parameters(_parsed(body.decode()))
    except (UnicodeDecodeError, ValueError):
        return None


def _parsed(text: str) -> Pairs:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return [("client_id", ""), ("client_id", "")]  # nobody sends that many: refused as a repeated parameter is


def answer_uri(redirect_uri: str, origin: str, state: str | None, **answer: str) -> str:
    """The URI that brings an answer to a client. `iss` names who answers, so that a client cannot mix up issuers."""
    fields = {**answer, **({} if state is None else {"state": state}), "iss": origin}
    joint = "&" if "?" in redirect_uri else "?"
    return f"{redirect_uri}{joint}{urlencode(fields, quote_via=quote, safe='')}"


class Seal:
    """Signs what pages hand back; `secret` is opened when it is first needed."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._secret = secret

    def close(self, sealed: SealedRequest) -> str:
        payload = msgspec.json.encode(sealed)
        return f"{_text(payload)}.{_text(self._mac(payload))}"

    def open(self, text: str, browser: str, now: int) -> SealedRequest | None:
        """Return what was sealed for this browser within ten minutes, or None."""
        payload_text, _, mac_text = text.partition(".")
        try:
            payload, mac = urlsafe_b64decode(_padded(payload_text)), urlsafe_b64decode(_padded(mac_text))
        except ValueError:
            return None
        if not hmac.compare_digest(mac, self._mac(payload)):
            return None
        sealed = msgspec.json.decode(payload, type=SealedRequest)
        own = browser != "" and hmac.compare_digest(sealed.browser.encode(), browser.encode())
        return sealed if own and sealed.at <= now < sealed.at + _SEALED_MS else None

    def derived(self, *parts: str) -> bytes:
        """32 bytes that nobody else can compute, the same ones for the same texts."""
        return self._mac(msgspec.json.encode(["derived", *parts]))

    def _mac(self, payload: bytes) -> bytes:
        return hmac.digest(self._secret(), payload, "sha256")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _padded(text: str) -> bytes:
    return text.encode("ascii", "replace") + b"=" * (-len(text) % 4)
