"""Sessions of browsers that signed in with an API key, or with a one-time code from the machine's owner.

    S#browser_sessions#<key id>   <id>    BrowserSession
    S#sign_in_codes#<digest>      code    _Code, for a minute, until it is used
    S#page_tickets#<digest>       ticket  _Ticket, for a minute, until it is used

A session always has the current permissions of its key, so it ends with the key. The cookie holds the ids of key and
session and a secret, of which only the SHA-256 is stored. A session ends 12 hours after its last use, and at the latest
30 days after it began. On AWS, a page opens the live feed with a ticket, because browsers do not send the cookie to the
feed's address.
"""

import hmac
import re
from base64 import b32encode
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

import msgspec

from almanac.identity.audit import Clerk
from almanac.identity.records import KeyRecord, from_attributes, key_key, to_attributes
from almanac.kernel.clock import Clock
from almanac.kernel.ids import RandomBytes
from almanac.kernel.instants import now_ms
from almanac.platform.store.conditions import Present
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Check, ConditionFailed, Delete, Item, Put, Store
from almanac.platform.store.queries import every_item

IDLE_MS = 12 * 3_600_000
MOST_MS = 30 * 86_400_000
CODE_MS = 60_000
TICKET_MS = 60_000
_TOUCH_MS = 10 * 60_000
"""Interval at which the use of a session is stored, in milliseconds. Most page views then need no write."""
_MAX_DEVICE = 240
_PAGE = 100
_COOKIE = re.compile(r"abs_([A-Za-z0-9]{4,32})_([a-z2-7]{16})_([a-z2-7]{48})")
_CODE = re.compile(r"[a-z2-7]{16}")
_TICKET = re.compile(r"[a-z2-7]{32}")
_BETWEEN = re.compile(r"[\s-]")


class BrowserSession(msgspec.Struct, frozen=True, kw_only=True):
    """A browser's session as stored.

    `project` is the project that the pages show. `operator` is true if the person may see keys, sessions and the audit
    trail, which no agent may. `timezone` was chosen for the pages; None means the key's zone.
    """

    id: str
    key_id: str
    digest: bytes
    project: str
    operator: bool = False
    device: str = ""
    timezone: str | None = None
    created_at: int
    seen_at: int

    @property
    def ends_at(self) -> int:
        return min(self.seen_at + IDLE_MS, self.created_at + MOST_MS)


class SignedInSession(msgspec.Struct, frozen=True):
    """A session that has not ended, and the key behind it. `principal_of` decides whether that key still works."""

    session: BrowserSession
    key: KeyRecord

    @property
    def is_operator(self) -> bool:
        """Return whether the session is an operator's, by its sign-in code or by the key's current grant."""
        return self.session.operator or self.key.grant.operator


def cookie_name(*, secure: bool, port: str) -> str:
    """Return the name of a session's cookie.

    Over https the name binds the cookie to the host. Otherwise it contains the port, because browsers share the cookies
    of one machine among its ports.
    """
    return "__Host-almanac" if secure else f"almanac_local_{port if port.isdigit() else '80'}"


class _Code(msgspec.Struct, frozen=True, kw_only=True):
    key_id: str
    operator: bool


class _Ticket(msgspec.Struct, frozen=True, kw_only=True):
    key_id: str
    session_id: str


class BrowserSessions:
    """Browser sessions in the store. Each sign-in and sign-out is recorded in the tenant's audit trail."""

    def __init__(self, store: Store, clock: Clock, random_bytes: RandomBytes) -> None:
        self._store = store
        self._clock = clock
        self._random_bytes = random_bytes

    def begin(self, key: KeyRecord, project: str, *, device: str = "", operator: bool = False) -> str:
        """Begin a session for a key that was already authorized. Return the cookie, which alone contains the secret."""
        instant = now_ms(self._clock)
        secret = _base32(self._random_bytes(30))
        session = BrowserSession(
            id=_base32(self._random_bytes(10)),
            key_id=key.id,
            digest=sha256(secret.encode()).digest(),
            project=project,
            operator=operator,
            device="".join(filter(str.isprintable, device))[:_MAX_DEVICE],
            created_at=instant,
            seen_at=instant,
        )
        audit_entry = self._clerk(key).entry(key.grant.tenant, "sign in", project=project, subject=session.id)
        self._store.write([Check(key_key(key.id), Present()), _put(session), audit_entry])
        return f"abs_{key.id}_{session.id}_{secret}"

    def find(self, cookie: str, *, is_used: bool = True) -> SignedInSession | None:
        """Return the session of a cookie and store that it was used.

        None if the cookie is wrong or the session ended.
        """
        match = _COOKIE.fullmatch(cookie)
        if match is None:
            return None
        signed = self._current_session(match[1], match[2])
        if signed is None or not hmac.compare_digest(signed.session.digest, sha256(match[3].encode()).digest()):
            return None
        instant = now_ms(self._clock)
        if is_used and instant - signed.session.seen_at >= _TOUCH_MS:
            return SignedInSession(self.edit(signed.session, seen_at=instant) or signed.session, signed.key)
        return signed

    def edit(self, session: BrowserSession, **fields: Any) -> BrowserSession | None:
        """Change these fields of a session and return it. None if the session was ended meanwhile."""
        edited = msgspec.structs.replace(session, **fields)
        try:
            self._store.write([_put(edited, is_new=False)])
        except ConditionFailed:
            return None
        return edited

    def of_key(self, key_id: str) -> Iterator[BrowserSession]:
        """Yield the sessions of a key that have not ended, ordered by id."""
        instant = now_ms(self._clock)
        for item in every_item(self._store, sessions_of(key_id), page=_PAGE):
            session = from_attributes(item.attributes, BrowserSession)
            if instant < session.ends_at:
                yield session

    def end(self, key: KeyRecord, session_id: str) -> None:
        """End a session of the key. Does nothing for a session that has ended."""
        audit_entry = self._clerk(key).entry(key.grant.tenant, "sign out", subject=session_id)
        self._store.write([Delete(_key(key.id, session_id)), audit_entry])

    def new_code(self, key_id: str, *, operator: bool) -> str:
        """Return a code that signs in once within a minute, with this key."""
        code = _base32(self._random_bytes(10))
        record = to_attributes(_Code(key_id=key_id, operator=operator))
        self._store.write([Put(_code_key(code), record, expires_at=now_ms(self._clock) + CODE_MS)])
        return code

    def redeem(self, code: str) -> tuple[KeyRecord, bool] | None:
        """Use up a sign-in code. Return its key, and whether it signs in an operator.

        None if the code was used, has expired or never existed.
        """
        plain = _BETWEEN.sub("", code[:40]).lower()
        item = self._use_up(_code_key(plain)) if _CODE.fullmatch(plain) else None
        if item is None:
            return None
        record = from_attributes(item.attributes, _Code)
        key = self._store.get(key_key(record.key_id))
        return None if key is None else (from_attributes(key.attributes, KeyRecord), record.operator)

    def new_ticket(self, session: BrowserSession) -> str:
        """Return a ticket that opens the session once within a minute."""
        ticket = _base32(self._random_bytes(20))
        record = to_attributes(_Ticket(key_id=session.key_id, session_id=session.id))
        self._store.write([Put(_ticket_key(ticket), record, expires_at=now_ms(self._clock) + TICKET_MS)])
        return ticket

    def redeem_ticket(self, ticket: str) -> SignedInSession | None:
        """Use up a ticket and return its session.

        None if the ticket was used, has expired or never existed, or if the session ended.
        """
        item = self._use_up(_ticket_key(ticket)) if _TICKET.fullmatch(ticket) else None
        if item is None:
            return None
        record = from_attributes(item.attributes, _Ticket)
        return self._current_session(record.key_id, record.session_id)

    def _use_up(self, key: Key) -> Item | None:
        """Delete an item that works once, and return it. None if it does not exist or another process was first."""
        item = self._store.get(key)
        if item is None:
            return None
        try:
            self._store.write([Delete(key, Present())])
        except ConditionFailed:
            return None
        return item

    def holds(self, key_id: str, session_id: str) -> bool:
        """Return whether the session has not ended. Does not check its key."""
        item = self._store.get(_key(key_id, session_id))
        return item is not None and now_ms(self._clock) < from_attributes(item.attributes, BrowserSession).ends_at

    def _current_session(self, key_id: str, session_id: str) -> SignedInSession | None:
        session_item, key_item = self._store.get_many([_key(key_id, session_id), key_key(key_id)])
        if session_item is None or key_item is None:
            return None
        session = from_attributes(session_item.attributes, BrowserSession)
        if now_ms(self._clock) >= session.ends_at:
            return None
        return SignedInSession(session, from_attributes(key_item.attributes, KeyRecord))

    def _clerk(self, key: KeyRecord) -> Clerk:
        return Clerk(self._store, self._clock, self._random_bytes, key.grant.actor)


def sessions_of(key_id: str) -> Partition:
    return Partition.system("browser_sessions", key_id)


def _key(key_id: str, session_id: str) -> Key:
    return Key(sessions_of(key_id), sort_key(session_id))


def _code_key(code: str) -> Key:
    return Key(Partition.system("sign_in_codes", sha256(code.encode()).hexdigest()), sort_key("code"))


def _ticket_key(ticket: str) -> Key:
    return Key(Partition.system("page_tickets", sha256(ticket.encode()).hexdigest()), sort_key("ticket"))


def _put(session: BrowserSession, *, is_new: bool = True) -> Put:
    condition = None if is_new else Present()
    return Put(_key(session.key_id, session.id), to_attributes(session), condition, expires_at=session.ends_at)


def _base32(raw: bytes) -> str:
    return b32encode(raw).decode("ascii").rstrip("=").lower()
