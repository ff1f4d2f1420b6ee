"""The report of a request, from which telemetry writes one log line."""

from msgspec import Struct

_MAX_TEXT = 80


class RequestReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answered request: names, numbers and the outcome, never contents, arguments or secrets.

    `method` is JSON-RPC's method, or HTTP's if the body has none or was not read because the request was refused.
    `outcome` is ok, error (an error was returned), refused (not let in) or failed (a defect of Almanac). `error` is the
    error code of the tool or of JSON-RPC. `revision` is the protocol revision. `address` is the source of a refused
    request.
    """

    path: str
    method: str
    tool: str = ""
    tenant: str = ""
    project: str = ""
    key_id: str = ""
    status: int
    outcome: str
    milliseconds: float
    request_id: str = ""
    error: str = ""
    revision: str = ""
    address: str = ""


def printable(text: str) -> str:
    """Return text that a caller chose, cut to 80 characters and without control characters, for a log line."""
    text = text[:_MAX_TEXT]
    return text if text.isprintable() else "".join(c for c in text if c.isprintable())
