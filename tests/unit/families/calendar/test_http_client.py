"""Test the HTTP client against a server that misbehaves on demand."""

import ssl
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

import pytest

from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable
from tests.doubles import loopback

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serve_answer(answer: Answer) -> Generator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 5

        def do_GET(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answer(self)

        do_PUT = do_PROPFIND = do_GET  # noqa: N815 - the names of http.server

        def log_message(self, format: str, *args: object) -> None:
            pass

    with loopback.serve(Handler) as address:
        yield address


def body(handler: BaseHTTPRequestHandler, content: bytes, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name, value)
    handler.send_header("Content-Length", str(len(content)))
    handler.end_headers()
    handler.wfile.write(content)


@contextmanager
def open_client(seconds: float) -> Generator[HttpClient]:
    made = HttpClient("Example", AddressBook(NetworkPolicy(private=True)), seconds=seconds, max_body=1000)
    yield made
    made.close()


@pytest.fixture
def client() -> Generator[HttpClient]:
    with open_client(seconds=60) as made:
        yield made


def test_an_answer_is_handed_over_whatever_its_status(client: HttpClient) -> None:
    with serve_answer(lambda handler: body(handler, b"no", 418, ETag='"1"')) as url:
        answer = client.send("GET", f"{url}/tea?a=b")
    assert (answer.status, answer.body, answer.headers["etag"]) == (418, b"no", '"1"')


def test_a_connection_serves_many_requests_and_one_that_was_closed_is_opened_again(client: HttpClient) -> None:
    ports: list[int] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        body(handler, b"ok", 200, **({"Connection": "close"} if len(ports) == 2 else {}))
        handler.close_connection = len(ports) in {2, 3}

    with serve_answer(answer) as url:
        for _ in range(4):
            assert client.send("GET", url).body == b"ok"
    assert ports[0] == ports[1] != ports[2]


def test_a_write_is_sent_once_over_a_connection_of_its_own(client: HttpClient) -> None:
    seen: list[tuple[str, int]] = []

    def answer(handler: BaseHTTPRequestHandler) -> None:
        seen.append((handler.command, handler.client_address[1]))
        if handler.command == "GET":
            body(handler, b"ok")
        else:
            handler.close_connection = True  # without an answer

    with serve_answer(answer) as url:
        client.send("GET", url)
        with pytest.raises(Unavailable):
            client.send("PUT", url, body=b"x")
    assert [method for method, _ in seen] == ["GET", "PUT"]
    assert seen[0][1] != seen[1][1]


def test_a_body_without_end_is_cut_off(client: HttpClient) -> None:
    with serve_answer(lambda handler: body(handler, b"x" * 5000)) as url, pytest.raises(Unavailable, match="more than"):
        client.send("GET", url)


def test_half_a_body_is_no_answer(client: HttpClient) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "100")
        handler.end_headers()
        handler.wfile.write(b"half")
        handler.close_connection = True

    with serve_answer(answer) as url, pytest.raises(Unavailable, match="Example cannot be reached"):
        client.send("GET", url)


def silence(handler: BaseHTTPRequestHandler) -> None:
    handler.rfile.read(1)  # until the client hangs up


def test_silence_is_told_from_refusal(client: HttpClient) -> None:
    with (
        serve_answer(silence) as url,
        open_client(seconds=0.4) as hasty,
        pytest.raises(Unavailable, match="Example did not answer in time"),
    ):
        hasty.send("GET", url)
    with pytest.raises(Unavailable, match="cannot be reached"):
        client.send("GET", url)


def test_a_reading_request_follows_redirects_on_its_server_only(client: HttpClient) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        where = {"/a": "/b", "/out": "https://elsewhere.example/", "/round": "/round"}.get(handler.path)
        body(handler, handler.path.encode(), 301 if where else 200, **({"Location": where} if where else {}))

    with serve_answer(answer) as url:
        assert client.send("PROPFIND", f"{url}/a").body == b"/b"
        assert client.send("PUT", f"{url}/a").status == 301
        with pytest.raises(Unavailable, match=r"elsewhere\.example"):
            client.send("GET", f"{url}/out")
        with pytest.raises(Unavailable, match="loop"):
            client.send("GET", f"{url}/round")


@pytest.mark.parametrize(
    "url",
    ["http://calendar.example.com/", "ftp://127.0.0.1/", "https://", "//host/", "file:///etc/passwd", "https://[/"],
)
def test_only_https_and_this_machine_are_spoken_to(client: HttpClient, url: str) -> None:
    with pytest.raises(InvalidInput):
        client.send("GET", url)


def test_a_url_with_a_password_in_it_is_refused_and_not_repeated(client: HttpClient) -> None:
    with pytest.raises(InvalidInput) as refused:
        client.send("GET", "https://ann:hunter2@calendar.example.com/")
    assert "hunter2" not in str(refused.value)


def test_this_machine_is_out_of_reach_from_the_cloud() -> None:
    with pytest.raises(Forbidden):
        HttpClient("Example", AddressBook(NetworkPolicy())).send("GET", "http://127.0.0.1:1/")


def test_credentials_are_in_no_error(client: HttpClient) -> None:
    with pytest.raises(Unavailable) as refused:
        client.send("GET", "http://127.0.0.1:1/", headers={"Authorization": "Basic c2VjcmV0"})
    assert "c2VjcmV0" not in repr(refused.value)


def test_the_connection_goes_to_the_address_that_was_checked(client: HttpClient) -> None:
    looked_up: list[str] = []

    def resolve(host: str, _port: int) -> list[str]:
        looked_up.append(host)
        return ["127.0.0.1"] if len(looked_up) == 1 else ["10.0.0.1"]

    with serve_answer(lambda handler: body(handler, handler.headers["Host"].encode())) as url:
        port = url.rpartition(":")[2]
        other = HttpClient("Example", AddressBook(NetworkPolicy(private=True), resolve), seconds=60)
        assert other.send("GET", f"http://localhost:{port}/").body == f"localhost:{port}".encode()
        other.close()
    assert looked_up == ["localhost"]


def test_a_server_without_a_trusted_certificate_is_not_spoken_to() -> None:
    client = HttpClient("Example", AddressBook(NetworkPolicy(private=True)), seconds=2, tls=ssl.create_default_context)
    with serve_answer(lambda handler: body(handler, b"")) as url, pytest.raises(Unavailable, match="Example"):
        client.send("GET", url.replace("http:", "https:"))
