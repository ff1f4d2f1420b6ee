"""Detection of stateless requests, and the checks that such a request must pass before any other work."""

from typing import Any

from almanac.protocol.message import headers as header_fields
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import HANDSHAKE, STATELESS, UNNAMED
from almanac.protocol.message.rpc import INVALID_PARAMS, METHOD_NOT_FOUND, UNSUPPORTED_VERSION, Json, RpcError

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
CAPABILITIES_KEY = "io.modelcontextprotocol/clientCapabilities"
SERVER_INFO_KEY = "io.modelcontextprotocol/serverInfo"


def is_stateless(method: str, params: Json, headers: Headers) -> bool:
    """Return whether the request claims a revision without handshake, in its header or in its envelope."""
    version = headers.get(header_fields.VERSION)
    if version is not None and version not in HANDSHAKE:
        return True
    meta = params.get("_meta")
    return method != "initialize" and isinstance(meta, dict) and VERSION_KEY in meta


def handshake_revision(headers: Headers) -> str:
    """Return the revision of a request after a handshake, which its header repeats."""
    return headers.get(header_fields.VERSION, UNNAMED)


def stateless_revision(method: str, params: Json, headers: Headers) -> str:
    """Return the revision of a stateless request. RpcError at the first failed check of envelope, headers and
    version."""
    meta: Any = params.get("_meta")
    if not isinstance(meta, dict):
        raise RpcError(INVALID_PARAMS, f'params._meta must be an object with "{VERSION_KEY}" and "{CAPABILITIES_KEY}".')
    for key in (VERSION_KEY, CAPABILITIES_KEY):
        if key not in meta:
            raise RpcError(INVALID_PARAMS, f'params._meta must have "{key}".')
    if not isinstance(params["_meta"][CAPABILITIES_KEY], dict):
        raise RpcError(INVALID_PARAMS, f'"{CAPABILITIES_KEY}" must be an object.')
    version: Any = params["_meta"][VERSION_KEY]
    header_fields.check_routing(headers, version, method, params)
    check_version(version)
    return version


def check_version(version: str) -> None:
    """Raise RpcError UNSUPPORTED_VERSION with the supported revisions, unless `version` is a stateless revision served
    here."""
    if version not in STATELESS:
        data = {"supported": list(STATELESS), "requested": version}
        raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version.", data)


def http_status(error: RpcError, *, stateless: bool) -> int:
    """Return the HTTP status of an error response. Handshake revisions use only 200."""
    if not stateless or not error.is_callers:
        return 200
    return 404 if error.code == METHOD_NOT_FOUND else 400
