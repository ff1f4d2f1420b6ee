"""A CalDAV calendar in memory that replaces HTTP. Tests choose which server's habits it has."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from almanac.families.calendar.providers.transport.http import Response

URL = "https://calendars.example/ann/work/"
_SPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'


@dataclass
class DavCollection:
    """A calendar of resources: `texts` holds them by path.

    A sync token is `token_prefix` followed by the number of changes in `log`. The server has forgotten tokens below
    `oldest_token`: it rejects them, or if it is `silent` it lists everything. `rewrite_etag` changes an ETag in a
    header, as a proxy would. `answers` replace the calendar's own answers to the next requests of a method, and
    `requests` records the kind of each request. `properties` are those of the calendar by the value of the Depth
    header. The server deletes `vanishing` resources once it has listed them; if it is `hasty`, a multiget that names a
    deleted resource is answered by 404. `gone` means that the calendar itself was deleted.
    """

    silent: bool = False
    token_prefix: str = "data:,"
    rewrite_etag: Callable[[str], str] = str
    oldest_token: int = 0
    texts: dict[str, str] = field(default_factory=dict[str, str])
    log: list[str] = field(default_factory=list[str])
    answers: dict[str, list[tuple[int, str]]] = field(default_factory=dict[str, list[tuple[int, str]]])
    requests: list[str] = field(default_factory=list[str])
    properties: dict[str, str] = field(default_factory=dict[str, str])
    vanishing: list[str] = field(default_factory=list[str])
    hasty: bool = False
    gone: bool = False

    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        text = body.decode()
        path = urlsplit(url).path
        kind = re.search(r"<[CD]:(sync-collection|calendar-query|calendar-multiget|propfind)", text)
        self.requests.append(kind[1] if kind else method)
        answers = self.answers.get(method)
        if answers:
            status, error = answers.pop(0)
            return Response(status, {}, f"<error {_SPACES}>{error}</error>".encode(), url)
        if method in {"PUT", "DELETE", "GET"}:
            return self._resource(method, url, path, text, headers or {})
        if kind is not None and kind[1] == "sync-collection":
            return self._synchronise(url, text)
        if self.gone:
            return Response(404, {}, b"", url)
        if kind is not None and kind[1] == "propfind":
            properties = f"<propstat><prop>{self.properties[(headers or {})['Depth']]}</prop></propstat>"
            return _multistatus(url, f"<response><href>{urlsplit(URL).path}</href>{properties}</response>")
        hrefs = re.findall(r"<D:href>([^<]*)</D:href>", text) or sorted(self.texts)
        if self.hasty and not self.texts.keys() >= set(hrefs):
            return Response(404, {}, b"", url)
        return _multistatus(url, "".join(map(self._resource_response, hrefs)))

    def put(self, path: str, text: str) -> None:
        self.texts[path] = text
        self.log.append(path)

    def drop(self, path: str) -> None:
        del self.texts[path]
        self.log.append(path)

    def _resource(self, method: str, url: str, path: str, text: str, headers: Mapping[str, str]) -> Response:
        stored = self.texts.get(path)
        condition = headers.get("If-Match")
        if stored is None and method != "PUT":
            return Response(404, {}, b"", url)
        etags = [one.strip() for one in (condition or "*").split(",")]
        if (stored is not None and "If-None-Match" in headers) or ("*" not in etags and self._etag(path) not in etags):
            return Response(412, {}, b"", url)
        if method == "DELETE":
            self.drop(path)
            return Response(204, {}, b"", url)
        if method == "PUT":
            self.put(path, text)
        sent = {"etag": self.rewrite_etag(self._etag(path))}
        return Response(201 if stored is None else 200, sent, self.texts[path].encode(), url)

    def _synchronise(self, url: str, text: str) -> Response:
        token = re.search(rf"<D:sync-token>{re.escape(self.token_prefix)}(\d+)</D:sync-token>", text)
        since = int(token[1]) if token else None
        if since is not None and not self.oldest_token <= since <= len(self.log):
            if not self.silent:
                return Response(403, {}, f"<error {_SPACES}><valid-sync-token/></error>".encode(), url)
            since = None
        changed = sorted(self.texts) if since is None else sorted(set(self.log[since:]))
        next_token = f"<sync-token>{self.token_prefix}{len(self.log)}</sync-token>"
        responses = "".join(map(self._resource_response, changed)) + next_token
        while self.vanishing:
            self.drop(self.vanishing.pop())
        return _multistatus(url, responses)

    def _resource_response(self, path: str) -> str:
        if path not in self.texts:
            return f"<response><href>{path}</href><status>HTTP/1.1 404 Not Found</status></response>"
        data = f"<getetag>{self._etag(path)}</getetag><C:calendar-data><![CDATA[{self.texts[path]}]]></C:calendar-data>"
        found = f"<propstat><prop>{data}</prop><status>HTTP/1.1 200 OK</status></propstat>"
        return f"<response><href>{path}</href>{found}</response>"

    def _etag(self, path: str) -> str:
        return f'"{self.log.index(path)}-{self.log.count(path)}"' if path in self.log else '"none"'


def _multistatus(url: str, inside: str) -> Response:
    return Response(207, {}, f"<multistatus {_SPACES}>{inside}</multistatus>".encode(), url)
