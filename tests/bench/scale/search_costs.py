"""What search costs with each kind of index, and where each ends.

Units of the store are counted. What a node of OpenSearch takes was measured on one of 3.6 with 57,960 documents, see
docs/decisions/0030-the-search-index.md.
"""

import tempfile
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from random import Random

import msgspec
from msgspec import Struct

from almanac.composition.search import index_parts
from almanac.composition.services import services_for
from almanac.kernel.clock import FixedClock
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message, decode_message
from almanac.platform.store.port import OutboxPut
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.search.engine.document_writes import document_change
from almanac.search.engine.fresh import MOST
from almanac.search.engine.index_reaction import FOLLOW
from almanac.search.port import Document, SearchIndex
from almanac.search.questions.port import Search, SearchRequest
from tests.bench.metered_store import MeteredStore
from tests.bench.page import Table
from tests.bench.scale import prices
from tests.bench.scale.costs import units
from tests.bench.scale.system import SCOPE
from tests.bench.scale.units import MORNING
from tests.doubles.search_index import MemoryIndex

WORDS = 100
"""Of a document."""
DOCUMENTS = 1000
"""That a tenant is reckoned to keep."""
DOCUMENT_BYTES = 3100
"""On the disk of a node."""
SEARCH_CPU = 0.040
"""Seconds that a search takes a node."""
NODE_CPU = 2 * 0.2
"""Processors that the smallest node has for good: two, a fifth of each."""
NODE_DISK_GB = 10
DISK_FOR_DOCUMENTS = 0.8 * 0.95
"""The service and the file system keep the rest."""
_MANY = 64


class Units(Struct, frozen=True):
    """Read and write units of search.

    `beside` is the addition to a document's write, `behind` the indexing, `search` a search without fresh documents,
    and `fresh` the addition for each fresh document.
    """

    beside: tuple[float, float]
    behind: tuple[float, float]
    search: float
    fresh: float


class LaggingIndex(MemoryIndex):
    """An index whose searches see writes a little later, as OpenSearch's do."""

    visible_after_ms = 3000


def of_search() -> Table:
    domain = prices.SEARCH_NODE_HOUR * prices.HOURS_A_MONTH + prices.SEARCH_DISK_GB_MONTH * NODE_DISK_GB
    lagging, without = count_units(LaggingIndex()), count_units(None)
    held = int(NODE_DISK_GB * prices.GIGABYTE * DISK_FOR_DOCUMENTS / DOCUMENT_BYTES)
    searches = f"{NODE_CPU / SEARCH_CPU:.0f} searches a second"
    ends = f"{held / 1e6:.1f} million documents, {held // DOCUMENTS:,} tenants; {searches}"
    off = f"the last {MOST:,} documents of each project"
    rows = [
        ["domain", f"{domain:.2f}", *_millions(lagging, 0), ends],
        ["endpoint", "what it costs", *_millions(lagging, 0), "its disk and processors"],
        ["off", "0.00", *_millions(without, MOST), off],
    ]
    return Table(
        "Search",
        "Dollars a month while nobody calls; dollars that a million searches, and a million documents of "
        f"{WORDS} words, add for the store; how far it goes, with {DOCUMENTS:,} documents to a tenant.",
        ["Search=", "a month", "searches", "documents", "ends at"],
        rows,
    )


def _millions(one: Units, fresh: int) -> Sequence[str]:
    search = (one.search + fresh * one.fresh) * prices.READ_UNIT
    read, put = one.beside[0] + one.behind[0], one.beside[1] + one.behind[1]
    document = read * prices.READ_UNIT + put * prices.WRITE_UNIT
    return f"{search * prices.MILLION:.2f}", f"{document * prices.MILLION:.2f}"


def count_units(index: SearchIndex | None) -> Units:
    """Count the units with an index of this kind, or without an index."""
    with tempfile.TemporaryDirectory() as folder:
        clock = FixedClock(MORNING)
        store = SqliteStore(Path(folder) / "almanac.db", clock=clock, cursor_secret=b"c" * 32)
        meter = MeteredStore(store)
        services = services_for(meter, clock, open_indexing=lambda: index_parts(index, None))
        delivery, search = Delivery(meter, services, clock, report=_fail), services.get(Search)
        nothing = _read(meter, search)
        beside = behind = (0.0, 0)
        # The same ids in every run.
        random = Random(11)
        for number in range(_MANY):
            # Far enough apart that the index has each before the next one comes.
            clock.instant += timedelta(seconds=10)
            put = _put(number, now_ms(clock), random)
            beside = _add(beside, _charges_of(meter, lambda put=put: meter.write([put])))
            message = _event_of(put)
            behind = _add(behind, _charges_of(meter, lambda m=message: delivery.deliver(m, FOLLOW, tried=False)))
        fresh = (_read(meter, search) - nothing) / _MANY
        store.close()
    return Units(_each(beside), _each(behind), nothing, fresh)


def _put(number: int, at: int, random: Random) -> OutboxPut:
    text = " ".join(f"word{number + place}" for place in range(WORDS))
    document = Document(
        id=f"note_{number}", kind="note", profile="documents", version=1, title="What was said", text=text
    )
    change = document_change(document, SCOPE, actor="ann", at=at, random_bytes=random.randbytes)
    assert isinstance(change, OutboxPut)
    return change


def _event_of(put: OutboxPut) -> Message:
    """Return the event that the change feed carries."""
    (text,) = msgspec.convert(put.attributes["messages"], tuple[str, ...])
    return decode_message(text)


def _read(meter: MeteredStore, search: Search) -> float:
    request = SearchRequest(text="word7", profile="documents")
    return _charges_of(meter, lambda: search.search(SCOPE, request))[0]


def _charges_of(meter: MeteredStore, what: Callable[[], object]) -> tuple[float, int]:
    meter.reset()
    what()
    return units(meter.charges)


def _add(one: tuple[float, int], other: tuple[float, int]) -> tuple[float, int]:
    return one[0] + other[0], one[1] + other[1]


def _each(one: tuple[float, int]) -> tuple[float, float]:
    return one[0] / _MANY, one[1] / _MANY


def _fail(where: str, error: BaseException) -> None:
    raise AssertionError(where) from error
