"""One request on its way through the protocol, and its summary for the log."""

from typing import Literal

import msgspec

from almanac.kernel.caller import Caller
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import STATELESS_SINCE
from almanac.protocol.message.rpc import Json
from almanac.protocol.toolset import View


class Exchange(msgspec.Struct):
    """Request with everything that accompanies its result.

    `notices` are notifications to send ahead of the result. `tool` is the name of the called tool, `error` the code
    with which it failed. `ttl_ms` overrides how long clients may cache the result. `headers` is None if there are none
    to compare with the message: on stdio, or if the SDK has compared them. `hub_url` is as in `Call`.
    """

    method: str
    params: Json
    revision: str
    caller: Caller
    view: View
    headers: Headers | None = None
    hub_url: str | None = None
    notices: list[str] = msgspec.field(default_factory=list[str])
    meta: Json | None = None
    result_type: str = "complete"
    tool: str = ""
    error: str | None = None
    ttl_ms: int | None = None

    @property
    def stateless(self) -> bool:
        return self.revision >= STATELESS_SINCE


class ServedRequest(msgspec.Struct, frozen=True):
    """Method, tool and outcome of a request for the log: names and codes, never contents.

    `method` and `tool` are in the client's own words, and empty if the body names none. `revision` is empty if the
    request failed before its revision was known. `outcome` is ok, error (a JSON-RPC error or a tool's error) or failed
    (a bug of the server); `error` is the code of either error.
    """

    outcome: Literal["ok", "error", "failed"] = "ok"
    method: str = ""
    tool: str = ""
    revision: str = ""
    error: str = ""
