"""The gatekeeper, which authorizes requests and counts refused keys per network."""

from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256

from almanac.identity.access.authorize import AccessTokens, Directory, authorize, key_in_headers, principal_of
from almanac.identity.access.guesses import Guesses
from almanac.identity.access.networks import network_of
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import BAD_KEY, Refusal
from almanac.identity.access.tiers import TierLimits
from almanac.identity.oauth.tokens import read_token
from almanac.identity.records import KeyRecord
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import now_ms
from almanac.platform.store.port import Store


class Gatekeeper:
    """Authorizes requests and slows down networks that guess keys.

    `store` holds the counts of refused keys. `default_timezone` is the installation's zone, `tiers` has its limits by
    tier, and `tokens` checks access tokens.
    """

    def __init__(
        self,
        directory: Directory,
        store: Store,
        clock: Clock,
        default_timezone: str | None = None,
        tiers: Mapping[str, TierLimits] | None = None,
        tokens: AccessTokens | None = None,
    ) -> None:
        self._directory = directory
        self._clock = clock
        self._guesses = Guesses(store, clock)
        self._default_timezone = default_timezone
        self._tiers = tiers
        self._tokens = tokens

    def judge(self, headers: Mapping[str, str], path: str, address: str) -> Principal | Refusal:
        """Authorize a request, as `authorize` does.

        Refuses with 429 if the network sent too many bad keys this minute.
        """
        now = now_ms(self._clock)
        verdict = authorize(headers, path, self._directory, now, self._default_timezone, self._tiers, self._tokens)
        sent = key_in_headers(headers)
        if sent is None or read_token(sent) is not None:
            # Tokens are not counted. They have 256 bits, and expired ones of many clients may come from one address.
            return verdict
        network, digest = network_of(address), sha256(sent.encode()).digest()
        good = isinstance(verdict, Principal) or verdict.status != 401
        if good and self._guesses.remembers(network, digest):
            return verdict
        if refusal := self._guesses.refusal(network, digest, good=good):
            return refusal
        if good:
            # The record only helps later calls. Without it, keys can still read while the store takes no writes.
            with suppress(Unavailable):
                self._guesses.record_success(network, digest)
        else:
            self._guesses.record_refusal(network)
        return verdict

    def admits(self, record: KeyRecord, project: str) -> Principal | Refusal:
        """Authorize a key that a browser session stands for, as if the request had sent the key for that project."""
        if not record.works_at(now_ms(self._clock)):
            return BAD_KEY
        return principal_of(record, project, self._directory, self._default_timezone, self._tiers)
