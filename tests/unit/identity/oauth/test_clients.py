"""Clients: registrations, and metadata documents with their cache."""

import json
import os
from datetime import timedelta
from typing import Any

import pytest

from almanac.identity.oauth.clients import (
    BadRegistration,
    Clients,
    FetchedDocument,
    client_of_document,
    is_document_url,
)
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.store.port import Store

URL = "https://client.example.com/oauth/client.json"
DOCUMENT = {"client_id": URL, "client_name": "A client", "redirect_uris": ["http://127.0.0.1/callback"]}


def test_a_document_gives_a_public_client() -> None:
    client = client_of_document(URL, json.dumps(DOCUMENT).encode())
    assert (client.id, client.name, client.host, client.secret) == (URL, "A client", "client.example.com", None)


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": URL + "/"},
        {"client_id": None},
        {"redirect_uris": []},
        {"redirect_uris": "http://127.0.0.1/callback"},
        {"redirect_uris": ["http://127.0.0.1/callback"] * 21},
        {"redirect_uris": ["javascript:alert(1)"]},
        {"client_secret": "s"},
        {"client_secret_expires_at": 0},
        {"token_endpoint_auth_method": "client_secret_post"},
        {"client_name": "x" * 6000},
    ],
)
def test_documents_that_do_not_hold_are_refused(change: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="metadata document"):
        client_of_document(URL, json.dumps(DOCUMENT | change).encode())


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"{", b"\xff", b"[" * 3000])
def test_documents_that_are_no_object_are_refused(body: bytes) -> None:
    with pytest.raises(InvalidInput, match="JSON object"):
        client_of_document(URL, body)


def test_a_name_is_shown_without_what_could_mislead() -> None:
    named = DOCUMENT | {"client_name": "Good\u202e client\n" + "x" * 300}
    name = client_of_document(URL, json.dumps(named).encode()).name
    assert name.isprintable()
    assert len(name) <= 80


NO_DOCUMENTS = [
    *(
        "http://client.example.com/x",
        "https://client.example.com",
        "https://client.example.com/",
        "https://u@h.com/x",
    ),
    *(
        "https://h.com/x#y",
        "https://h.com/a/../x",
        "https://h.com/a/./x",
        "https://h.com/%2e%2e/x",
        "https://h.com:8443/x",
    ),
    *("https://127.0.0.1/x", "https://[::1]/x", "https://localhost/x", "https://0x7f.1/x", "https://2130706433/x"),
    *(
        "HTTPS://h.com/x",
        "https://H.com/x",
        "https://h.com./x",
        "https://h.com\\@e.com/x",
        "https://h.com/x?y",
        "ftp://h.com/x",
    ),
    *(
        "https:///x",
        "https://h..com/x",
        "https://-h.com/x",
        "https://h.com/x y",
        "https://h.com/\u00e4",
        "https://h.com:x/x",
    ),
    "https://h.com/" + "x" * 600,
]


@pytest.mark.parametrize("url", NO_DOCUMENTS)
def test_ids_that_are_no_address_of_a_document(url: str) -> None:
    assert not is_document_url(url)


def test_a_document_is_remembered_and_served_stale_while_its_host_is_down(store: Store, clock: FixedClock) -> None:
    asked: list[str] = []
    down = False

    def fetch(url: str) -> FetchedDocument:
        asked.append(url)
        if down:
            raise Unavailable("It does not answer.")
        return FetchedDocument(json.dumps(DOCUMENT).encode(), "public, max-age=600")

    clients = Clients(store, clock, os.urandom, fetch)
    for _ in range(2):
        assert clients.find(URL, lambda: None) is not None
    assert len(asked) == 1
    down = True
    clock.instant += timedelta(seconds=601)
    assert clients.find(URL, lambda: None) is not None
    assert len(asked) == 2
    clock.instant += timedelta(days=1)
    with pytest.raises(Unavailable):
        clients.find(URL, lambda: None)


def test_a_registration_says_how_the_client_authenticates(clients: Clients) -> None:
    native, none = clients.register({"redirect_uris": ["cursor://x/y"], "application_type": "web"})
    web, secret = clients.register({"redirect_uris": ["https://a.example.com/cb"]})
    posted, posted_secret = clients.register(
        {"redirect_uris": ["http://localhost:1/cb"], "token_endpoint_auth_method": "client_secret_post"}
    )
    assert (native.auth_method, none) == ("none", None)
    assert (web.auth_method, posted.auth_method) == ("client_secret_basic", "client_secret_post")
    assert secret
    assert posted_secret
    assert clients.is_authenticated(native.id, None, "none")
    assert clients.is_authenticated(web.id, secret, "client_secret_post")
    assert not clients.is_authenticated(web.id, None, "none")
    assert not clients.is_authenticated(web.id, "wrong", "client_secret_basic")
    assert not clients.is_authenticated("alc-unknown", None, "none")


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        {},
        {"redirect_uris": []},
        {"redirect_uris": [1]},
        {"redirect_uris": ["http://evil.com/"]},
        {"redirect_uris": ["http://localhost/x"], "token_endpoint_auth_method": "private_key_jwt"},
        {"redirect_uris": ["http://localhost/x"], "grant_types": ["client_credentials"]},
    ],
)
def test_bad_registrations_are_refused(clients: Clients, metadata: object) -> None:
    with pytest.raises(BadRegistration):
        clients.register(metadata)


@pytest.fixture
def clients(store: Store, clock: FixedClock) -> Clients:
    return Clients(store, clock, os.urandom)
