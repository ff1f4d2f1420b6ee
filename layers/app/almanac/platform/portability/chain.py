"""Each line carries a check of itself and of all lines before it: what was changed, lost, added or moved is found at
its line, before anything of that line is used."""

import re
from hashlib import sha256

_TAIL = re.compile(rb',"check":"([0-9a-f]{32})"\}')
_TAIL_BYTES = len(',"check":""}') + 32


class Chain:
    """The state after the lines so far. Reader and writer each keep one."""

    def __init__(self) -> None:
        self._state = sha256(b"almanac tenant").digest()

    def seal(self, body: bytes) -> bytes:
        """`body`, a JSON object, with its check as last member."""
        return body[:-1] + b',"check":"' + self._check(body).hex()[:32].encode() + b'"}'

    def opens(self, line: bytes) -> bytes | None:
        """The body of a sealed line, None where it is not the next line of this chain."""
        tail = _TAIL.fullmatch(line[-_TAIL_BYTES:])
        body = line[:-_TAIL_BYTES] + b"}"
        return body if tail and tail[1].decode() == self._check(body).hex()[:32] else None

    def accept(self, carried: bytes) -> None:
        """The line is part of the chain: later checks depend on `carried`, its body or what counts of it."""
        self._state = self._check(carried)

    def _check(self, body: bytes) -> bytes:
        return sha256(self._state + body).digest()
