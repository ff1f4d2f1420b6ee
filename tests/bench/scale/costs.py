"""What calls cost on AWS: counted units and measured milliseconds at published prices, in dollars per million calls.

A call pays for the API, the authorizer and the door. What it writes an event for pays besides for the stream's
function, the queues, the reactions and the live feed's log, and where a rule listens for the bus and the function of
rules: each event by itself, as in a quiet system, or ten of them together, as in a busy one.
"""

from collections.abc import Iterable, Sequence
from math import ceil
from statistics import fmean

import msgspec

from tests.bench.metered_store import Charge
from tests.bench.scale import prices
from tests.bench.scale.measured import Measurement
from tests.bench.scale.system import Passage
from tests.bench.scale.units import ToolUnits
from tests.contract.template import FUNCTIONS, TEMPLATE

VCPU_MB = 1769
"""Memory at which Lambda gives a function one whole processor; less memory has its share of it."""
WAITS = {"get": 4, "get_many": 6, "snapshot": 8, "query": 5, "write": 6, "transaction": 12}
"""Milliseconds from request to answer that DynamoDB is assumed to take; it promises single digits for plain ones."""
PLATFORM_LOG_BYTES = 900
"""Of the lines that Lambda itself logs of an invocation in JSON: start, end and report."""
SAMPLED = 0.05
"""Part of the requests that X-Ray traces by its default rule."""
STEPS = 3
"""A message is sent to, received from and deleted in its queue."""
TOGETHER = 10

QUEUED = {"reactions": "ReactionsFunction", "rules": "RulesFunction", "push": "FeedPushFunction"}
"""The functions that read a queue."""
_FUNCTION = {"stream": "FeedFunction", **QUEUED}


class Bill(msgspec.Struct, frozen=True):
    """Dollars per million calls, by kind of cost."""

    api: float
    functions: float
    store: float
    queues: float
    bus: float
    logs: float

    @property
    def total(self) -> float:
        return self.api + self.functions + self.store + self.queues + self.bus + self.logs


def units(charges: Iterable[Charge]) -> tuple[float, int]:
    """Read and written."""
    held = list(charges)
    return sum(charge.read for charge in held), sum(charge.written for charge in held)


def waiting_milliseconds(charges: Iterable[Charge]) -> int:
    """Milliseconds spent waiting for the store, one request after the other."""
    return sum(WAITS[kind] for kind in {charge.request: charge.kind for charge in charges}.values())


def duration(passage: Passage, part: str, cpu: float, memory: int) -> float:
    """Billed milliseconds of a part's invocations, whole ones for each: `cpu` of one on a whole processor, and
    waiting."""
    if not (count := passage.invocations[part]):
        return 0
    return count * ceil(cpu * VCPU_MB / memory + waiting_milliseconds(passage.charges[part]) / count)


def memory_of(function: str) -> int:
    return FUNCTIONS[function]["Properties"].get("MemorySize", TEMPLATE["Globals"]["Function"]["MemorySize"])


def bill(tool: str, passage: Passage, measured: Measurement, together: int = 1) -> Bill:
    """`together` is how many events the functions behind the stream get at once."""
    door = ("door", memory_of("HubFunction"), measured.door[tool], 1)
    behind = [(part, memory_of(name), measured.parts[part], together) for part, name in _FUNCTION.items()]
    authorizer = ("authorizer", memory_of("AuthorizerFunction"), measured.parts["authorizer"], 1)
    functions = invocations = 0.0
    for part, memory, cpu, share in (authorizer, door, *behind):
        calls = passage.invocations[part] / share
        gigabyte_seconds = duration(passage, part, cpu, memory) / 1000 * memory / 1024
        functions += calls * prices.LAMBDA_REQUEST + gigabyte_seconds * prices.LAMBDA_GB_SECOND
        invocations += calls
    read, written = units(charge for part in passage.charges.values() for charge in part)
    logged = measured.log_bytes + invocations * PLATFORM_LOG_BYTES
    dollars = Bill(
        api=prices.REST_REQUEST + passage.answer_bytes * prices.TRANSFER_GB / prices.GIGABYTE,
        functions=functions,
        store=read * prices.READ_UNIT + written * prices.WRITE_UNIT,
        queues=sum(passage.invocations[part] for part in QUEUED) * STEPS * prices.QUEUE_REQUEST / together,
        bus=passage.put * prices.BUS_EVENT,
        logs=logged * prices.LOG_GB / prices.GIGABYTE + SAMPLED * prices.TRACE,
    )
    return msgspec.convert(
        {name: value * prices.MILLION for name, value in msgspec.structs.asdict(dollars).items()}, Bill
    )


def mean(bills: Sequence[Bill]) -> Bill:
    return Bill(*(fmean(getattr(one, name) for one in bills) for name in Bill.__struct_fields__))


READS_TO_CHANGES = 4
"""How many calls read for each that changes something, in the mix that a family is reckoned by."""


def weights(counted: Sequence[ToolUnits]) -> dict[str, float]:
    """Each tool's part of the calls: families alike, four reading calls to a changing one, tools of a kind alike."""
    found: dict[str, float] = {}
    families = list(dict.fromkeys(one.family for one in counted))
    for family in families:
        kinds = {
            reads: [one for one in counted if one.family == family and one.reads is reads] for reads in (True, False)
        }
        parts = {True: READS_TO_CHANGES, False: 1}
        whole = sum(part for reads, part in parts.items() if kinds[reads])
        for reads, tools in kinds.items():
            found |= {one.tool: parts[reads] / whole / len(tools) / len(families) for one in tools}
    return found


def mix_bills(bills: dict[str, Bill], share: dict[str, float]) -> Bill:
    """The bill of a call, by each tool's part of the calls."""
    whole = sum(share[tool] for tool in bills)
    return Bill(
        *(
            sum(getattr(one, name) * share[tool] for tool, one in bills.items()) / whole
            for name in Bill.__struct_fields__
        )
    )
