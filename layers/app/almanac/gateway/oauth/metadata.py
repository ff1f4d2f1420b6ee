"""Metadata documents that tell a client where to sign in."""

from collections.abc import Sequence
from typing import Any

from almanac.identity.oauth.clients import AUTH_METHODS
from almanac.identity.oauth.resources import HUB, PROTECTED_RESOURCE
from almanac.identity.oauth.scopes import ALL, supported_scopes

AUTHORIZATION_SERVER = "/.well-known/oauth-authorization-server"

Json = dict[str, Any]


def protected_resource(origin: str, path: str, families: Sequence[str]) -> Json | None:
    """Return the metadata of the protected resource (RFC 9728) at `path`, or None if there is no such resource."""
    inside = path.removeprefix(PROTECTED_RESOURCE).rstrip("/") or HUB
    if inside != HUB and inside.removeprefix(f"{HUB}/") not in families:
        return None
    return {
        "resource": f"{origin}{inside}",
        "authorization_servers": [origin],
        "scopes_supported": [ALL],
        "bearer_methods_supported": ["header"],
        "resource_name": "Almanac",
    }


def authorization_server(origin: str, families: Sequence[str], *, reads_documents: bool) -> Json:
    """Return the metadata of the authorization server (RFC 8414)."""
    return {
        "issuer": origin,
        "authorization_endpoint": f"{origin}/authorize",
        "token_endpoint": f"{origin}/token",
        "registration_endpoint": f"{origin}/register",
        "revocation_endpoint": f"{origin}/revoke",
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "revocation_endpoint_auth_methods_supported": list(AUTH_METHODS),
        "scopes_supported": supported_scopes(families),
        "client_id_metadata_document_supported": reads_documents,
        "authorization_response_iss_parameter_supported": True,
    }
