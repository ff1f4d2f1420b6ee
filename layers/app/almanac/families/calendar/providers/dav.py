"""Requests to a CalDAV server, with an account's credentials."""

from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import urlsplit

from almanac.families.calendar.providers.dav_xml import Multistatus, read_multistatus
from almanac.families.calendar.providers.http import Http, Response
from almanac.families.calendar.providers.refusals import refusal
from almanac.kernel.errors import Forbidden

_XML = "application/xml; charset=utf-8"


class Dav:
    """`name` is what errors call the server, `url` where its account was connected: credentials go to that host, and
    to hosts beside it under one domain, nowhere else."""

    def __init__(self, http: Http, name: str, url: str, user: str, password: str) -> None:
        self.name = name
        self._http = http
        self._url = url
        self._authorization = f"Basic {b64encode(f'{user}:{password}'.encode()).decode()}"

    def __repr__(self) -> str:
        return f"Dav({self.name!r})"

    def send(self, method: str, url: str, body: bytes = b"", /, **headers: str) -> Response:
        """The answer as it is; header names are written with underscores."""
        if not _trusted(self._url, url):
            raise Forbidden(
                f"{self.name} names another server, {urlsplit(url).hostname}: its credentials are not sent there.",
                "Connect the account with the address of that server.",
                code="address_refused",
            )
        held: Mapping[str, str] = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._http.send(method, url, headers={"Authorization": self._authorization, **held}, body=body)

    def listed(self, method: str, url: str, body: bytes, *, depth: int, what: str) -> Multistatus:
        """A multistatus; any other answer raises what it means for `what`."""
        answer = self.send(method, url, body, Depth=str(depth), Content_Type=_XML)
        if answer.status != 207:
            raise refusal(self.name, answer, what)
        return read_multistatus(answer.body, answer.url, self.name)


def _trusted(known: str, url: str) -> bool:
    one, other = urlsplit(known), urlsplit(url)
    if (one.scheme, one.hostname, one.port) == (other.scheme, other.hostname, other.port):
        return True
    # Large providers spread accounts over servers: caldav.example.com names p42-caldav.example.com.
    domain = (one.hostname or "").partition(".")[2]
    beside = (other.hostname or "").partition(".")[2]
    return one.scheme == other.scheme == "https" and one.port == other.port and domain == beside and "." in domain
