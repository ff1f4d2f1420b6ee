"""Test the facts about this machine that tools see, and their permission to configure its clients."""

from ipaddress import ip_network

import pytest

from almanac.local.client.server_address import Address
from almanac.local.http.addresses import NO_PROXIES, Proxies
from almanac.local.start.machine import this_machine
from almanac.platform.clients.server import Server

SERVER = Server(url="http://127.0.0.1:8787/mcp")


@pytest.mark.parametrize(
    ("host", "may"),
    [
        ("127.0.0.1", True),
        ("localhost", True),
        ("::1", True),
        ("0.0.0.0", False),
        ("192.168.1.5", False),
        ("ann", False),
    ],
)
def test_configurations_are_written_only_where_nobody_else_can_call(host: str, may: bool) -> None:
    assert this_machine(SERVER, Address(host, 8787), NO_PROXIES).may_write is may


def test_nor_are_they_behind_a_proxy() -> None:
    proxies = Proxies([ip_network("127.0.0.1")])
    assert this_machine(SERVER, Address("127.0.0.1", 8787), proxies).may_write is False
    assert this_machine(SERVER, Address("127.0.0.1", 8787), Proxies([])).may_write is True


def test_of_the_environment_only_places_of_clients_are_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CODEX_HOME", "/x")
    monkeypatch.setenv("ALMANAC_API_KEY", "alm_secret")
    machine = this_machine(SERVER, Address("127.0.0.1", 8787), NO_PROXIES)
    assert machine.variables["CODEX_HOME"] == "/x"
    assert "alm_secret" not in machine.variables.values()
