"""A CalDAV calendar in memory, in place of HTTP, with the ways of servers that tests choose."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from almanac.families.calendar.providers.transport.http import Response

URL = "https://calendars.example/ann/work/"
_SPACES = 'xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"'


@dataclass
class DavCollection:
    """What lies in `texts`, by path. Its sync tokens are `before` and the number of changes in `log`.

    Those below `oldest` it forgot, which it says or, if it is `silent`, does not. `seen` is what becomes of an ETag in
    a header on its way. `answers` are given to the next requests of a method in place of its own; `asked` is what came.
    `said` are the properties of the calendar, by the depth at which they are asked for. `leaving` go once they were
    listed; a server that is `hasty` then answers 404 where it is asked for them among others. `gone`: the calendar is.
    """

    silent: bool = False
    before: str = "data:,"
    seen: Callable[[str], str] = str
    oldest: int = 0
    texts: dict[str, str] = field(default_factory=dict[str, str])
    log: list[str] = field(default_factory=list[str])
    answers: dict[str, list[tuple[int, str]]] = field(default_factory=dict[str, list[tuple[int, str]]])
    asked: list[str] = field(default_factory=list[str])
    said: dict[str, str] = field(default_factory=dict[str, str])
    leaving: list[str] = field(default_factory=list[str])
    hasty: bool = False
    gone: bool = False

    def send(self, method: str, url: str, *, headers: Mapping[str, str] | None = None, body: bytes = b"") -> Response:
        text = body.decode()
        path = urlsplit(url).path
        kind = re.search(r"<[CD]:(sync-collection|calendar-query|calendar-multiget|propfind)", text)
        self.asked.append(kind[1] if kind else method)
        given = self.answers.get(method)
        if given:
            status, said = given.pop(0)
            return Response(status, {}, f"<error {_SPACES}>{said}</error>".encode(), url)
        if method in {"PUT", "DELETE", "GET"}:
            return self._resource(method, url, path, text, headers or {})
        if kind is not None and kind[1] == "sync-collection":
            return self._synchronise(url, text)
        if self.gone:
            return Response(404, {}, b"", url)
        if kind is not None and kind[1] == "propfind":
            found = f"<propstat><prop>{self.said[(headers or {})['Depth']]}</prop></propstat>"
            return _multistatus(url, f"<response><href>{urlsplit(URL).path}</href>{found}</response>")
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
        held = self.texts.get(path)
        condition = headers.get("If-Match")
        if held is None and method != "PUT":
            return Response(404, {}, b"", url)
        wanted = [one.strip() for one in (condition or "*").split(",")]
        if (held is not None and "If-None-Match" in headers) or ("*" not in wanted and self._etag(path) not in wanted):
            return Response(412, {}, b"", url)
        if method == "DELETE":
            self.drop(path)
            return Response(204, {}, b"", url)
        if method == "PUT":
            self.put(path, text)
        told = {"etag": self.seen(self._etag(path))}
        return Response(201 if held is None else 200, told, self.texts[path].encode(), url)

    def _synchronise(self, url: str, text: str) -> Response:
        token = re.search(rf"<D:sync-token>{re.escape(self.before)}(\d+)</D:sync-token>", text)
        since = int(token[1]) if token else None
        if since is not None and not self.oldest <= since <= len(self.log):
            if not self.silent:
                return Response(403, {}, f"<error {_SPACES}><valid-sync-token/></error>".encode(), url)
            since = None
        changed = sorted(self.texts) if since is None else sorted(set(self.log[since:]))
        token_told = f"<sync-token>{self.before}{len(self.log)}</sync-token>"
        told = "".join(map(self._resource_response, changed)) + token_told
        while self.leaving:
            self.drop(self.leaving.pop())
        return _multistatus(url, told)

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
