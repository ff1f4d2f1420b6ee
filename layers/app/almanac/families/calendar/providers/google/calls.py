"""Calls to Google Calendar's API: access tokens, quotas, and errors of the port."""

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlencode

import msgspec

from almanac.families.calendar.providers.google.token import GoogleToken
from almanac.families.calendar.providers.refusals import refusal, retry_after, unavailable
from almanac.families.calendar.providers.transport.http import Http, Response
from almanac.kernel.errors import AlmanacError, Unavailable

NAME = "Google Calendar"
API_URL = "https://www.googleapis.com/calendar/v3"
_QUOTA = frozenset({"rateLimitExceeded", "userRateLimitExceeded", "quotaExceeded"})
_TRIES = 4
_LONGEST_PAUSE = 8.0


class GoogleCalls:
    """Client of the API. It repeats calls over the quota after a pause that doubles each time and has jitter, as Google
    asks.

    `sleep` waits a number of seconds; `random` returns 0 to 1.
    """

    def __init__(
        self,
        http: Http,
        token: GoogleToken,
        *,
        sleep: Callable[[float], None],
        random: Callable[[], float],
        url: str = API_URL,
    ) -> None:
        self._http = http
        self._token = token
        self._sleep = sleep
        self._random = random
        self._url = url

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        etag: str | None = None,
    ) -> Response:
        """Return the response with any status. Raises Unavailable if the call stays over the quota after a few
        tries."""
        url = f"{self._url}{path}" + (f"?{urlencode(query)}" if query else "")
        content = msgspec.json.encode(body) if body is not None else b""
        for attempt in range(_TRIES):
            answer = self._send_authorised(method, url, content, etag)
            if not _over_quota(answer):
                return answer
            pause = float(retry_after(answer) or 2**attempt) + self._random()
            if attempt + 1 == _TRIES or pause > _LONGEST_PAUSE:
                raise unavailable(NAME, msgspec.structs.replace(answer, status=429))
            self._sleep(pause)
        raise AssertionError("the last try returns or raises")

    def refusal_of(self, answer: Response, what: str) -> AlmanacError:
        return refusal(NAME, answer, what)

    def _send_authorised(self, method: str, url: str, content: bytes, etag: str | None) -> Response:
        token = self._token.value()
        answer = self._once(method, url, content, etag, token)
        if answer.status == 401:
            # Tokens can become invalid early.
            answer = self._once(method, url, content, etag, self._token.value(not_this=token))
        return answer

    def _once(self, method: str, url: str, content: bytes, etag: str | None, token: str) -> Response:
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        if content:
            headers["Content-Type"] = "application/json"
        if etag is not None:
            headers["If-Match"] = etag
        return self._http.send(method, url, headers=headers, body=content)


def decode_object(answer: Response) -> dict[str, Any]:
    """Decode the JSON object of a success. Raises Unavailable for anything else."""
    try:
        return msgspec.json.decode(answer.body, type=dict[str, Any])
    except msgspec.DecodeError:
        raise Unavailable(f"{NAME} did not answer with JSON.", "Try again in a moment.") from None


def _over_quota(answer: Response) -> bool:
    return answer.status == 429 or (answer.status == 403 and bool(reasons(answer) & _QUOTA))


def reasons(answer: Response) -> frozenset[str]:
    """Return Google's reasons for an error."""
    try:
        body = msgspec.json.decode(answer.body, type=_Refused)
    except msgspec.DecodeError:
        return frozenset()
    return frozenset(each.reason for each in body.error.errors)


class _Reason(msgspec.Struct, frozen=True):
    reason: str = ""


class _Error(msgspec.Struct, frozen=True):
    errors: tuple[_Reason, ...] = ()


class _Refused(msgspec.Struct, frozen=True):
    error: _Error = _Error()
