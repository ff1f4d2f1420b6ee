"""Whose request it is, behind a proxy and without one."""

import pytest

from almanac.kernel.errors import InvalidInput
from almanac.local.http.addresses import NO_PROXIES, read_proxies

PROXIES = read_proxies(["10.0.0.0/8", "::1"])


def test_without_a_named_proxy_nobody_is_believed() -> None:
    scope = {"client": ("127.0.0.1", 5), "headers": [(b"x-forwarded-for", b"203.0.113.9")]}
    assert NO_PROXIES.with_client(scope)["client"] == ("127.0.0.1", 5)
    assert PROXIES.with_client(scope)["client"] == ("127.0.0.1", 5)


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("10.0.0.7", "203.0.113.9", "203.0.113.9"),
        ("::1", "203.0.113.9", "203.0.113.9"),
        ("::ffff:10.0.0.7", "203.0.113.9", "203.0.113.9"),
        ("10.0.0.7", "198.51.100.1, 203.0.113.9", "203.0.113.9"),  # the first is what the client claims
        ("10.0.0.7", "203.0.113.9, 10.1.1.1", "203.0.113.9"),
        ("10.0.0.7", "203.0.113.9:4711", "203.0.113.9"),
        ("10.0.0.7", "[2001:db8::1]:4711", "2001:db8::1"),
        ("10.0.0.7", "", "10.0.0.7"),
        ("10.0.0.7", "unknown", "10.0.0.7"),
        ("203.0.113.5", "198.51.100.1", "203.0.113.5"),
    ],
)
def test_the_last_address_that_is_no_proxys_counts(peer: str, forwarded: str, client: str) -> None:
    scope = {"client": (peer, 5), "headers": [(b"X-Forwarded-For", forwarded.encode())]}
    assert PROXIES.with_client(scope)["client"] == (client, 5)


def test_what_is_no_address_of_a_proxy_is_refused() -> None:
    with pytest.raises(InvalidInput, match="not the address of a proxy"):
        read_proxies(["everybody"])
