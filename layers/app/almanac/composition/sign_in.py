"""Composition of sign-in."""

import os
from collections.abc import Callable
from functools import cache, partial
from typing import TYPE_CHECKING

from almanac.composition.families import FAMILIES
from almanac.gateway.oauth.authorize import Parts
from almanac.gateway.oauth.door import SignInDoor
from almanac.gateway.oauth.request import Seal
from almanac.gateway.observability.telemetry import Telemetry
from almanac.identity.access.gatekeeper import Gatekeeper
from almanac.identity.access.public_limits import PublicLimits
from almanac.identity.browser_sessions import BrowserSessions
from almanac.identity.keys import ApiKeys
from almanac.identity.oauth.attempts import Attempts
from almanac.identity.oauth.clients import MOST_DOCUMENT_BYTES, Clients, FetchDocument, FetchedDocument
from almanac.identity.oauth.grants import ClientGrants
from almanac.identity.oauth.resources import Origins
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import Clock
from almanac.kernel.errors import AlmanacError, Unavailable
from almanac.platform.store.port import Store
from almanac.platform.store.shared_secret import shared_secret

if TYPE_CHECKING:
    from almanac.families.calendar.providers.transport.addresses import AddressBook
    from almanac.families.calendar.providers.transport.http import HttpClient

SECONDS = 2.5
"""Time limit of each network operation, in seconds. A whole request may take twice as long."""


def open_sign_in(
    open_store: Callable[[], Store],
    open_gatekeeper: Callable[[], Gatekeeper],
    clock: Clock,
    origins: Origins,
    telemetry: Telemetry | None = None,
    *,
    reads_documents: bool = True,
) -> SignInDoor:
    """Open sign-in over a store. Without `reads_documents`, clients must register, as they do without a network."""

    def parts() -> Parts:
        store = open_store()
        return Parts(
            clients=Clients(store, clock, os.urandom, document_fetcher() if reads_documents else None),
            grants=ClientGrants(store, clock, os.urandom),
            attempts=Attempts(store, clock, os.urandom),
            limits=PublicLimits(store, clock),
            keys=ApiKeys(store, clock, os.urandom),
            sessions=BrowserSessions(store, clock, os.urandom),
            tenants=Tenants(store, clock),
            gatekeeper=open_gatekeeper(),
            seal=Seal(lambda: shared_secret(store, "sign_in", os.urandom)),
            clock=clock,
            random_bytes=os.urandom,
            families=tuple(FAMILIES),
        )

    return SignInDoor(parts, origins, families=tuple(FAMILIES), telemetry=telemetry, reads_documents=reads_documents)


def document_fetcher(addresses: "AddressBook | None" = None) -> FetchDocument:
    """Return a function that fetches metadata documents of clients.

    It only connects to public addresses, follows no redirects, and limits size and time.
    """

    @cache
    def open_client() -> "Callable[[], HttpClient]":
        # Imported late, because most sign-ins fetch no document.
        from almanac.families.calendar.providers.transport.addresses import (  # noqa: PLC0415
            AddressBook,
            NetworkPolicy,
        )
        from almanac.families.calendar.providers.transport.gates import Gates  # noqa: PLC0415
        from almanac.families.calendar.providers.transport.http import HttpClient  # noqa: PLC0415

        return partial(
            HttpClient,
            "The address of the program's metadata document",
            addresses or AddressBook(NetworkPolicy()),
            seconds=SECONDS,
            max_body=MOST_DOCUMENT_BYTES,
            hosts=Gates(1),
            redirects=False,
        )

    def fetch(url: str) -> FetchedDocument:
        client = open_client()()
        try:
            answer = client.send("GET", url, headers={"Accept": "application/json", "User-Agent": "almanac"})
        except AlmanacError as problem:
            raise Unavailable(
                "The metadata document of this program cannot be read now.",
                "Try again later, or connect in a way that registers the program.",
            ) from problem
        finally:
            client.close()
        kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if answer.status != 200 or not (kind == "application/json" or kind.endswith("+json")):
            raise Unavailable(
                "The address of the program's metadata document did not return a metadata document.",
                "Try again later, or connect in a way that registers the program.",
            )
        return FetchedDocument(answer.body, answer.headers.get("cache-control", ""))

    return fetch
