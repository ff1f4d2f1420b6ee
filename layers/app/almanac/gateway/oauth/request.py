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
    """A checked request: the client is known, and `redirect_uri` is one of the client's."""

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
    """The state that a page sends back: the request, the browser that saw it, and the id of the entered key."""

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
        """Return the value of a parameter, or None if it is missing. Raises DuplicateParameter."""
        values = [value for key, value in self._pairs if key == name]
        if len(values) > 1:
            raise DuplicateParameter(name)
        return values[0] if values else None

    def every(self, name: str) -> list[str]:
        return [value for key, value in self._pairs if key == name]


class BadResource(Exception):
    """The request names a resource of another server, or several resources."""


def resource_in(parameters: Parameters, origin: str) -> str | None:
    """Return the resource that a request names, or None if it names none. It may be repeated. Raises BadResource."""
    named = {canonical_resource(text, origin) for text in parameters.every("resource")}
    if len(named) > 1 or None in named:
        raise BadResource
    return named.pop() if named else None


def query_of(event: Event) -> Parameters:
    """Return the query parameters of an event of API Gateway, in either payload format."""
    raw = event.get("rawQueryString")
    if raw is not None:
        return Parameters(_parse_fields(str(raw)))
    several: Mapping[str, Any] = event.get("multiValueQueryStringParameters") or {}
    if several:
        return Parameters([(name, str(value)) for name, values in several.items() for value in values or ()])
    single: Mapping[str, Any] = event.get("queryStringParameters") or {}
    return Parameters([(name, str(value or "")) for name, value in single.items()])


def form_of(body: bytes) -> Parameters | None:
    """Return the fields of a form, or None if the body is no form."""
    try:
        return Parameters(_parse_fields(body.decode()))
    except (UnicodeDecodeError, ValueError):
        return None


def _parse_fields(text: str) -> Pairs:
    try:
        return parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        return [("client_id", ""), ("client_id", "")]  # too many fields: refused like a duplicate parameter


def answer_uri(redirect_uri: str, origin: str, state: str | None, **answer: str) -> str:
    """Return the URI that carries an answer to a client. Its `iss` names the issuer, so clients cannot confuse two."""
    fields = {**answer, **({} if state is None else {"state": state}), "iss": origin}
    joint = "&" if "?" in redirect_uri else "?"
    return f"{redirect_uri}{joint}{urlencode(fields, quote_via=quote, safe='')}"


class Seal:
    """Signs the state that pages send back. `secret` is called when the key is needed."""

    def __init__(self, secret: Callable[[], bytes]) -> None:
        self._secret = secret

    def close(self, sealed: SealedRequest) -> str:
        payload = msgspec.json.encode(sealed)
        return f"{_text(payload)}.{_text(self._mac(payload))}"

    def open(self, text: str, browser: str, now: int) -> SealedRequest | None:
        """Return the state if it was sealed for this browser within the last ten minutes, else None."""
        payload_text, _, mac_text = text.partition(".")
        try:
            payload, mac = urlsafe_b64decode(_add_padding(payload_text)), urlsafe_b64decode(_add_padding(mac_text))
        except ValueError:
            return None
        if not hmac.compare_digest(mac, self._mac(payload)):
            return None
        sealed = msgspec.json.decode(payload, type=SealedRequest)
        own = browser != "" and hmac.compare_digest(sealed.browser.encode(), browser.encode())
        return sealed if own and sealed.at <= now < sealed.at + _SEALED_MS else None

    def derive(self, *parts: str) -> bytes:
        """Return 32 bytes that depend on the texts and that only the holder of the secret can compute."""
        return self._mac(msgspec.json.encode(["derived", *parts]))

    def _mac(self, payload: bytes) -> bytes:
        return hmac.digest(self._secret(), payload, "sha256")


def _text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).rstrip(b"=").decode()


def _add_padding(text: str) -> bytes:
    return text.encode("ascii", "replace") + b"=" * (-len(text) % 4)
