"""Targets of the suite: the laptop server, the stack on an emulator, and the server that ALMANAC_URL and
ALMANAC_API_KEY name.

The stack is skipped if its tools are missing.
"""

import os
from collections.abc import Generator, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from secrets import randbelow, token_hex

import pytest

from tests.e2e import local_stack, target
from tests.e2e.planner_agent import PlannerAgent, connect_agent
from tests.e2e.target import TENANT, Target
from tests.opensearch.shared_node import node_if_any

GIVEN = target.target_from_environment()
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Limit the time of the tests here, but not of their fixtures.

    Building and deploying take minutes on a busy machine, and each of their steps has its own limit.
    """
    for item in items:
        if item.path.is_relative_to(HERE):
            own = item.get_closest_marker("timeout")
            seconds = own.args[0] if own else float(item.config.getini("timeout"))
            item.add_marker(pytest.mark.timeout(seconds, func_only=True), append=False)


@pytest.fixture(scope="session", params=["laptop", "stack", *(["url"] if GIVEN else [])])
def at(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Generator[Target]:
    """The target of the suite. A session runs at most one server and one emulator, so targets take turns."""
    with ExitStack() as running:
        if request.param == "laptop":
            yield running.enter_context(target.laptop(tmp_path_factory.mktemp("e2e") / "almanac"))
        elif request.param == "stack":
            if lacking := local_stack.missing_requirement():
                pytest.skip(lacking)
            with pytest.MonkeyPatch.context() as patch:
                for name in [name for name in os.environ if name.startswith("AWS_")]:
                    patch.delenv(name)
                for name, value in local_stack.credentials().items():
                    patch.setenv(name, value)
                node = running.enter_context(node_if_any(tmp_path_factory))
                yield running.enter_context(target.deploy_emulated(node))
        else:
            assert GIVEN is not None
            yield GIVEN


@pytest.fixture
def issuing_target(at: Target) -> Target:
    """A target whose keys we can make."""
    if at.command_line is None:
        pytest.skip("keys cannot be issued there from here")
    return at


@pytest.fixture
def calendar(at: Target) -> Target:
    return _require_family(at, "calendar")


@pytest.fixture
def planner(at: Target) -> Target:
    return _require_family(at, "planner")


@pytest.fixture
def team(at: Target) -> Target:
    return _require_family(at, "team")


def _require_family(at: Target, family: str) -> Target:
    if family not in at.families:
        pytest.skip(f"the family {family} is not served there")
    return at


@pytest.fixture
def agent(planner: Target) -> Generator[PlannerAgent]:
    """An agent that plans, with the tools of all families."""
    with connect_agent(planner) as agent:
        yield agent


@pytest.fixture
def title() -> str:
    """A title that nothing else in the project has."""
    return f"e2e {token_hex(6)}"


@pytest.fixture(scope="session")
def free_spans(at: Target) -> Iterator[date]:
    """First days of spans of 40 days within ten years, after every date that a test names. No span is given twice.

    They differ from run to run, because a target at an address keeps the plans of earlier runs.
    """
    begin = max(datetime.now(UTC).date(), date(2032, 7, 1)) + timedelta(days=randbelow(200))
    return (begin + timedelta(days=40 * number) for number in range(32))


@pytest.fixture
def day(free_spans: Iterator[date]) -> date:
    """One on which, and on the 38 days after it, no other test of this run plans anything."""
    return next(free_spans) + timedelta(days=1)


@pytest.fixture
def project(issuing_target: Target) -> str:
    """A project of the test's own."""
    assert issuing_target.command_line is not None
    name = f"alone-{token_hex(4)}"
    issuing_target.command_line("projects", "create", name, "--tenant", TENANT)
    return name


@pytest.fixture
def agents(issuing_target: Target, project: str) -> Generator[tuple[PlannerAgent, PlannerAgent]]:
    """Ann's and Ben's agents, in a project of their own."""
    with ExitStack() as stack:
        keys = [issuing_target.issue("--project", project, "--actor", actor) for actor in ("ann", "ben")]
        ann, ben = (stack.enter_context(connect_agent(replace(issuing_target, key=key))) for key in keys)
        yield ann, ben
