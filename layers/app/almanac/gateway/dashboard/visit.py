"""A visit: one request of a signed-in person, with the data its page needs."""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from almanac.gateway.dashboard.requests import UiRequest
from almanac.gateway.dashboard.tools import CallerTools, Result
from almanac.identity.access.principal import Principal
from almanac.identity.browser_sessions import SignedInSession

if TYPE_CHECKING:
    from almanac.gateway.dashboard.operator_pages import Operator


MOST_CALLS = 4
"""Most tool calls that one page makes."""
UNREAD_SHOWN = 20


@dataclass(frozen=True)
class View:
    """A page to render: the template's name, the title, and the template's values."""

    template: str
    title: str
    values: Mapping[str, Any]
    status: int = 200


@dataclass(frozen=True)
class Visit:
    request: UiRequest
    signed: SignedInSession
    principal: Principal
    tools: CallerTools
    now: datetime
    operator: "Operator | None" = None
    """The operator's functions, or None in the session of any other caller."""

    @cached_property
    def zone(self) -> ZoneInfo:
        """Return the page's time zone: the session's, else the key's."""
        return zone_called(self.signed.session.timezone or self.principal.caller.default_timezone or "UTC")

    @property
    def local_now(self) -> datetime:
        return self.now.astimezone(self.zone)

    @property
    def zone_named(self) -> str:
        return f"{self.zone.key.replace('_', ' ')}, {offset_of(self.local_now)}"

    @cached_property
    def token(self) -> str:
        """Return the token that every form of this session carries."""
        return self.signature("form")

    def signature(self, text: str) -> str:
        return hmac.new(self.signed.session.digest, text.encode(), sha256).hexdigest()[:32]

    def is_signed(self, text: str, signature: str) -> bool:
        return hmac.compare_digest(self.signature(text).encode(), signature.encode())

    @cached_property
    def unread(self) -> Result | None:
        """Return the reader's unread mail, or None if the key may not read it or the page has no call left."""
        if self.tools.made >= MOST_CALLS or not self.tools.can("read_inbox"):
            return None
        return self.tools.call("read_inbox", unread_only=True, limit=UNREAD_SHOWN)

    def query_value(self, name: str, default: str = "") -> str:
        """Return a parameter of the query, without surrounding blanks and cut at 500 characters."""
        return self.request.query.get(name, default).strip()[:500]

    def address(self, **changed: str | None) -> str:
        """Return the address of this page with changed query values. None removes one."""
        values = {name: value for name, value in {**self.request.query, **changed}.items() if value}
        return self.request.path + (f"?{urlencode(values)}" if values else "")


def zone_called(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return ZoneInfo("UTC")


def offset_of(local: datetime) -> str:
    """Return the offset from UTC as text, such as `UTC+1` or `UTC-3:30`."""
    minutes = round(
        (local.utcoffset() or local.astimezone(UTC).utcoffset() or UTC.utcoffset(None)).total_seconds() / 60
    )
    if not minutes:
        return "UTC"
    hours, rest = divmod(abs(minutes), 60)
    return f"UTC{'+' if minutes > 0 else '-'}{hours}{f':{rest:02}' if rest else ''}"
