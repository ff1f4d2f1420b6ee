"""Tables of scheduled jobs: what an idle tenant costs, how long rounds take, and sentences with the same figures."""

from tests.bench.page import Table
from tests.bench.scale.idle import MINUTES_A_MONTH, Empty, Idle
from tests.bench.scale.job_rounds import GROUPS, ROUND_SECONDS, TARGET_SECONDS, Load, simulate_rounds

SIZES = (1_000, 10_000, 100_000)
"""Tenants."""


def of_idle(idle: Idle, empty: Empty) -> str:
    rows = [
        ["tenant with one project", f"{idle.read:,g}", f"{idle.written:,}", str(idle.items), f"{idle.dollars:.4f}"],
        ["installation", f"{empty.read * MINUTES_A_MONTH:,g}", "0", "", f"{empty.dollars_a_month:.3f}"],
    ]
    table = Table(
        "What nobody calls",
        "A month of a filled tenant that nobody calls, from three days after its last call on, with an index to "
        "compare it with; and of an installation in which nothing is due, whose jobs look every minute. Units of the "
        "store, due items, dollars with the time of the function.",
        ["", "read", "written", "due items", "dollars a month"],
        rows,
    )
    said = f"An idle tenant costs ${idle.dollars:.4f} a month, a thousand of them ${1000 * idle.dollars:.2f}."
    return f"{table.markdown()}\n\n{said}"


def of_rounds(load: Load) -> str:
    found = [simulate_rounds(load, tenants, groups) for tenants in SIZES for groups in GROUPS]
    rows = [
        [f"{one.tenants:,}", str(one.groups), f"{one.items:,.0f}", f"{one.mean:.1f}", f"{one.longest:.1f}"]
        for one in found
    ]
    table = Table(
        "Rounds of scheduled jobs",
        "An hour of rounds while every tenant calls as in the busiest hour: due items of a round, seconds of the "
        "average round and of the longest.",
        ["tenants", "JobGroups", "due items", "average s", "longest s"],
        rows,
    )
    ends = [
        f"{_hundreds(load.ends_at(groups, TARGET_SECONDS))} tenants with JobGroups={groups}, and a minute with "
        f"{_hundreds(load.ends_at(groups, ROUND_SECONDS))}"
        for groups in GROUPS
    ]
    return f"{table.markdown()}\n\nA round takes {TARGET_SECONDS} seconds with {'; with '.join(ends)}."


def _hundreds(number: int) -> str:
    return f"{number // 100 * 100:,}"
