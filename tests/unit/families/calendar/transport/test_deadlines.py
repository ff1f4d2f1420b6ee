"""Test that no caller waits longer than the deadline, however slow a server is."""

import gc
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.deadlines import Deadline, all_by
from almanac.families.calendar.providers.transport.gates import Gate
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.families.calendar.providers.transport.timed_sockets import TimedSocket
from almanac.kernel.errors import Unavailable
from tests.doubles.slow_server import serve_slowly
from tests.until import ends_within, measure_seconds

HEAD = b"HTTP/1.1 200 OK\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
SECONDS = 0.3
PROMPT = 2 * SECONDS + 3
PHASES = {
    "status line": (b"", b"H"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "headers": (HEAD, b"X-A: b\r\n"),
    "one header": (HEAD + b"X-Long: ", b"b"),
    "body": (HEAD + b"Content-Length: 100000\r\n\r\n", b"x"),
    "body without length": (HEAD + b"Connection: close\r\n\r\n", b"x"),
    "chunks": (CHUNKED, b"1\r\nx\r\n"),
    "chunk size": (CHUNKED, b"0"),
    "trailers": (CHUNKED + b"0\r\n", b"X-A: b\r\n"),
}


def client(seconds: float = SECONDS) -> HttpClient:
    return HttpClient("Example", AddressBook(NetworkPolicy(private=True)), seconds=seconds)


def is_left(port: int, *, scheme: str = "http", match: str = "Example") -> None:
    with pytest.raises(Unavailable, match=match):
        client().send("GET", f"{scheme}://127.0.0.1:{port}/")


@pytest.mark.parametrize("phase", PHASES)
def test_a_server_that_drips_in_any_phase_is_left(phase: str) -> None:
    first, drip = PHASES[phase]
    with serve_slowly(first, drip) as server:
        assert ends_within(PROMPT, lambda: is_left(server.port))


@pytest.mark.parametrize("phase", ["body", "body without length", "chunks"])
def test_its_connection_is_closed_though_the_error_is_kept(phase: str) -> None:
    first, drip = PHASES[phase]
    with serve_slowly(first, drip) as server, pytest.raises(Unavailable) as kept:
        client().send("GET", f"http://127.0.0.1:{server.port}/")
    sockets = [each for each in gc.get_objects() if isinstance(each, TimedSocket)]
    assert kept.value.__cause__ is not None
    assert sockets
    assert [each.fileno() for each in sockets if each.fileno() >= 0] == []


def test_a_server_that_drips_in_the_handshake_is_left() -> None:
    # The beginning of a TLS record of 16 kB.
    with serve_slowly(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xf0", b"\x00") as server:
        assert ends_within(PROMPT, lambda: is_left(server.port, scheme="https", match="did not answer in time"))


def test_a_name_that_nobody_looks_up_in_time_is_left() -> None:
    over = Event()

    def resolve(_host: str, _port: int) -> list[str]:
        over.wait()
        return []

    slow = HttpClient("Example", AddressBook(NetworkPolicy(private=True), resolve), seconds=SECONDS)
    try:
        with pytest.raises(Unavailable, match="did not answer in time"):
            slow.send("GET", "http://localhost:1/")
    finally:
        over.set()


def test_redirects_share_the_time_of_one_exchange() -> None:
    with serve_slowly(
        HEAD.replace(b"200 OK", b"302 Found") + b"Location: /again\r\nContent-Length: 2\r\n\r\n", b"x"
    ) as server:
        assert ends_within(PROMPT, lambda: is_left(server.port))


def test_all_exchanges_of_a_call_end_by_one_moment() -> None:
    with serve_slowly(HEAD, b"X-A: b\r\n") as server:

        def four_exchanges() -> None:
            http = client(seconds=5)
            with all_by(Deadline(0.5)):
                for _ in range(4):
                    with pytest.raises(Unavailable, match="did not answer in time"):
                        http.send("GET", f"http://127.0.0.1:{server.port}/")

        assert ends_within(3.5, four_exchanges)


def _few_of_forty_wait_long() -> bool:
    with serve_slowly(HEAD, b"X-A: b\r\n") as server:
        http = client(seconds=3)

        def ask() -> None:
            with pytest.raises(Unavailable):
                http.send("GET", f"http://127.0.0.1:{server.port}/")

        with ThreadPoolExecutor(40) as pool:
            waited = sorted(pool.map(measure_seconds, [ask] * 40))
        assert server.connections <= 6
    # Some are turned away at once, some wait for a turn while the server might have answered.
    return waited[17] < 1.9 and waited[33] < 5 and waited[-1] < 10


@pytest.mark.slow
def test_of_forty_that_ask_a_server_that_hangs_few_wait_long() -> None:
    assert any(_few_of_forty_wait_long() for _ in range(3))


class Watch:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_server_that_fails_is_left_alone_for_a_while_and_then_tried_once() -> None:
    watch = Watch()
    gate = Gate(6, monotonic=watch)

    def ask(problem: Exception | None = None) -> None:
        with gate.admit("Example", 5):
            if problem is not None:
                raise problem

    for _ in range(3):
        with pytest.raises(TimeoutError):
            ask(TimeoutError())
    with pytest.raises(Unavailable, match="not called again") as told:
        ask()
    assert told.value.hint == "Try again in 15 seconds."
    watch.now = 16
    with pytest.raises(TimeoutError):
        ask(TimeoutError())
    with pytest.raises(Unavailable):
        ask()
    watch.now = 32
    ask()
    ask()


def test_failures_that_are_not_the_servers_close_no_gate() -> None:
    gate = Gate(1)
    for _ in range(9):
        with pytest.raises(KeyError), gate.admit("Example", 5):
            raise KeyError
    with gate.admit("Example", 5):
        pass
