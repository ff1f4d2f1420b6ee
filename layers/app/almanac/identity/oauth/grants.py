"""Authorization codes and grants in the store.

A code works once, and each refresh replaces the refresh token. Reuse of either ends the grant. Every step is one
conditional write: of several concurrent requests one wins, and a killed process never leaves half a step.
"""

import hmac
import random
import re
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from almanac.identity.audit import Clerk
from almanac.identity.oauth.records import (
    ACCESS_MS,
    CODE_KEPT_MS,
    CODE_MS,
    GRACE_MS,
    IDLE_MS,
    AccessDigest,
    ClientGrant,
    CodeRecord,
    Terms,
    UsedRefresh,
    client_grants_of,
    code_key,
    codes_of,
    grant_key,
    narrow_key,
    used_refresh_key,
    used_refreshes_of,
)
from almanac.identity.oauth.tokens import (
    ACCESS,
    REFRESH,
    Token,
    digest_of,
    new_grant_id,
    new_secret,
    new_token,
    read_token,
)
from almanac.identity.records import LIVES, KeyRecord, from_attributes, key_key, tenant_key, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Conflict, NotFound
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.contention import Backoff, retry_on_conflict
from almanac.platform.store.keys import Key, sort_key
from almanac.platform.store.port import Change, Check, ConditionFailed, Delete, Index, Item, Put, Store, Update
from almanac.platform.store.queries import every_item
from almanac.platform.store.records import readable

_BACKOFF = Backoff(sleep=time.sleep, random=random.random)
_CODE = re.compile(r"[a-z2-7]{52}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_MOST_ACCESS = 6
"""Number of access tokens of one grant that work at the same time. Older ones stop working with each refresh."""
_PAGE = 100


class Tokens(Struct, frozen=True):
    """New tokens of a grant. `expires_in` is the lifetime of the access token in seconds."""

    access: str
    refresh: str
    expires_in: int
    grant: ClientGrant


class InvalidGrant(Exception):
    """The server refuses a code or a token.

    `reason`, `tenant` and `attempt` are for the trace of sign-ins. The client only learns that it was refused. `tenant`
    and `attempt` are "" if neither a code nor a grant is known.
    """

    def __init__(self, reason: str, grant: ClientGrant | None = None, code: CodeRecord | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.grant_id = grant.id if grant else ""
        self.tenant = grant.tenant if grant else code.terms.tenant if code else ""
        self.attempt = grant.attempt if grant else code.attempt if code else ""


class WrongResource(InvalidGrant):
    """The request names another resource than the grant."""


class Redemption(Struct, frozen=True):
    """A code as a client presents it. `resource` is None if the request names none."""

    code: str
    client_id: str
    redirect_uri: str
    verifier: str
    resource: str | None = None


def is_challenge(text: str) -> bool:
    """Return whether `text` has the form of an S256 code challenge."""
    return _CHALLENGE.fullmatch(text) is not None


def proves(verifier: str, challenge: str) -> bool:
    """Return whether a PKCE verifier matches the challenge (S256)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    made = urlsafe_b64encode(sha256(verifier.encode()).digest()).rstrip(b"=")
    return hmac.compare_digest(made, challenge.encode())


class ClientGrants:
    """Issues codes, and grants and their tokens for codes and refresh tokens."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        random_bytes: RandomBytes,
        backoff: Backoff = _BACKOFF,
    ) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes
        self._backoff = backoff

    def new_code(
        self,
        *,
        client_id: str,
        client_name: str,
        client_host: str,
        redirect_uri: str,
        challenge: str,
        resource: str,
        terms: Terms,
        attempt: str,
        secret: str | None = None,
    ) -> str:
        """Return a code that the client may use once within a minute.

        A caller may derive `secret` itself, so that repeating the call returns the same code. Raises Conflict if that
        code was used or has expired.
        """
        instant = now_ms(self._clock)
        code = secret or new_secret(self._random_bytes)
        record = CodeRecord(
            client_id=client_id,
            client_name=client_name,
            client_host=client_host,
            redirect_uri=redirect_uri,
            challenge=challenge,
            resource=resource,
            terms=terms,
            attempt=attempt,
            expires_at=instant + CODE_MS,
        )
        kept = instant + CODE_MS + CODE_KEPT_MS
        key = code_key(digest_of(code))
        found_by: dict[Index, Key] = {"gsi1": Key(codes_of(terms.tenant), sort_key(digest_of(code).hex()))}
        try:
            self._store.write([Put(key, to_attributes(record), Absent(), expires_at=kept, indexes=found_by)])
        except ConditionFailed:
            if not self._waits(key, instant):
                raise Conflict("This code was given before.") from None
        return code

    def _waits(self, code: Key, instant: int) -> bool:
        """Return whether a code can still be used."""
        item = self._store.get(code)
        record = None if item is None else from_attributes(item.attributes, CodeRecord)
        return record is not None and record.grant_id is None and instant < record.expires_at

    def redeem(self, redemption: Redemption) -> Tokens:
        """Exchange a code for tokens.

        Raises InvalidGrant. Presenting a used code ends the grant that was made from it.
        """
        if not _CODE.fullmatch(redemption.code):
            raise InvalidGrant("unknown code")
        return retry_on_conflict(self._backoff, lambda: self._redeem(redemption), "the sign-in", Conflict)

    def refresh(self, text: str, client_id: str, resource: str | None = None) -> Tokens:
        """Exchange a refresh token for new tokens.

        Within five minutes of its first use, the same refresh token returns the same tokens again. Later use ends the
        grant. Raises InvalidGrant.
        """
        token = read_token(text)
        if token is None or token.kind != REFRESH:
            raise InvalidGrant("unknown refresh token")
        return retry_on_conflict(
            self._backoff, lambda: self._refresh(token, client_id, resource), "the sign-in", Conflict
        )

    def find(self, grant_id: str) -> ClientGrant | None:
        item = self._store.get(grant_key(grant_id))
        return None if item is None else from_attributes(item.attributes, ClientGrant)

    def of_tenant(self, tenant: str, unreadable: Callable[[str], object] = lambda _: None) -> Iterator[ClientGrant]:
        """Yield the tenant's grants that have not ended, by id.

        An item that is not a readable grant is skipped, and `unreadable` is called with its name.
        """
        instant = now_ms(self._clock)
        for item in every_item(self._store, client_grants_of(tenant), index="gsi1", page=_PAGE):
            grant = readable(item, _read)
            if grant is None or item.key != grant_key(grant.id):
                unreadable(f"{item.key.partition.text} {item.key.sort}")
            elif instant < grant.ends_at:
                yield grant

    def revoke(self, grant_id: str, clerk: Clerk | None = None) -> ClientGrant:
        """End a grant, so that its tokens stop working. Raises NotFound."""
        grant = self.find(grant_id)
        if grant is None:
            raise NotFound(f"There is no grant {grant_id[:40]}.", "`almanac keys grants` shows them.")
        self._end(grant, clerk)
        return grant

    def revoke_token(self, text: str, client_id: str) -> ClientGrant | None:
        """End the grant of a token at its client's request.

        Return the grant, or None if the client has no such token.
        """
        token = read_token(text)
        grant = self.find(token.grant_id) if token is not None else None
        if token is None or grant is None or grant.client_id != client_id:
            return None
        used = token.kind == REFRESH and self._find_used(token) is not None
        if not used and not any(map(token.opens, (grant.refresh, *(one.digest for one in grant.access)))):
            return None
        self._end(grant)
        return grant

    def _redeem(self, redemption: Redemption) -> Tokens:
        instant = now_ms(self._clock)
        key = code_key(digest_of(redemption.code))
        item = self._store.get(key)
        if item is None:
            raise InvalidGrant("unknown code")
        code = from_attributes(item.attributes, CodeRecord)
        if code.grant_id is not None:
            raise self._end_reused_grant(code.grant_id, "the code was used before", code)
        if instant >= code.expires_at:
            raise InvalidGrant("the code has expired", code=code)
        if code.client_id != redemption.client_id:
            raise InvalidGrant("the code belongs to another client", code=code)
        if code.redirect_uri != redemption.redirect_uri:
            raise InvalidGrant("the redirect_uri differs from the authorized one", code=code)
        if not proves(redemption.verifier, code.challenge):
            raise InvalidGrant("the code_verifier does not match the code_challenge", code=code)
        if redemption.resource not in (None, code.resource):
            raise WrongResource("the resource differs from the authorized one", code=code)
        tokens, grant = self._first(code, instant)
        key_record = self._working_key(grant, instant)
        clerk = Clerk(self._store, self._clock, self._random_bytes, key_record.grant.actor)
        self._store.write(
            [
                Update(key, set={"grant_id": grant.id}, condition=Equals("grant_id", None)),
                Check(tenant_key(grant.tenant), LIVES),
                _put(grant, Absent()),
                clerk.entry(grant.tenant, "keys grant", project=grant.project, subject=grant.id),
            ]
        )
        return tokens

    def _first(self, code: CodeRecord, instant: int) -> tuple[Tokens, ClientGrant]:
        terms, grant_id = code.terms, new_grant_id(self._random_bytes)
        access, refresh = (new_token(kind, grant_id, self._random_bytes) for kind in (ACCESS, REFRESH))
        ends = None if terms.lifetime_ms is None else instant + terms.lifetime_ms
        expires = _access_end(instant, ends)
        grant = ClientGrant(
            id=grant_id,
            key_id=terms.key_id,
            tenant=terms.tenant,
            project=terms.project,
            client_id=code.client_id,
            client_name=code.client_name,
            client_host=code.client_host,
            resource=code.resource,
            families=terms.families,
            readonly=terms.readonly,
            created_at=instant,
            used_at=instant,
            expires_at=ends,
            attempt=code.attempt,
            refresh=refresh.digest,
            access=(AccessDigest(access.digest, expires),),
        )
        return Tokens(access.text, refresh.text, (expires - instant) // 1000, grant), grant

    def _refresh(self, token: Token, client_id: str, resource: str | None) -> Tokens:
        instant = now_ms(self._clock)
        grant = self.find(token.grant_id)
        if grant is None:
            raise InvalidGrant("the grant has ended")
        if not token.opens(grant.refresh):
            return self._answer_again(token, grant, client_id, instant)
        if grant.client_id != client_id:
            raise InvalidGrant("the refresh token belongs to another client", grant)
        if resource not in (None, grant.resource):
            raise WrongResource("the resource differs from the authorized one", grant)
        self._working_key(grant, instant)
        salt = self._random_bytes(32)
        access, refresh = token.successor(ACCESS, salt), token.successor(REFRESH, salt)
        expires = _access_end(instant, grant.expires_at)
        live = tuple(one for one in grant.access if one.expires_at > instant)
        rotated = replace(
            grant,
            used_at=max(instant, grant.used_at),
            refresh=refresh.digest,
            access=(AccessDigest(access.digest, expires), *live)[:_MOST_ACCESS],
            version=grant.version + 1,
        )
        used = UsedRefresh(salt, instant)
        used_key = used_refresh_key(grant.id, token.digest)
        self._store.write(
            [
                _put(rotated, Equals("version", grant.version)),
                Put(used_key, to_attributes(used), Absent(), expires_at=instant + IDLE_MS),
            ]
        )
        return Tokens(access.text, refresh.text, (expires - instant) // 1000, rotated)

    def _answer_again(self, token: Token, grant: ClientGrant, client_id: str, instant: int) -> Tokens:
        """Return again the tokens that a recent use of this refresh token returned. Raises InvalidGrant."""
        used = self._find_used(token)
        if used is None:
            # If another request used the token between the two reads, its use is stored by now.
            raise InvalidGrant("unknown refresh token")
        if grant.client_id != client_id:
            raise InvalidGrant("the refresh token belongs to another client", grant)
        if instant - used.at >= GRACE_MS:
            raise self._end_reused_grant(grant.id, "the refresh token was used before")
        self._working_key(grant, instant)
        access, refresh = token.successor(ACCESS, used.salt), token.successor(REFRESH, used.salt)
        left = max(0, _access_end(used.at, grant.expires_at) - instant)
        return Tokens(access.text, refresh.text, min(left, ACCESS_MS) // 1000, grant)

    def _find_used(self, token: Token) -> UsedRefresh | None:
        item = self._store.get(used_refresh_key(token.grant_id, token.digest))
        return None if item is None else from_attributes(item.attributes, UsedRefresh)

    def _working_key(self, grant: ClientGrant, instant: int) -> KeyRecord:
        """Return the key behind a grant. Raises InvalidGrant if the key no longer works or the grant has ended."""
        if instant >= grant.ends_at:
            raise InvalidGrant("the grant has ended", grant)
        item = self._store.get(key_key(grant.key_id))
        record = None if item is None else from_attributes(item.attributes, KeyRecord)
        left = None if record is None else narrow_key(record, grant)
        if record is None or left is None or not left.works_at(instant):
            raise InvalidGrant("the API key no longer works", grant)
        return record

    def _end_reused_grant(self, grant_id: str, reason: str, code: CodeRecord | None = None) -> InvalidGrant:
        grant = self.find(grant_id)
        if grant is not None:
            self._end(grant)
        return InvalidGrant(reason, grant, code)

    def _end(self, grant: ClientGrant, clerk: Clerk | None = None) -> None:
        changes: list[Change] = [Delete(grant_key(grant.id))]
        if clerk is not None:
            changes.append(clerk.entry(grant.tenant, "keys revoke-grant", project=grant.project, subject=grant.id))
        self._store.write(changes)
        self._forget_used(grant.id)

    def _forget_used(self, grant_id: str) -> None:
        for item in list(every_item(self._store, used_refreshes_of(grant_id), page=_PAGE)):
            self._store.write([Delete(item.key)])


def _access_end(instant: int, ends: int | None) -> int:
    return min(instant + ACCESS_MS, ends or instant + ACCESS_MS)


def _put(grant: ClientGrant, condition: Absent | Equals) -> Put:
    found_by: dict[Index, Key] = {"gsi1": Key(client_grants_of(grant.tenant), sort_key(grant.id))}
    return Put(grant_key(grant.id), to_attributes(grant), condition, expires_at=grant.ends_at, indexes=found_by)


def _read(item: Item) -> ClientGrant:
    return from_attributes(item.attributes, ClientGrant)
