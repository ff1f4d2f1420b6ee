"""Test the checks of `make smoke` on the emulator, including those that it must skip."""

import subprocess
import sys

import pytest

from tests.e2e.local_stack import ROOT, SYSTEM
from tests.e2e.target import Target
from tests.ports import reserve_port
from tests.smoke import refusals, tenants
from tests.smoke.check import Check, Counts, perform
from tests.smoke.deployment import Deployment

SKIPPED = {
    "a client without a key reads where to sign in": "no name leads to the emulator",
    "that 403 has the words of the authorizer": "the emulator puts nothing of the authorizer into gateway responses",
    "a tenant over the plan of its tier is a 429 in JSON-RPC": "the emulator counts nothing to usage plans",
    "a function that does not answer is a 500 in JSON-RPC": (
        "the emulator passes on what Lambda says of a function without a place"
    ),
    "OpenSearch takes the signed requests of functions and operator": (
        "the node that stands for the domain takes requests that nobody signed"
    ),
    "API Gateway takes the usage-plan key that the authorizer names": (
        "the emulator does not look at the key of a usage plan that an authorizer names"
    ),
}

pytestmark = pytest.mark.timeout(900)


@pytest.fixture
def surroundings(at: Target) -> dict[str, str]:
    if at.stack is None:
        pytest.skip("an address is checked by make smoke, and a laptop has no gateway")
    return at.stack.environment | {"ALMANAC_URL": at.url, "ALMANAC_API_KEY": at.key}


def _run_smoke(surroundings: dict[str, str], *options: str) -> tuple[int, list[str]]:
    """Exit status and lines."""
    command = [sys.executable, "-m", "tests.smoke.run", *options]
    done = subprocess.run(command, env=surroundings, cwd=ROOT, capture_output=True, text=True, check=False)
    print(done.stdout, done.stderr)
    return done.returncode, done.stdout.splitlines()


def test_the_stack_passes_and_what_the_emulator_cannot_is_skipped_with_a_reason(surroundings: dict[str, str]):
    status, lines = _run_smoke(surroundings, "--stack", SYSTEM, "--disturb")
    assert status == 0
    skipped = [line.removeprefix("skip").strip() for line in lines if line.startswith("skip")]
    assert dict(line.split(": ", 1) for line in skipped) == SKIPPED
    assert lines[-1].startswith(f"{len(lines) - 1 - len(SKIPPED)} ok, {len(SKIPPED)} skipped, 0 failed")


def test_a_check_that_fails_says_what_came_back_and_what_to_do_and_the_others_are_made():
    said: list[str] = []
    nowhere = Target(f"http://127.0.0.1:{reserve_port()}/mcp", "alm_key", None)
    unreachable = Check("a call without a key is a 401", refusals.call_without_key, "Look at the address.")
    operators = Check("a key of each tier is let in", tenants.every_tier, "Look at the tiers.")
    counts = perform((unreachable, operators), Deployment(nowhere, None, emulated=False, disturbs=False), said.append)
    assert counts == Counts(passed=0, skipped=1, failed=1)
    failed, skipped = said
    assert failed.startswith("FAIL  a call without a key is a 401: ConnectError: ")
    assert failed.endswith("What to do: Look at the address.")
    assert skipped.startswith("skip  a key of each tier is let in: it needs an operator")
    assert "STACK=" in skipped


def test_a_smoke_test_without_an_address_says_what_to_give():
    done = subprocess.run(
        [sys.executable, "-m", "tests.smoke.run"], env={}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "URL=" in done.stderr
