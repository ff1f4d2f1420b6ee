"""Endpoints that programs call without a person: /token, /register and /revoke. They answer in JSON."""

import base64
import binascii
from contextlib import suppress
from typing import Any
from urllib.parse import unquote_plus

import msgspec
from msgspec import Struct

from almanac.gateway.oauth.authorize import Parts, Visit
from almanac.gateway.oauth.request import BadResource, DuplicateParameter, Parameters, form_of, resource_in
from almanac.identity.oauth.clients import BadRegistration
from almanac.identity.oauth.grants import InvalidGrant, Redemption, Tokens, WrongResource
from almanac.identity.oauth.records import Attempt
from almanac.identity.oauth.scopes import granted_scope
from almanac.kernel.errors import Conflict, LimitExceeded
from almanac.protocol.wire.http import Response

REGISTRATIONS_A_MINUTE = 120
REFUSALS_NOTED_A_MINUTE = 60
_FORM = "application/x-www-form-urlencoded"
Json = dict[str, Any]


class _Credentials(Struct, frozen=True):
    client_id: str
    secret: str | None
    method: str


class _Failed(Exception):
    """An error of RFC 6749 to answer with."""

    def __init__(self, error: str, description: str, status: int = 400) -> None:
        super().__init__(error)
        self.error = error
        self.description = description
        self.status = status


class ProgramEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def token(self, visit: Visit, body: bytes) -> Response:
        """Exchange a code or a refresh token."""
        client_id = ""
        try:
            form = _form(visit, body)
            credentials = _credentials(visit, form)
            client_id = credentials.client_id
            self._authenticate(credentials)
            kind = form.one("grant_type") or ""
            tokens = self._issue_tokens(kind, form, client_id, resource_in(form, visit.origin))
        except InvalidGrant as refused:
            self._note_refusal(visit, client_id, refused.reason, refused)
            code = "invalid_target" if isinstance(refused, WrongResource) else "invalid_grant"
            return _error(400, code, "The code or the token is not valid for this request.")
        except (DuplicateParameter, BadResource, _Failed) as failed:
            answer = _failure(failed)
            self._note_refusal(visit, client_id, answer.error)
            return _error(answer.status, answer.error, answer.description, visit)
        except Conflict:
            return _error(503, "temporarily_unavailable", "Repeat the request in a moment.")
        grant = tokens.grant
        self._note(client_id, f"{kind} answered", grant.tenant, grant.id, grant.attempt)
        scope = granted_scope(grant.families, readonly=grant.readonly, every=self._parts.families)
        return _json(
            200,
            {
                "access_token": tokens.access,
                "token_type": "Bearer",
                "expires_in": tokens.expires_in,
                "refresh_token": tokens.refresh,
                "scope": scope,
            },
        )

    def register(self, visit: Visit, body: bytes) -> Response:
        """Register a client (RFC 7591). Raises LimitExceeded."""
        try:
            metadata = msgspec.json.decode(body)
            # Refused registrations are not stored, so they are not counted.
            client, secret = self._register(visit, metadata)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return _error(400, "invalid_client_metadata", "Send the client's metadata as a JSON object.")
        except BadRegistration as bad:
            self._note("", f"{bad.error}: {bad.description}", step="register")
            return _error(400, bad.error, bad.description)
        self._note(client.id, f"registered {client.name}", step="register")
        issued: Json = {
            "client_id": client.id,
            "client_id_issued_at": client.created_at // 1000,
            "client_name": client.name,
            "redirect_uris": list(client.redirect_uris),
            "token_endpoint_auth_method": client.auth_method,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
        }
        if secret is not None:
            issued |= {"client_secret": secret, "client_secret_expires_at": 0}
        return _json(201, issued)

    def revoke(self, visit: Visit, body: bytes) -> Response:
        """End the grant of a token (RFC 7009). An unknown token is no error."""
        try:
            form = _form(visit, body)
            credentials = _credentials(visit, form)
            self._authenticate(credentials)
            text = form.one("token") or ""
        except (DuplicateParameter, _Failed) as failed:
            answer = _failure(failed)
            return _error(answer.status, answer.error, answer.description, visit)
        grant = self._parts.grants.revoke_token(text, credentials.client_id)
        if grant is not None:
            self._note(grant.client_id, "revoked by the client", grant.tenant, grant.id, grant.attempt)
        return _json(200, {})

    def _register(self, visit: Visit, metadata: object) -> Any:
        self._parts.limits.count("register", REGISTRATIONS_A_MINUTE, visit.address)
        return self._parts.clients.register(metadata)

    def _authenticate(self, credentials: _Credentials) -> None:
        if not self._parts.clients.is_authenticated(credentials.client_id, credentials.secret, credentials.method):
            raise _Failed("invalid_client", "The client is not known, or its secret is wrong. Register again.", 401)

    def _issue_tokens(self, kind: str, form: Parameters, client_id: str, resource: str | None) -> Tokens:
        if kind == "authorization_code":
            code, uri, verifier = (form.one(name) or "" for name in ("code", "redirect_uri", "code_verifier"))
            if not code or not verifier:
                raise _Failed("invalid_request", "Send code, redirect_uri and code_verifier.")
            return self._parts.grants.redeem(Redemption(code, client_id, uri, verifier, resource))
        if kind == "refresh_token":
            return self._parts.grants.refresh(form.one("refresh_token") or "", client_id, resource)
        raise _Failed("unsupported_grant_type", "grant_type is authorization_code or refresh_token.")

    def _note_refusal(self, visit: Visit, client_id: str, reason: str, refused: InvalidGrant | None = None) -> None:
        """Record a refusal in the sign-in trace. Refusals that belong to no tenant are limited for each network, so
        they cannot displace the records of other sign-ins."""
        if refused is not None and refused.tenant:
            self._note(client_id, reason, refused.tenant, refused.grant_id, refused.attempt)
            return
        with suppress(LimitExceeded):
            self._parts.limits.count("refusal", REFUSALS_NOTED_A_MINUTE, visit.address)
            self._note(client_id, reason)

    def _note(
        self, client_id: str, outcome: str, tenant: str = "", grant_id: str = "", attempt: str = "", step: str = "token"
    ) -> None:
        self._parts.attempts.note(
            Attempt(
                id="",
                at=0,
                attempt=attempt or self._parts.attempts.new_id(),
                step=step,
                outcome=outcome,
                client_id=client_id,
                tenant=tenant,
                grant_id=grant_id,
            )
        )


def _form(visit: Visit, body: bytes) -> Parameters:
    kind = visit.headers.get("content-type", _FORM).partition(";")[0].strip().lower()
    form = form_of(body) if kind == _FORM else None
    if form is None:
        raise _Failed("invalid_request", f"Send the parameters as {_FORM}.")
    return form


def _credentials(visit: Visit, form: Parameters) -> _Credentials:
    """Return the client's id and secret, from the header or the form. Raises _Failed."""
    scheme, _, encoded = visit.headers.get("authorization", "").strip().partition(" ")
    client_id, secret = form.one("client_id"), form.one("client_secret")
    if scheme.lower() == "basic":
        try:
            name, _, password = base64.b64decode(encoded.strip(), validate=True).decode().partition(":")
        except (binascii.Error, ValueError):
            raise _Failed("invalid_client", "The Authorization header cannot be read.", 401) from None
        name = unquote_plus(name)
        if client_id not in (None, name):
            raise _Failed("invalid_request", "client_id differs from that of the Authorization header.")
        return _Credentials(name, unquote_plus(password), "client_secret_basic")
    if not client_id:
        raise _Failed("invalid_client", "Send client_id.", 401)
    return _Credentials(client_id, secret or None, "client_secret_post" if secret else "none")


def _failure(problem: Exception) -> _Failed:
    if isinstance(problem, _Failed):
        return problem
    if isinstance(problem, BadResource):
        return _Failed("invalid_target", "resource is not an address of this server.")
    return _Failed("invalid_request", f"{problem} was sent more than once.")


def _error(status: int, error: str, description: str, visit: Visit | None = None) -> Response:
    answer = _json(status, {"error": error, "error_description": description})
    if status == 401 and visit is not None and visit.headers.get("authorization"):
        answer.headers["www-authenticate"] = 'Basic realm="almanac"'
    return answer


def _json(status: int, body: Json) -> Response:
    headers = {"content-type": "application/json", "cache-control": "no-store", "pragma": "no-cache"}
    return Response(status, headers, msgspec.json.encode(body).decode())
