"""Test the discovery of an account's calendars, its login, and the servers that get its password."""

from collections.abc import Generator
from datetime import datetime

import pytest
from msgspec.structs import replace

from almanac.families.calendar.model.events import Event, ZonedTime
from almanac.families.calendar.providers.caldav.calendars import CalDavProvider
from almanac.families.calendar.providers.caldav.dav import Dav
from almanac.families.calendar.providers.caldav.discovery import Home, find_home
from almanac.families.calendar.providers.port import RemoteCalendar
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.families.calendar.providers.transport.login import challenges
from almanac.kernel.errors import AlmanacError, Forbidden, NotFound, Unavailable
from tests.doubles.caldav_server import CalDav, run_caldav

WELL_KNOWN = "/.well-known/caldav"
PRINCIPAL = "<D:current-user-principal><D:href>/p/ann/</D:href></D:current-user-principal>"
HOME = "<C:calendar-home-set><D:href>/c/ann/</D:href></C:calendar-home-set>"
ADDRESSES = (
    "<C:calendar-user-address-set><D:href>urn:uuid:1</D:href><D:href>mailto:old@example.com</D:href>"
    '<D:href preferred="1">MAILTO:ann@example.com</D:href></C:calendar-user-address-set>'
)
MEETING = Event(
    id="0123456789abcdefghijklmnop",
    uid="0123456789abcdefghijklmnop@almanac",
    start=ZonedTime(datetime(2026, 3, 2, 9), "Europe/Berlin"),
    end=ZonedTime(datetime(2026, 3, 2, 10), "Europe/Berlin"),
    attendees=("ben@example.com",),
)


@pytest.fixture
def server() -> CalDav:
    return CalDav({"/p/ann/": HOME})


@pytest.fixture
def url(server: CalDav) -> Generator[str]:
    with run_caldav(server) as address:
        yield address


def dav(url: str, user: str = "ann", password: str = "secret", **more: frozenset[str]) -> Dav:
    http = HttpClient("Example", AddressBook(NetworkPolicy(private=True)), seconds=2)
    return Dav(http, "Example", url, user, password, **more)


def test_the_well_known_address_is_asked_first(server: CalDav, url: str) -> None:
    server.answers[WELL_KNOWN] = PRINCIPAL
    assert find_home(dav(url), url).url == f"{url}/c/ann/"
    assert server.requests == [("PROPFIND", WELL_KNOWN), ("PROPFIND", "/p/ann/")]


def test_the_well_known_address_may_lead_elsewhere_on_the_server(server: CalDav, url: str) -> None:
    server.redirects[WELL_KNOWN] = "/dav/"
    server.answers["/dav/"] = PRINCIPAL
    assert find_home(dav(url), url).url == f"{url}/c/ann/"


@pytest.mark.parametrize("well_known", [200, 401, 403, 404, 405, 500, 503])
@pytest.mark.parametrize("given", [200, 401, 404, 500])
def test_whatever_stands_at_one_address_the_next_one_is_asked(
    server: CalDav, url: str, well_known: int, given: int
) -> None:
    server.answers |= {WELL_KNOWN: well_known, "/given/": given, "/": PRINCIPAL}
    assert find_home(dav(f"{url}/given"), f"{url}/given").url == f"{url}/c/ann/"


def test_a_root_that_shows_a_page_does_not_end_the_search(server: CalDav, url: str) -> None:
    server.answers |= {"/": 200, "/dav/": PRINCIPAL}
    assert find_home(dav(f"{url}/dav/"), f"{url}/dav/").url == f"{url}/c/ann/"


@pytest.mark.parametrize(
    ("status", "problem"), [(404, NotFound), (200, Unavailable), (503, Unavailable), (401, Forbidden)]
)
def test_where_nothing_is_found_it_is_said_why(
    server: CalDav, url: str, status: int, problem: type[AlmanacError]
) -> None:
    server.answers |= {WELL_KNOWN: 404, "/": status}
    with pytest.raises(problem):
        find_home(dav(url), url)


def test_a_server_that_says_nothing_is_not_asked_at_three_addresses(url: str) -> None:
    with pytest.raises(Unavailable, match="cannot be reached"):
        find_home(dav("http://127.0.0.1:1/"), "http://127.0.0.1:1/")


def test_an_account_has_addresses_of_its_own_the_preferred_one_first(server: CalDav, url: str) -> None:
    server.answers |= {"/": PRINCIPAL, "/p/ann/": HOME + ADDRESSES}
    assert find_home(dav(url), url).addresses == ("ann@example.com", "old@example.com")


@pytest.mark.parametrize("known", [True, False])
def test_invitations_name_the_account_as_their_organizer(server: CalDav, url: str, known: bool) -> None:
    server.answers |= {"/c/ann/": PRINCIPAL, "/p/ann/": HOME + ADDRESSES}
    home = Home(f"{url}/c/ann/", ("ann@example.com",) if known else ())
    calendar = RemoteCalendar(id="work", name="Work")
    CalDavProvider(dav(url), home).create(calendar, MEETING)
    assert "ORGANIZER:mailto:ann@example.com" in server.puts[0]
    assert "ATTENDEE:mailto:ben@example.com" in server.puts[0]
    CalDavProvider(dav(url), home).create(calendar, replace(MEETING, attendees=()))
    assert "ORGANIZER" not in server.puts[1]


@pytest.mark.parametrize("algorithm", ["MD5", "MD5-sess", "SHA-256", "SHA-256-sess"])
def test_a_server_that_wants_digest_gets_it_and_counts_each_use_once(server: CalDav, url: str, algorithm: str) -> None:
    server.digest = algorithm
    server.answers["/"] = PRINCIPAL
    logged_in = dav(url)
    assert find_home(logged_in, url).url == f"{url}/c/ann/"
    before = len(server.requests)
    for _ in range(5):
        assert logged_in.send("PROPFIND", f"{url}/p/ann/").status == 207
    assert len(server.requests) == before + 5
    assert [login.startswith("Digest ") for login in server.logins].count(False) == 1


def test_a_nonce_that_grew_old_is_replaced(server: CalDav, url: str) -> None:
    server.digest, server.uses_of_a_nonce = "SHA-256", 2
    logged_in = dav(url)
    server.answers["/p/ann/?a=b"] = HOME
    for _ in range(7):
        assert logged_in.send("PROPFIND", f"{url}/p/ann/?a=b").status == 207


def test_a_redirect_of_a_server_that_wants_digest_is_followed(server: CalDav, url: str) -> None:
    server.digest = "MD5"
    server.redirects[WELL_KNOWN] = "/dav/"
    server.answers["/dav/"] = PRINCIPAL
    assert find_home(dav(url), url).url == f"{url}/c/ann/"


@pytest.mark.parametrize("digest", ["MD5", None])
def test_a_wrong_password_is_told_and_tried_few_times(server: CalDav, url: str, digest: str | None) -> None:
    server.digest = digest
    with pytest.raises(Forbidden, match="does not accept the credentials"):
        find_home(dav(url, password="wrong"), url)
    assert len(server.requests) <= 6


@pytest.mark.parametrize(
    ("offered", "said"),
    [
        (["Negotiate", "NTLM"], "Negotiate, Ntlm"),
        (['Bearer realm="a"'], "Bearer"),
        (['Digest realm="a", nonce="b", algorithm=SHA-512-256'], "Digest with SHA-512-256"),
        (['Digest realm="a", nonce="b", qop="auth-int"'], "Digest with auth-int"),
    ],
)
def test_another_way_to_log_in_is_named_instead_of_blaming_the_password(
    server: CalDav, url: str, offered: list[str], said: str
) -> None:
    server.challenges = offered
    with pytest.raises(Forbidden, match=f"a login method.*{said}"):
        find_home(dav(url, password="wrong"), url)


def test_challenges_are_read_as_they_are_written() -> None:
    found = challenges('Basic realm="a, b=\\"c\\"", Digest realm=x,nonce = "n" , qop="auth,auth-int",stale=FALSE,NTLM')
    assert [(one.scheme, dict(one.parameters)) for one in found] == [
        ("basic", {"realm": 'a, b="c"'}),
        ("digest", {"realm": "x", "nonce": "n", "qop": "auth,auth-int", "stale": "FALSE"}),
        ("ntlm", {}),
    ]


@pytest.mark.parametrize(
    ("known", "other"),
    [
        ("https://ann.github.io/", "https://eve.github.io/c/"),
        ("https://calendar.co.uk/", "https://evil.co.uk/c/"),
        ("https://caldav.example.com/", "https://p42-caldav.example.com/c/"),
        ("https://caldav.example.com/", "https://caldav.example.com:8443/c/"),
        ("https://caldav.example.com/", "https://caldav.example.com.evil.net/c/"),
    ],
)
def test_no_other_host_sees_the_password_unless_the_user_named_it(known: str, other: str) -> None:
    assert not dav(known).trusts(other)
    assert dav(known).trusts(f"{known}elsewhere/")
    with pytest.raises(Forbidden, match="credentials are not sent there"):
        dav(known).send("GET", other)


def test_a_host_that_the_user_named_may_see_the_password() -> None:
    named = dav("https://caldav.example.com/", trusted=frozenset({"p42-caldav.example.com"}))
    assert named.trusts("https://p42-caldav.example.com/c/")
    assert not named.trusts("https://p43-caldav.example.com/c/")


@pytest.mark.parametrize("where", ["home", "principal", "redirect"])
def test_the_password_follows_no_server_elsewhere(server: CalDav, url: str, where: str) -> None:
    other = CalDav({"/p/ann/": HOME, "/": PRINCIPAL})
    with run_caldav(other) as elsewhere:
        if where == "home":
            server.answers |= {"/": PRINCIPAL, "/p/ann/": HOME.replace("/c/ann/", f"{elsewhere}/c/ann/")}
        elif where == "principal":
            server.answers["/"] = PRINCIPAL.replace("/p/ann/", f"{elsewhere}/p/ann/")
        else:
            server.redirects["/"] = f"{elsewhere}/"
        with pytest.raises((Forbidden, Unavailable), match="another server"):
            find_home(dav(url), url)
    assert other.requests == []
