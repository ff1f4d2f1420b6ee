"""Messages as search finds them. A message never changes, so its document has one version."""

from collections.abc import Iterator, Sequence

from almanac.families.team.messages.delivery import MESSAGE_KIND, searched_message
from almanac.families.team.messages.mail_records import MESSAGES
from almanac.kernel.caller import Scope
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.port import Document
from almanac.search.source import Source

_AT_ONCE = 32


def _read(services: Services, scope: Scope, ids: Sequence[str]) -> list[Document]:
    return [searched_message(each) for each in MESSAGES.within(services.get(Store), scope).by_id(ids).values()]


def _every(services: Services, scope: Scope, after: str) -> Iterator[Document]:
    # An id with a character more is the first that could follow it.
    found = MESSAGES.within(services.get(Store), scope).every(since=f"{after}0" if after else None, page=_AT_ONCE)
    return map(searched_message, found)


SOURCES = (Source(kind=MESSAGE_KIND, profile="documents", read=_read, every=_every),)
