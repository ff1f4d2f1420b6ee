"""The JSON of an answer that is not a tool's: JSON-RPC's error form.

MCP clients show `error.message` of such a body to their user; `error.code` is the HTTP status, which lies outside the
codes that JSON-RPC reserves.
"""

from typing import Any

from almanac.identity.access.refusals import Refusal

Json = dict[str, Any]


def refusal_body(refusal: Refusal) -> Json:
    facts: Json = {"code": refusal.code, "hint": refusal.hint}
    if refusal.needed_scope is not None:
        facts["needed_scope"] = refusal.needed_scope
    if refusal.retry_after_seconds is not None:
        facts["retry_after_seconds"] = refusal.retry_after_seconds
    body = error_body(refusal.status, f"{refusal.message} {refusal.hint}", facts)
    # Also at the top, where programs that know no JSON-RPC look.
    return body | {name: facts[name] for name in ("needed_scope", "retry_after_seconds") if name in facts}


def error_body(status: int, message: str, data: Json) -> Json:
    return {"jsonrpc": "2.0", "id": None, "error": {"code": status, "message": message, "data": data}}
