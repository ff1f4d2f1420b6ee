"""One request on its way through the protocol, and its summary for the log."""

from typing import Literal

import msgspec

from almanac.kernel.caller import Caller
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import STATELESS_SINCE
from almanac.protocol.message.rpc import Json
from almanac.protocol.toolset import View


class Exchange(msgspec.Struct):
    """A request, and what goes with its result: `notices` are notifications that travel ahead of it. `tool` is the name
    of the called tool, `error` the code with which it failed.

    `ttl_ms`, where it is set, is how long the result may be kept instead of what its method says.
    `headers` is None where there are none to compare with the message: on stdio, or where the SDK has compared them.
    `hub_url` as in `Call`.
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
    """The method, tool and outcome of a request, for the log: names and codes, never contents.

    `method` is empty where the body holds none, `tool` where none is called: both are in the client's own words.
    `revision` is empty for a request that failed before its revision was known. `outcome` is ok, error (answered with
    one) or failed (our defect); `error` is the code of the tool's error or of JSON-RPC's.
    """

    outcome: Literal["ok", "error", "failed"] = "ok"
    method: str = ""
    tool: str = ""
    revision: str = ""
    error: str = ""
