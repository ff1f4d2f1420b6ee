"""One request on its way through the protocol."""

import msgspec

from almanac.kernel.caller import Caller
from almanac.protocol.message.headers import Headers
from almanac.protocol.message.revisions import STATELESS_SINCE
from almanac.protocol.message.rpc import Json
from almanac.protocol.toolset import View


class Exchange(msgspec.Struct):
    """A request, and what goes with its result: `notices` are notifications that travel ahead of it.

    `headers` is None where there are none to compare with the message: on stdio, or where the SDK has compared them.
    """

    method: str
    params: Json
    revision: str
    caller: Caller
    view: View
    headers: Headers | None = None
    notices: list[bytes] = msgspec.field(default_factory=list[bytes])
    meta: Json | None = None
    result_type: str = "complete"

    @property
    def stateless(self) -> bool:
        return self.revision >= STATELESS_SINCE
