"""Metadata documents of clients are read from public addresses only, without redirects, small and in time."""

import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from almanac.composition import sign_in
from almanac.composition.sign_in import document_fetcher
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.identity.oauth.clients import MOST_DOCUMENT_BYTES
from almanac.kernel.errors import Unavailable
from tests.doubles import loopback
from tests.until import ends_within

Answer = Callable[[BaseHTTPRequestHandler], None]
DOCUMENT = json.dumps({"client_id": "https://app.example.com/client.json"}).encode()
PUBLIC = "93.184.215.14"
ELSEWHERE = [
    *("127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1"),
    *("169.254.169.254", "169.254.170.2", "192.0.0.8", "192.0.2.1", "198.18.0.1", "198.51.100.7", "203.0.113.9"),
    *("224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "100.100.100.200"),
    *("::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::ffff:10.0.0.1", "64:ff9b::7f00:1"),
    *("64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1"),
    *("ff02::1", "2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fd20:ce::254"),
]


@contextmanager
def serve_answer(answer: Answer) -> Generator[tuple[str, list[str]]]:
    """The address of a server that answers so, and the paths that it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        timeout = 5

        def do_GET(self) -> None:
            asked.append(self.path)
            answer(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with loopback.serve(Handler) as address:
        yield address, asked


def document_answer(content: bytes = DOCUMENT, status: int = 200, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, value in ({"content_type": "application/json"} | headers).items():
            handler.send_header(name.replace("_", "-"), value)
        handler.send_header("content-length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    return answer


def near() -> sign_in.FetchDocument:
    """A fetcher that may read from this machine."""
    return document_fetcher(AddressBook(NetworkPolicy(private=True)))


def test_a_document_comes_with_how_long_it_may_be_kept():
    with serve_answer(document_answer(cache_control="max-age=60")) as (url, _):
        fetched = near()(f"{url}/client.json")

    assert (fetched.body, fetched.cache_control) == (DOCUMENT, "max-age=60")


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/client+json", "APPLICATION/JSON"])
def test_every_kind_of_json_is_one(kind: str):
    with serve_answer(document_answer(content_type=kind)) as (url, _):
        assert near()(url).body == DOCUMENT


@pytest.mark.parametrize(
    "answer",
    [
        document_answer(status=302, location="/elsewhere"),
        document_answer(status=301, location="http://169.254.169.254/latest/meta-data/"),
        document_answer(status=307, location="https://app.example.com/"),
        document_answer(status=404),
        document_answer(status=204),
        document_answer(status=500),
        document_answer(content_type="text/html"),
        document_answer(content_type=""),
        document_answer(b" " * (MOST_DOCUMENT_BYTES + 1)),
    ],
)
def test_what_is_no_document_is_refused_and_nothing_else_is_asked_for(answer: Answer):
    with serve_answer(answer) as (url, asked):
        with pytest.raises(Unavailable) as refused:
            near()(f"{url}/client.json")
        assert asked == ["/client.json"]

    assert "127.0.0.1" not in f"{refused.value.message}{refused.value.hint}"


@pytest.mark.parametrize("how", ["says nothing", "drips", "sends headers without end"])
def test_a_server_that_takes_its_time_is_left(monkeypatch: pytest.MonkeyPatch, how: str):
    monkeypatch.setattr(sign_in, "SECONDS", 0.3)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        if how == "says nothing":
            handler.rfile.read(1)
            return
        if how == "drips":
            handler.wfile.write(b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n")
        else:
            handler.wfile.write(b"HTTP/1.0 200 OK\r\n")
        try:
            for number in range(100):
                handler.wfile.write(b" " if how == "drips" else f"x-{number}: 1\r\n".encode())
                handler.wfile.flush()
                time.sleep(0.1)
        except OSError:
            return

    def ask() -> None:
        with serve_answer(answer) as (url, _), pytest.raises(Unavailable):
            near()(url)

    assert ends_within(5, ask)


@pytest.mark.parametrize("address", ELSEWHERE)
def test_no_name_leads_into_a_network_that_is_not_public(address: str):
    with pytest.raises(Unavailable):
        document_fetcher(AddressBook(NetworkPolicy(), lambda host, port: [address]))("https://app.example.com/c.json")


@pytest.mark.parametrize("address", ELSEWHERE)
def test_of_several_addresses_of_a_name_each_must_be_public(address: str):
    with pytest.raises(Unavailable):
        document_fetcher(AddressBook(NetworkPolicy(), lambda host, port: [PUBLIC, address]))("https://a.example.com/c")


def test_a_name_is_looked_up_once_and_what_it_means_later_does_not_matter():
    """First a permitted address, then one inside: the connection goes to the address that was judged."""
    with serve_answer(document_answer()) as (url, asked):
        meant = ["127.0.0.1", "169.254.169.254"]
        fetch = document_fetcher(AddressBook(NetworkPolicy(private=True), lambda host, port: [meant.pop(0)]))
        port = url.rpartition(":")[2]
        assert fetch(f"http://localhost:{port}/c.json").body == DOCUMENT
        assert (asked, meant) == (["/c.json"], ["169.254.169.254"])
        with pytest.raises(Unavailable):
            fetch(f"http://localhost:{port}/c.json")
