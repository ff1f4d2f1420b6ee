"""Access tokens of a Google account, from its refresh token."""

from datetime import timedelta
from threading import Lock
from urllib.parse import urlencode

import msgspec
from msgspec import Struct

from almanac.families.calendar.providers.refusals import refusal
from almanac.families.calendar.providers.transport.http import Http
from almanac.kernel.clock import Clock
from almanac.kernel.errors import Forbidden, Unavailable

TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
_EARLY = timedelta(seconds=60)


class GoogleSecret(Struct, frozen=True):
    """Secret that `almanac calendar connect google` stores, sealed."""

    client_id: str
    client_secret: str
    refresh_token: str

    def __repr__(self) -> str:
        return "GoogleSecret(…)"


class _Answer(Struct, frozen=True):
    access_token: str = ""
    expires_in: int = 0
    error: str = ""


class GoogleToken:
    """Access token, kept until a minute before it expires. Threads may share it."""

    def __init__(self, http: Http, secret: GoogleSecret, clock: Clock, *, url: str = TOKEN_URL) -> None:
        self._http = http
        self._secret = secret
        self._clock = clock
        self._url = url
        self._lock = Lock()
        self._token = ""
        self._until = clock.now()

    def value(self, *, not_this: str | None = None) -> str:
        """Return a token that should work. `not_this` is a token that Google has just refused.

        Raises Forbidden if the account revoked its permission.
        """
        with self._lock:
            if self._token and self._token != not_this and self._clock.now() < self._until:
                return self._token
            answer = self._refresh()
            self._token = answer.access_token
            self._until = self._clock.now() + timedelta(seconds=max(answer.expires_in, 120)) - _EARLY
            return self._token

    def _refresh(self) -> _Answer:
        form = {**msgspec.structs.asdict(self._secret), "grant_type": "refresh_token"}
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        response = self._http.send("POST", self._url, headers=headers, body=urlencode(form).encode())
        try:
            answer = msgspec.json.decode(response.body, type=_Answer)
        except msgspec.DecodeError:
            answer = _Answer()
        if response.status == 200 and answer.access_token:
            return answer
        if answer.error in {"invalid_grant", "invalid_client", "unauthorized_client"}:
            raise Forbidden(
                "Google no longer accepts this account's permission: it was revoked, or it expired.",
                "Connect the account again with `almanac calendar connect google`.",
                code="provider_credentials",
            )
        if response.status in {429, 500, 502, 503, 504}:
            raise refusal("Google", response, "the account")
        raise Unavailable("Google returned no access token.", "Try again in a moment, or connect the account again.")
