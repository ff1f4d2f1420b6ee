"""Test that export and import keep everything of a tenant."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from almanac.identity.tenants import Tenants
from almanac.kernel.clock import FixedClock
from almanac.platform.portability.lines import Header
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import INDEXES, Put
from tests.contract.installations import Installation
from tests.unit.identity.portability.files import ACME, HEADER, file_of, refusal

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=10)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(1e-100, 1e100) | TEXTS | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS | st.just("$blob"), inner, max_size=3),
    max_leaves=8,
)
ATTRIBUTES = st.dictionaries(st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True), VALUES, max_size=4)


@st.composite
def _puts(draw: st.DrawFn) -> Put:
    partitions = st.builds(Partition.in_project, st.just(ACME), TEXTS, TEXTS) | st.builds(
        Partition.in_tenant, st.just(ACME), TEXTS.filter(lambda name: name != "projects")
    )
    keys = st.builds(Key, partitions, st.builds(sort_key, TEXTS, st.integers(-(10**15), 10**15)))
    return Put(
        draw(keys),
        draw(ATTRIBUTES),
        expires_at=draw(st.none() | st.just(10**14)),
        indexes=draw(st.dictionaries(st.sampled_from(INDEXES), keys)),
    )


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(puts=st.lists(_puts(), max_size=8, unique_by=lambda put: put.key))
def test_what_was_imported_exports_as_the_same_file(puts: list[Put], tmp_path_factory: Any, clock: FixedClock):
    folder = tmp_path_factory.mktemp("round")
    here, there = Installation.on_sqlite(folder / "here", clock), Installation.on_sqlite(folder / "there", clock)
    Tenants(here.store, clock).create("acme")
    if puts:
        here.whole.write(puts)
    content = here.export("acme")

    clock.instant = clock.instant.replace(year=clock.instant.year + 1)
    there.restore(content)
    there.restore(there.export("acme"), into="birch")

    assert there.items("acme") == here.items("acme")
    assert there.export("acme").splitlines()[1:-1] == content.splitlines()[1:-1]
    assert len(there.items("birch")) == len(puts) + 1


def test_a_tenant_keeps_its_tier(here: Installation, there: Installation):
    Tenants(here.store, here.clock).edit("acme", tier="premium")
    there.restore(here.export("acme"), into="birch")
    assert [tenant.tier for tenant in Tenants(there.store, there.clock).all()] == ["premium"]


def test_a_tier_that_is_not_known_here_is_refused_before_anything_is_written(there: Installation):
    unknown = Header(format=1, tenant="acme", name="acme", created_at=1, exported_at=2, tier="galactic")
    assert "galactic" in refusal(there, file_of(unknown)).message
    assert there.restore(file_of(HEADER)).tenant == "acme"
