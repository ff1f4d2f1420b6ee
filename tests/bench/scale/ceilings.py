"""Which limit is reached first: the demand of the busiest hour against the default quotas in us-east-1.

Quotas by the services' own pages as of 2026-11-21; most are raised on request, those of a partition are not.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec

from tests.bench.scale.costs import duration, memory_of, waiting_milliseconds
from tests.bench.scale.job_rounds import ROUND_SECONDS, Load
from tests.bench.scale.key_mix import Mix
from tests.bench.scale.measured import Measurement
from tests.bench.scale.sizes import LISTENERS, calls_a_second
from tests.bench.scale.system import Passage
from tests.bench.scale.units import ToolUnits
from tests.contract.template import TEMPLATE

SOCKET_LIFE = 2 * 3600
"""Seconds after which API Gateway closes a connection, which is then opened anew."""


class Average(msgspec.Struct, frozen=True):
    """Events of an average call in the mix (all, told on the live feed, put on the bus), and milliseconds of each
    function; jobs are of one tenant."""

    events: float
    told: float
    put: float
    authorizer: float
    door: float
    behind: float
    push: float
    """Of one event into the log of its project."""
    jobs: Load
    mix: Mix


class Ceiling(msgspec.Struct, frozen=True):
    """A quota and its use. `demand` returns the use by a number of tenants, in `unit`."""

    what: str
    quota: float
    unit: str
    demand: Callable[[int], float]

    def used(self, tenants: int) -> float:
        return self.demand(tenants) / self.quota


def log_wait(passage: Passage) -> float:
    """Milliseconds until the feed's log takes the next event of a project; 0 after a call that tells it of none."""
    waits = waiting_milliseconds(charge for charge in passage.charges["push"] if charge.kind != "query")
    return waits / passage.invocations["push"] if passage.invocations["push"] else 0


def average(counted: Sequence[ToolUnits], mix: Mix, measured: Measurement, jobs: Load) -> Average:

    def mean(of: Callable[[ToolUnits], float]) -> float:
        return sum(mix.share[one.tool] * of(one) for one in counted)

    hub, feed = memory_of("HubFunction"), memory_of("FeedFunction")
    parts = measured.parts
    return Average(
        events=mean(lambda one: one.next.events),
        told=mean(lambda one: one.next.invocations["push"]),
        put=mean(lambda one: one.next.put),
        authorizer=mean(lambda one: duration(one.next, "authorizer", parts["authorizer"], hub)),
        door=mean(lambda one: duration(one.next, "door", measured.door[one.tool], hub)),
        behind=mean(
            lambda one: (
                duration(one.next, "stream", parts["stream"], feed)
                + duration(one.next, "reactions", parts["reactions"], hub)
                + duration(one.next, "rules", parts["rules"], hub)
            )
        ),
        push=max(log_wait(one.next) for one in counted),
        jobs=jobs,
        mix=mix,
    )


def ceilings(of: Average, busiest: Mapping[int, float]) -> list[Ceiling]:
    """Return the quotas on the path of a call and of its events.

    `busiest` is the calls per second of the busiest tenant, by the number of tenants.
    """
    rate = calls_a_second
    own = TEMPLATE["Parameters"]["RequestsPerSecond"]["Default"]
    busy = (of.authorizer + of.door + of.behind + of.push * of.told) / 1000
    return [
        Ceiling("this stack's own throttle, RequestsPerSecond", own, "calls/s", rate),
        Ceiling("a round of scheduled jobs, JobGroups=1", ROUND_SECONDS, "s", lambda n: of.jobs.seconds(n, 1)),
        Ceiling("a round of scheduled jobs, JobGroups=4", ROUND_SECONDS, "s", lambda n: of.jobs.seconds(n, 4)),
        Ceiling("the live feed of the busiest tenant", 1000 / of.push, "events/s", lambda n: busiest[n] * of.told),
        Ceiling("API Gateway, requests and frames of the account", 10_000, "/s", lambda n: rate(n) * (1 + of.told)),
        Ceiling("API Gateway, new WebSocket connections", 500, "/s", lambda n: n * LISTENERS / SOCKET_LIFE),
        Ceiling("Lambda, concurrent executions", 1000, "", lambda n: rate(n) * busy),
        Ceiling("DynamoDB, write units of a table", 40_000, "/s", lambda n: rate(n) * of.mix.whole.written),
        Ceiling("DynamoDB, read units of a table", 40_000, "/s", lambda n: rate(n) * of.mix.whole.read),
        Ceiling("SQS FIFO in high throughput mode, sendings to a queue", 70_000, "/s", lambda n: rate(n) * of.events),
        Ceiling("EventBridge, PutEvents", 10_000, "/s", lambda n: rate(n) * of.put),
    ]
