"""The search source of messages. A message never changes, so its document has one version."""

from collections.abc import Iterator, Sequence

from almanac.families.team.messages.delivery import MESSAGE_KIND, message_document
from almanac.families.team.messages.mail_records import MESSAGES
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import Source

_AT_ONCE = 32


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    return [message_document(each) for each in MESSAGES.within(services.get(Store), scope).by_id(ids).values()]


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    # An id with one more character is the first that can follow it.
    found = MESSAGES.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
    return map(message_document, found)


SOURCES = (Source(kind=MESSAGE_KIND, profile="documents", read=_read, every=_every),)
