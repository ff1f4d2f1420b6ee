"""Test servers with private certificates. They are refused with a hint, and trusted with the user's certificate."""

import ipaddress
import ssl
from collections.abc import Generator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from almanac.families.calendar.accounts.provider_clients import tls_context
from almanac.families.calendar.providers.transport.addresses import AddressBook, NetworkPolicy
from almanac.families.calendar.providers.transport.http import HttpClient
from almanac.kernel.errors import InvalidInput, Unavailable


def certificate(folder: Path, *, days: int = 10, address: str = "127.0.0.1") -> tuple[Path, str]:
    """Signed by itself: the file of key and certificate, and the certificate as text."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "calendar")])
    begins = datetime.now(UTC) - timedelta(days=20)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(begins)
        .not_valid_after(begins + timedelta(days=20 + days))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    text = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file = folder / "server.pem"
    file.write_bytes(private + text)
    return file, text.decode()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 5

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", "40000")
        self.end_headers()
        self.wfile.write(b"x" * 40000)

    def log_message(self, format: str, *args: object) -> None:
        pass


class TlsServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that do not trust it hang up."""


@pytest.fixture
def tls_server(tmp_path: Path, request: pytest.FixtureRequest) -> Generator[tuple[str, str]]:
    """Address and certificate of a server; parameters of the certificate come from the test."""
    file, text = certificate(tmp_path, **getattr(request, "param", {}))
    server = TlsServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield f"https://127.0.0.1:{server.server_port}/", text
    server.shutdown()
    thread.join()
    server.server_close()


def client(authority: str | None = None) -> HttpClient:
    tls = (lambda: tls_context(authority)) if authority is not None else ssl.create_default_context
    return HttpClient("Example", AddressBook(NetworkPolicy(private=True)), seconds=5, tls=tls)


def test_a_server_with_a_certificate_of_its_own_is_spoken_to_where_the_user_gives_it(
    tls_server: tuple[str, str],
) -> None:
    url, text = tls_server
    http = client(text)
    for _ in range(3):
        assert len(http.send("GET", url).body) == 40000
    http.close()


def test_without_it_the_refusal_says_what_to_do(tls_server: tuple[str, str]) -> None:
    with pytest.raises(Unavailable, match="no certificate that this machine trusts") as told:
        client().send("GET", tls_server[0])
    assert "--ca-file" in told.value.hint


@pytest.mark.parametrize(
    ("tls_server", "said"),
    [({"days": -5}, "has expired"), ({"address": "127.0.0.2"}, "is for another name")],
    indirect=["tls_server"],
)
def test_a_certificate_that_is_given_is_checked_all_the_same(tls_server: tuple[str, str], said: str) -> None:
    with pytest.raises(Unavailable, match=said):
        client(tls_server[1]).send("GET", tls_server[0])


@pytest.mark.parametrize(
    "text", ["", "no certificate", "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"]
)
def test_what_is_no_certificate_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="no certificate"):
        tls_context(text)
