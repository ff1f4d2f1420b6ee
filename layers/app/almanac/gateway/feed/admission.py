"""Decide who may listen to the live feed: as for any request for the family that the feed belongs to."""

from collections.abc import Mapping

from msgspec import Struct

from almanac.identity.access.authorize import KEY_HEADER, PROJECT_HEADER, sent_key
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.principal import Principal
from almanac.identity.access.refusals import Refusal
from almanac.kernel.caller import Caller
from almanac.platform.feed.frames import FORBIDDEN, UNAUTHORIZED, Authenticate, error_frame

FEED = "/feed"
_JUDGED_AS = "/mcp/team"


class FeedLimits(Struct, frozen=True):
    """`listeners` in all, of one tenant, of one key, and pages of one browser's session; `unknown` whose key has not
    come yet."""

    listeners: int = 1000
    of_tenant: int = 250
    of_key: int = 100
    of_session: int = 4
    unknown: int = 100

    @staticmethod
    def within(connections: int) -> "FeedLimits":
        """Half of the connections are left to requests."""
        most = max(4, min(1000, connections // 2))
        return FeedLimits(
            listeners=most, of_tenant=max(1, most // 4), of_key=max(1, most // 10), unknown=max(1, most // 10)
        )


class NoPlace(Exception):
    """All are taken. Its text says whose they are."""


def no_place_frame(problem: BaseException) -> str:
    return error_frame("limit_exceeded", f"As many listen already as may for {problem}.", "Try again later.")


def admit(gatekeeper: Gatekeeper, headers: Mapping[str, str], address: str) -> Caller | Refusal:
    """Judges the headers of the request that opens a socket; names in lower case. A key in its URL is not looked at:
    URLs are logged."""
    verdict = gatekeeper.judge(headers, _JUDGED_AS, address)
    return verdict.caller if isinstance(verdict, Principal) else verdict


def admit_by_frame(gatekeeper: Gatekeeper, frame: Authenticate, address: str) -> Caller | Refusal:
    """The same for a key that came in the first frame, as browsers must send it: they cannot set headers."""
    headers = {KEY_HEADER: frame.key}
    if frame.project:
        headers[PROJECT_HEADER] = frame.project
    return admit(gatekeeper, headers, address)


def has_key(headers: Mapping[str, str]) -> bool:
    return sent_key(headers) is not None


def close_code(refusal: Refusal) -> int:
    return UNAUTHORIZED if refusal.status == 401 else FORBIDDEN
