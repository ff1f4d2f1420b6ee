"""The authorizer's judgement: the pure core, with refused keys counted per address."""

from collections.abc import Mapping
from hashlib import sha256

from almanac.identity.attempts import FailedAttempts
from almanac.identity.authorize import Directory, authorize, sent_key
from almanac.identity.passes import Pass
from almanac.identity.refusals import Refusal
from almanac.kernel.clock import Clock
from almanac.kernel.instants import now_ms


class Gatekeeper:
    def __init__(self, directory: Directory, clock: Clock) -> None:
        self._directory = directory
        self._clock = clock
        self._attempts = FailedAttempts(clock)

    def judge(self, headers: Mapping[str, str], path: str, address: str) -> Pass | Refusal:
        """Like `authorize`; 429 for an address that sent too many refused keys in the last minute."""
        digest = sha256((sent_key(headers) or "").encode()).digest()
        if refusal := self._attempts.refusal(address, digest):
            return refusal
        verdict = authorize(headers, path, self._directory, now_ms(self._clock))
        if isinstance(verdict, Pass):
            self._attempts.succeeded(digest)
        elif verdict.status == 401:
            self._attempts.failed(address)
        return verdict
