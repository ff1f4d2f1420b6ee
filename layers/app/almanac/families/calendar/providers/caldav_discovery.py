"""Finding the calendars of a CalDAV account: RFC 6764 from an address, RFC 4791 from there on."""

from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct

from almanac.families.calendar.providers.dav import Dav
from almanac.families.calendar.providers.dav_xml import Resource, propfind, same_path
from almanac.families.calendar.providers.port import AccessRole, RemoteCalendar
from almanac.families.time.zones import find_zone
from almanac.kernel.errors import AlmanacError, Forbidden, InvalidInput, NotFound, Unavailable

_ABOUT = (
    *("D:resourcetype", "D:displayname", "D:current-user-privilege-set", "C:supported-calendar-component-set"),
    *("C:calendar-timezone", "C:calendar-timezone-id"),
)
_ANY_YEAR = 2025
"""A calendar says its zone without a date: rules are compared over the years around this one."""
_WRITES = ("D:all", "D:write", "D:write-content", "D:bind")


class Home(Struct, frozen=True):
    """`url` is where the calendars of an account lie: a collection, ending in a slash."""

    url: str


def find_home(dav: Dav, url: str) -> Home:
    """From the address of a server, a principal or a calendar home. Raises NotFound where no calendars are found."""
    principal = ""
    for start in dict.fromkeys([_slashed(url), urljoin(url, "/.well-known/caldav"), urljoin(url, "/")]):
        found = _asked(dav, start)
        if found is None:
            continue
        homes = found.hrefs("C:calendar-home-set")
        principal = next(iter(found.hrefs("D:current-user-principal")), principal)
        if not homes and principal:
            about = _asked(dav, urljoin(found.href, principal))
            homes = about.hrefs("C:calendar-home-set") if about is not None else []
        if homes:
            return Home(_slashed(urljoin(found.href, homes[0])))
    raise NotFound(
        f"{dav.name} shows no calendars at {urlsplit(url).hostname}.",
        "Give the CalDAV URL that the provider documents, often ending in /dav/ or /caldav/.",
    )


def calendars_of(dav: Dav, home: Home) -> list[RemoteCalendar]:
    """Every calendar in the home that takes events."""
    listed = dav.listed("PROPFIND", home.url, propfind(*_ABOUT), depth=1, what="the list of calendars")
    return [_remote(each, home) for each in listed.resources if _takes_events(each)]


def calendar_url(home: Home, calendar_id: str) -> str:
    """Where the calendar lies; ends in a slash. Raises InvalidInput for an id that would lead elsewhere."""
    if calendar_id.startswith("/"):
        return _slashed(urljoin(home.url, quote(calendar_id, safe="/%:@!$&'()*+,;=~")))
    if "/" in calendar_id or calendar_id in {"", ".", ".."}:
        raise InvalidInput(f'"{calendar_id[:80]}" is no id of a CalDAV calendar.', "list_calendars names them.")
    return f"{home.url}{quote(calendar_id, safe='@')}/"


def calendar_id(home: Home, url: str) -> str:
    """Its name within the home; the whole path where it lies elsewhere."""
    path = unquote(urlsplit(url).path).rstrip("/")
    parent, _, name = path.rpartition("/")
    return name if same_path(parent, urlsplit(home.url).path) and name else path


def _asked(dav: Dav, url: str) -> Resource | None:
    asked = propfind("D:current-user-principal", "C:calendar-home-set")
    try:
        listed = dav.listed("PROPFIND", url, asked, depth=0, what="the account")
    except Forbidden as refused:
        if refused.code in {"provider_credentials", "address_refused"}:
            raise
        return None
    except Unavailable:
        raise
    except AlmanacError:
        return None
    return listed.resources[0] if listed.resources else None


def _takes_events(resource: Resource) -> bool:
    if not resource.has("D:resourcetype", "C:calendar"):
        return False
    kinds = resource.properties.get("C:supported-calendar-component-set")
    return kinds is None or len(kinds) == 0 or any(each.get("name") == "VEVENT" for each in kinds)


def _remote(resource: Resource, home: Home) -> RemoteCalendar:
    name = calendar_id(home, resource.href)
    privileges = "D:current-user-privilege-set"
    may_write = privileges not in resource.properties or any(resource.has(privileges, each) for each in _WRITES)
    role: AccessRole = "owner" if may_write else "reader"
    return RemoteCalendar(
        id=name,
        name=resource.text("D:displayname") or name.rpartition("/")[2],
        access_role=role,
        timezone=_zone(resource),
    )


def _zone(resource: Resource) -> str | None:
    """By RFC 7809, else by the VTIMEZONE of RFC 4791."""
    named = resource.text("C:calendar-timezone-id")
    text = resource.text("C:calendar-timezone")
    try:
        if named is not None:
            return find_zone(named).key
        return _defined(text) if text is not None else None
    except InvalidInput:
        return None


def _defined(text: str) -> str | None:
    from almanac.families.calendar.ical.reading import parse  # noqa: PLC0415 - icalendar takes 130 ms to import
    from almanac.families.calendar.ical.zone_names import ZoneNames, defined_zone  # noqa: PLC0415

    for calendar in parse(text.encode()):
        return defined_zone(calendar, ZoneNames(calendar), _ANY_YEAR)
    return None


def _slashed(url: str) -> str:
    return url if url.endswith("/") else f"{url}/"
