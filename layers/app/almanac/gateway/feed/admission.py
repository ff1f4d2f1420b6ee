"""Admission of listeners to the live feed, by the rules for requests to the family team."""

from collections.abc import Mapping

from msgspec import Struct

from almanac.identity.access.authorize import KEY_HEADER, PROJECT_HEADER, key_in_headers
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import Refusal
from almanac.kernel.caller import Caller
from almanac.platform.feed.frames import FORBIDDEN, UNAUTHORIZED, Authenticate, error_frame

FEED = "/feed"
_JUDGED_AS = "/mcp/team"


class FeedLimits(Struct, frozen=True):
    """Most listeners in all, of one tenant, of one key and of one browser session. `unknown` bounds the connections
    that have not sent their key yet."""

    listeners: int = 1000
    of_tenant: int = 250
    of_key: int = 100
    of_session: int = 4
    unknown: int = 100

    @staticmethod
    def within(connections: int) -> "FeedLimits":
        """Return limits that leave half of the connections to requests."""
        most = max(4, min(1000, connections // 2))
        return FeedLimits(
            listeners=most, of_tenant=max(1, most // 4), of_key=max(1, most // 10), unknown=max(1, most // 10)
        )


class NoPlace(Exception):
    """No place is free for another listener. The text names the owner of the places."""


def no_place_frame(problem: BaseException) -> str:
    return error_frame("limit_exceeded", f"As many listen already as may for {problem}.", "Try again later.")


def admit(gatekeeper: Gatekeeper, headers: Mapping[str, str], address: str) -> Caller | Refusal:
    """Judge the headers (names in lower case) of the request that opens a socket.

    A key in the URL is ignored, because URLs are logged."""
    verdict = gatekeeper.judge(headers, _JUDGED_AS, address)
    return verdict.caller if isinstance(verdict, Principal) else verdict


def admit_by_frame(gatekeeper: Gatekeeper, frame: Authenticate, address: str) -> Caller | Refusal:
    """Judge a key in the first frame, where browsers must send it because they cannot set headers."""
    headers = {KEY_HEADER: frame.key}
    if frame.project:
        headers[PROJECT_HEADER] = frame.project
    return admit(gatekeeper, headers, address)


def has_key(headers: Mapping[str, str]) -> bool:
    return key_in_headers(headers) is not None


def close_code(refusal: Refusal) -> int:
    return UNAUTHORIZED if refusal.status == 401 else FORBIDDEN
