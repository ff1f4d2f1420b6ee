"""Requests to a CalDAV server with an account's credentials."""

from collections.abc import Mapping
from urllib.parse import urlsplit

from almanac.families.calendar.providers.caldav.dav_xml import Multistatus, read_multistatus
from almanac.families.calendar.providers.caldav.refusals import dav_refusal
from almanac.families.calendar.providers.transport.http import Http, Response, origin_of
from almanac.families.calendar.providers.transport.login import Login
from almanac.kernel.errors import Forbidden

_XML = "application/xml; charset=utf-8"
_MORE_LOGINS = 2


class Dav:
    """Client of one CalDAV server.

    `name` is the server's name in errors, `url` the address to which its account was connected. Credentials go only to
    that origin, and by https to the hosts in `trusted`, which the user named.
    """

    def __init__(
        self, http: Http, name: str, url: str, user: str, password: str, *, trusted: frozenset[str] = frozenset()
    ) -> None:
        self.name = name
        self.user = user
        self._http = http
        self._url = url
        self._login = Login(user, password)
        self._trusted = trusted

    def __repr__(self) -> str:
        return f"Dav({self.name!r})"

    def send(self, method: str, url: str, body: bytes = b"", /, **headers: str) -> Response:
        """Send a request and return the response with any status. Header names are written with underscores."""
        if not self.trusts(url):
            host = urlsplit(url).hostname
            raise Forbidden(
                f"{self.name} refers to another server, {host}: the credentials are not sent there.",
                f"Connect the account with the address of that server; or, if it may have the password, with "
                f"--trust-host {host}.",
                code="address_refused",
            )
        held: Mapping[str, str] = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = self._login.header(method, url)
        answer = self._http.send(method, url, headers={"Authorization": sent, **held}, body=body)
        for _ in range(_MORE_LOGINS):
            if answer.status != 401 or not self._login.should_retry(answer.headers.get("www-authenticate", ""), sent):
                break
            # After a redirect, use the final address, because it is part of a Digest answer.
            url = answer.url
            sent = self._login.header(method, url)
            answer = self._http.send(method, url, headers={"Authorization": sent, **held}, body=body)
        return answer

    def trusts(self, url: str) -> bool:
        """Return whether credentials may be sent to this URL."""
        origin = origin_of(url)
        return origin == origin_of(self._url) or (origin[0] == "https" and origin[1] in self._trusted)

    def request_multistatus(self, method: str, url: str, body: bytes, *, depth: int, what: str) -> Multistatus:
        """Return a multistatus response. Any other response raises its error for `what`."""
        answer = self.send(method, url, body, Depth=str(depth), Content_Type=_XML)
        if answer.status != 207:
            raise dav_refusal(self.name, answer, what)
        return read_multistatus(answer.body, answer.url, self.name)
