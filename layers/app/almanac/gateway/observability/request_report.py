"""One line of what operators see."""

from msgspec import Struct

_MAX_TEXT = 80


class RequestReport(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answered request: names, numbers and the outcome, never contents, arguments or secrets.

    `method` is JSON-RPC's; HTTP's where the body holds none, or was not read because the request was not let in.
    `outcome` is ok, error (answered with one), refused (not let in) or failed (our defect). `error` is the code of the
    tool's error or of JSON-RPC's, `revision` that of the protocol. `address` is where a refused request came from.
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
    """Callers choose these: what goes into a log line is short and holds no control characters."""
    text = text[:_MAX_TEXT]
    return text if text.isprintable() else "".join(c for c in text if c.isprintable())
