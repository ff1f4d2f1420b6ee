"""Discovery of the calendars of a CalDAV account: RFC 6764 from an address, RFC 4791 from there on."""

from contextlib import suppress
from urllib.parse import quote, unquote, urljoin, urlsplit

from msgspec import Struct

from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.dav_xml import Resource, propfind, same_path
from almanac.families.calendar.providers.port import AccessRole, RemoteCalendar
from almanac.families.calendar.providers.transport.http import NoAnswer
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import AlmanacError, Forbidden, InvalidInput, NotFound, Unavailable

_ZONES = ("C:calendar-timezone", "C:calendar-timezone-id")
_ABOUT = (
    *("D:resourcetype", "D:displayname", "D:current-user-privilege-set", "C:supported-calendar-component-set"),
    *_ZONES,
)
_ANY_YEAR = 2025
"""Year around which zone rules are compared, because a calendar gives its zone without a date."""
_MAILTO = "mailto:"
_MOST_ADDRESSES = 50
_TELLING = frozenset({"provider_credentials", "address_refused"})
_WRITES = ("D:all", "D:write", "D:write-content", "D:bind")


class Home(Struct, frozen=True):
    """Calendar home of an account.

    `url` is the collection of its calendars, ending in a slash. `addresses` are the account's own e-mail addresses, the
    preferred one first, if the server gives them.
    """

    url: str
    addresses: tuple[str, ...] = ()


def find_home(dav: Dav, url: str) -> Home:
    """Find the calendar home from the address of a server, a principal or a home.

    It tries the well-known address (RFC 6764), the given address, and the server's root. Raises NotFound if there are
    no calendars, or the error that prevented the search.
    """
    problems: list[AlmanacError] = []
    for start in dict.fromkeys([urljoin(url, "/.well-known/caldav"), _add_slash(url), urljoin(url, "/")]):
        start_resource = _ask(dav, start, problems)
        home = _home_of(dav, start_resource, problems) if start_resource is not None else None
        if home is not None:
            return home
    raise _worst(problems) or NotFound(
        f"{dav.name} shows no calendars at {urlsplit(url).hostname}.",
        "Give the CalDAV URL that the provider documents, often ending in /dav/ or /caldav/.",
    )


def own_addresses(dav: Dav, url: str) -> tuple[str, ...]:
    """Return the e-mail addresses of the account with the home `url`; none if the server gives none."""
    problems: list[AlmanacError] = []
    home_resource = _ask(dav, url, problems)
    principal = _principal(dav, home_resource, problems) if home_resource is not None else None
    return _addresses(principal or home_resource)


def _home_of(dav: Dav, resource: Resource, problems: list[AlmanacError]) -> Home | None:
    homes = resource.hrefs("C:calendar-home-set")
    about = resource
    if not homes or not _addresses(resource):
        about = _principal(dav, resource, problems) or resource
        homes = homes or about.hrefs("C:calendar-home-set")
    urls = [_add_slash(urljoin(about.href, each)) for each in homes]
    if not urls:
        return None
    # A server may name several homes; the password goes only to allowed hosts.
    url = next((each for each in urls if dav.trusts(each)), urls[0])
    if not dav.trusts(url):
        _ask(dav, url, problems)
        return None
    return Home(url, _addresses(resource) or _addresses(about))


def _principal(dav: Dav, resource: Resource, problems: list[AlmanacError]) -> Resource | None:
    principal = next(iter(resource.hrefs("D:current-user-principal")), None)
    return _ask(dav, urljoin(resource.href, principal), problems) if principal is not None else None


def _addresses(resource: Resource | None) -> tuple[str, ...]:
    addresses = resource.preferred_hrefs("C:calendar-user-address-set") if resource is not None else []
    mails = [each[len(_MAILTO) :].strip() for each in addresses if each.lower().startswith(_MAILTO)]
    return tuple(dict.fromkeys(each for each in mails if "@" in each))[:_MOST_ADDRESSES]


def _worst(problems: list[AlmanacError]) -> AlmanacError | None:
    """Return the most informative problem: a refusal first, then a redirection, then a failure."""
    refused = [one for one in problems if isinstance(one, Forbidden) and one.code in _TELLING]
    broken = [one for one in problems if isinstance(one, Unavailable)]
    return next(iter([*refused, *broken]), None)


def calendars_of(dav: Dav, home: Home) -> list[RemoteCalendar]:
    """Return all calendars in the home that accept events."""
    listed = dav.request_multistatus("PROPFIND", home.url, propfind(*_ABOUT), depth=1, what="the list of calendars")
    return [_remote(dav, each, home) for each in listed.resources if _takes_events(each)]


def calendar_url(home: Home, calendar_id: str) -> str:
    """Return the URL of the calendar, which ends in a slash. Raises InvalidInput for an id that leads elsewhere."""
    if calendar_id.startswith("/"):
        return _add_slash(urljoin(home.url, quote(calendar_id, safe="/%:@!$&'()*+,;=~")))
    if "/" in calendar_id or calendar_id in {"", ".", ".."}:
        raise InvalidInput(f'"{calendar_id[:80]}" is not the id of a CalDAV calendar.', "list_calendars lists them.")
    return f"{home.url}{quote(calendar_id, safe='@')}/"


def calendar_id(home: Home, url: str) -> str:
    """Return the calendar's name within the home, or its whole path if it is elsewhere."""
    path = unquote(urlsplit(url).path).rstrip("/")
    parent, _, name = path.rpartition("/")
    return name if same_path(parent, urlsplit(home.url).path) and name else path


def _ask(dav: Dav, url: str, problems: list[AlmanacError]) -> Resource | None:
    """Return the account as described at that address. Failures go into `problems`, because another address may
    work."""
    properties = propfind("D:current-user-principal", "C:calendar-home-set", "C:calendar-user-address-set")
    try:
        listed = dav.request_multistatus("PROPFIND", url, properties, depth=0, what="the account")
    except NoAnswer:
        raise
    except AlmanacError as problem:
        problems.append(problem)
        return None
    return listed.resources[0] if listed.resources else None


def _takes_events(resource: Resource) -> bool:
    if not resource.has("D:resourcetype", "C:calendar"):
        return False
    kinds = resource.properties.get("C:supported-calendar-component-set")
    return kinds is None or len(kinds) == 0 or any(each.get("name") == "VEVENT" for each in kinds)


def _remote(dav: Dav, resource: Resource, home: Home) -> RemoteCalendar:
    name = calendar_id(home, resource.href)
    privileges = "D:current-user-privilege-set"
    may_write = privileges not in resource.properties or any(resource.has(privileges, each) for each in _WRITES)
    role: AccessRole = "owner" if may_write else "reader"
    return RemoteCalendar(
        id=name,
        name=resource.text("D:displayname") or name.rpartition("/")[2],
        access_role=role,
        timezone=_zone(resource) or _zone_alone(dav, resource.href),
    )


def _zone(resource: Resource) -> str | None:
    """Return the zone by RFC 7809, else by the VTIMEZONE of RFC 4791."""
    zone_id = resource.text("C:calendar-timezone-id")
    text = resource.text("C:calendar-timezone")
    with suppress(InvalidInput):
        if zone_id is not None:
            return find_zone(zone_id.strip()).key
    # The name may be the server's own; the rules beside it describe the same zone.
    with suppress(InvalidInput):
        if text is not None:
            return _defined_zone(text)
    return None


def _zone_alone(dav: Dav, url: str) -> str | None:
    """Ask the calendar itself for its zone, because some servers leave the zone out of listings."""
    try:
        listed = dav.request_multistatus("PROPFIND", url, propfind(*_ZONES), depth=0, what="the calendar")
    except NoAnswer:
        raise
    except AlmanacError:
        return None
    return _zone(listed.resources[0]) if listed.resources else None


def _defined_zone(text: str) -> str | None:
    from almanac.families.calendar.ical.parser import parse  # noqa: PLC0415 - icalendar takes 130 ms to import
    from almanac.families.calendar.ical.zone_names import defined_zone  # noqa: PLC0415

    for calendar in parse(text.encode()):
        return defined_zone(calendar, _ANY_YEAR)
    return None


def _add_slash(url: str) -> str:
    return url if url.endswith("/") else f"{url}/"
