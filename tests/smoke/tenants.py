"""Tenants as an operator makes them: one of each tier, exported and deleted."""

import json
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex

from almanac.identity.records import TIERS
from tests.e2e.target import eventually
from tests.smoke.check import Check, CheckFailed, CheckSkipped
from tests.smoke.deployment import Deployment, Operator

_REMEMBERED_SECONDS = 90
"""Authorizers remember keys for 30 seconds."""


@dataclass(frozen=True)
class Tenant:
    name: str
    operator: Operator

    def key(self, *terms: str) -> str:
        """Issue a key for the tenant. Only these checks know it."""
        return self.operator.almanac("keys", "issue", "--tenant", self.name, *terms).strip()


def operator_of(at: Deployment) -> Operator:
    """Return the deployment's operator. Raises CheckSkipped if there is none."""
    if at.operator is None:
        raise CheckSkipped("it needs an operator's credentials of AWS and the name of the stack: STACK=...")
    return at.operator


@contextmanager
def tenant_of(operator: Operator, purpose: str, *terms: str) -> Generator[Tenant]:
    """A tenant of its own, which is gone afterwards."""
    tenant = Tenant(f"smoke-{purpose}-{token_hex(4)}", operator)
    operator.almanac("tenants", "create", tenant.name, *terms)
    try:
        yield tenant
    finally:
        operator.almanac("tenants", "delete", tenant.name, "--yes")


def every_tier(at: Deployment) -> str:
    operator = operator_of(at)
    for tier in TIERS:
        with tenant_of(operator, tier, "--tier", tier) as tenant:
            answer = at.target.post(path="/time", key=tenant.key())
            if answer.status_code != 200:
                raise CheckFailed(f"{tier}: HTTP {answer.status_code}, {answer.text[:200]}")
    return f"HTTP 200 for {', '.join(TIERS)}"


def plans_take_their_keys(at: Deployment) -> str:
    operator_of(at)
    if at.emulated:
        raise CheckSkipped("the emulator does not look at the key of a usage plan that an authorizer names")
    return every_tier(at)


def export_and_delete(at: Deployment) -> str:
    operator, title = operator_of(at), f"smoke {token_hex(6)}"
    with tenant_of(operator, "export") as tenant, tempfile.TemporaryDirectory() as folder:
        file, there = Path(folder) / "tenant.jsonl", replace(at.target, key=tenant.key())
        there.ask("notes_create", title=title, body="To be exported.")
        operator.almanac("export", tenant.name, str(file))
        if title not in file.read_text(encoding="utf-8"):
            raise CheckFailed("the note that was written is not in the exported file")
        size = file.stat().st_size
    eventually(lambda: there.post(path="/time").status_code == 401, seconds=_REMEMBERED_SECONDS, every=2)
    names = [row["tenant"] for row in json.loads(operator.almanac("tenants", "list", "--json"))]
    if tenant.name in names:
        raise CheckFailed(f"{tenant.name} is still listed")
    return f"a file of {size} bytes; the tenant is gone, and its key is refused"


TENANTS = (
    Check(
        "a key of each tier is let in",
        every_tier,
        "Look in the log of the function authorizer, and in the stack UsagePlans for a plan and a key of each tier.",
    ),
    Check(
        "API Gateway takes the usage-plan key that the authorizer names",
        plans_take_their_keys,
        "A 500 here is INVALID_API_KEY: compare the keys of the usage plans with ALMANAC_USAGE_KEYS of the authorizer.",
    ),
    Check(
        "a tenant is created, exported and deleted",
        export_and_delete,
        "Give the operator the rights on table and bucket; delete what is left: almanac tenants list.",
    ),
)
