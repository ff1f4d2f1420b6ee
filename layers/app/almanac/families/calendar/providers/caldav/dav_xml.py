"""WebDAV's XML: bodies of CalDAV requests, and multistatus responses."""

from collections.abc import Iterable, Mapping
from urllib.parse import unquote, urljoin
from xml.etree.ElementTree import Element
from xml.sax.saxutils import escape

from msgspec import Struct

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.caldav.bounded_xml import parse_xml
from almanac.kernel.errors import Unavailable
from almanac.kernel.instants import instant_at

DAV, CALDAV, CALENDARSERVER, APPLE = (
    "DAV:",
    "urn:ietf:params:xml:ns:caldav",
    "http://calendarserver.org/ns/",
    "http://apple.com/ns/ical/",
)
_SPACES = f'xmlns:D="{DAV}" xmlns:C="{CALDAV}" xmlns:S="{CALENDARSERVER}" xmlns:A="{APPLE}"'
_PREFIXES = {"D": DAV, "C": CALDAV, "S": CALENDARSERVER, "A": APPLE}


class Resource(Struct, frozen=True):
    """One response of a multistatus.

    `href` is a path, unquoted only for comparison. `status` is its own status, 200 if it has none. `properties` are the
    found ones, by prefixed name such as `D:getetag`.
    """

    href: str
    status: int
    properties: Mapping[str, Element]

    def text(self, name: str) -> str | None:
        element = self.properties.get(name)
        return element.text.strip() if element is not None and element.text else None

    def hrefs(self, name: str) -> list[str]:
        element = self.properties.get(name)
        return [] if element is None else [each.text.strip() for each in element.iter(f"{{{DAV}}}href") if each.text]

    def preferred_hrefs(self, name: str) -> list[str]:
        """Return the hrefs, with those marked as preferred first."""
        element = self.properties.get(name)
        hrefs = [] if element is None else [each for each in element.iter(f"{{{DAV}}}href") if each.text]
        return [(each.text or "").strip() for each in sorted(hrefs, key=lambda each: each.get("preferred") != "1")]

    def has(self, name: str, child: str) -> bool:
        """Return whether the property contains an element of that prefixed name, at any depth."""
        element = self.properties.get(name)
        return element is not None and element.find(f".//{_qualified_name(child)}") is not None


class Multistatus(Struct, frozen=True):
    resources: tuple[Resource, ...]
    sync_token: str | None = None


def propfind(*names: str) -> bytes:
    return _document(f"<D:propfind {_SPACES}><D:prop>{_empty(names)}</D:prop></D:propfind>")


def sync_collection(token: str | None) -> bytes:
    """Return a request for changes since `token` by href and etag, or for everything if None (RFC 6578)."""
    since = f"<D:sync-token>{escape(token or '')}</D:sync-token><D:sync-level>1</D:sync-level>"
    return _document(
        f"<D:sync-collection {_SPACES}>{since}<D:prop>{_empty(['D:getetag'])}</D:prop></D:sync-collection>"
    )


def calendar_query(names: Iterable[str], uid: str | None = None, within: Interval | None = None) -> bytes:
    """Return a query for all events, those with that UID, or those within an interval (RFC 4791)."""
    match = (
        f'<C:prop-filter name="UID"><C:text-match collation="i;octet">{escape(uid)}</C:text-match></C:prop-filter>'
        if uid is not None
        else ""
    )
    if within is not None:
        start, end = (f"{instant_at(each):%Y%m%dT%H%M%SZ}" for each in within)
        match += f'<C:time-range start="{start}" end="{end}"/>'
    events = f'<C:comp-filter name="VCALENDAR"><C:comp-filter name="VEVENT">{match}</C:comp-filter></C:comp-filter>'
    return _document(
        f"<C:calendar-query {_SPACES}><D:prop>{_empty(names)}</D:prop><C:filter>{events}</C:filter></C:calendar-query>"
    )


def multiget(paths: Iterable[str]) -> bytes:
    """Return a request for etag and text of these resources (RFC 4791)."""
    hrefs = "".join(f"<D:href>{escape(path)}</D:href>" for path in paths)
    properties = _empty(["D:getetag", "C:calendar-data"])
    return _document(f"<C:calendar-multiget {_SPACES}><D:prop>{properties}</D:prop>{hrefs}</C:calendar-multiget>")


def read_multistatus(body: bytes, url: str, provider: str) -> Multistatus:
    """Parse a multistatus response from `url`. Raises Unavailable for anything else."""
    root = parse_xml(body)
    if root is None or root.tag != f"{{{DAV}}}multistatus":
        raise Unavailable(f"{provider} did not answer with CalDAV.", "Check the URL of the account.")
    resources: list[Resource] = []
    for response in root.iter(f"{{{DAV}}}response"):
        href = response.findtext(f"{{{DAV}}}href", "").strip()
        properties = {
            _prefixed_name(prop.tag): prop
            for propstat in response.findall(f"{{{DAV}}}propstat")
            if _status(propstat.findtext(f"{{{DAV}}}status")) == 200
            for parent in propstat.findall(f"{{{DAV}}}prop")
            for prop in parent
        }
        resources.append(Resource(urljoin(url, href), _status(response.findtext(f"{{{DAV}}}status")), properties))
    return Multistatus(tuple(resources), root.findtext(f"{{{DAV}}}sync-token"))


def names_precondition(body: bytes, name: str) -> bool:
    """Return whether an error response names that WebDAV precondition, such as `valid-sync-token`."""
    root = parse_xml(body)
    return root is not None and any(element.tag.rpartition("}")[2] == name for element in root.iter())


def same_path(one: str, other: str) -> bool:
    """Return whether two paths are equal after unquoting, because servers quote differently."""
    return unquote(one).rstrip("/") == unquote(other).rstrip("/")


def _document(content: str) -> bytes:
    return f'<?xml version="1.0" encoding="utf-8"?>{content}'.encode()


def _empty(names: Iterable[str]) -> str:
    return "".join(f"<{name}/>" for name in names)


def _qualified_name(name: str) -> str:
    prefix, _, local = name.partition(":")
    return f"{{{_PREFIXES[prefix]}}}{local}"


def _prefixed_name(tag: str) -> str:
    space, _, local = tag.removeprefix("{").partition("}")
    return next((f"{prefix}:{local}" for prefix, namespace in _PREFIXES.items() if namespace == space), tag)


def _status(line: str | None) -> int:
    """Parse `HTTP/1.1 200 OK`; a missing line is 200."""
    words = (line or "").split()
    return int(words[1]) if len(words) > 1 and words[1].isascii() and words[1].isdigit() else 200
