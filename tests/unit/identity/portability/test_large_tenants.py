"""Large values and large tenants go through little memory, as of one instant."""

import tracemalloc
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from almanac.identity.transfer.tenant_export import TenantExport
from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.store.port import Item
from tests.contract.installations import Installation, UncheckedItems
from tests.unit.identity.portability.files import note


def test_large_values_need_their_blobs(here: Installation, there: Installation):
    here.whole.write([note(1, large="x" * 400_000)])
    content = here.export("acme")

    with pytest.raises(InvalidInput, match="no blobs were given"):
        TenantImport(there.store, None, there.signer, UncheckedItems).read(
            BytesIO(content), into=None, trust=True, progress=lambda end: None
        )
    exported = TenantExport(here.store, here.scan, None, here.clock)
    with pytest.raises(InvalidInput, match="no blobs were given"):
        exported.write("acme", BytesIO(), with_keys=False, progress=lambda items: None)


def test_a_value_that_was_overwritten_during_the_export_is_taken_as_it_stands(here: Installation):
    here.whole.write([note(1, large="old" * 200_000)])

    def overtaken() -> list[Item]:
        scanned = list(here.scan.items("acme"))
        here.whole.write([note(1, large="new" * 200_000)])
        for stored in list(here.blobs.list_blobs()):
            here.blobs.delete(stored.name) if stored.name.id in str(scanned) else None
        return scanned

    class Scan:
        def items(self, tenant: str) -> list[Item]:
            return overtaken()

    file = BytesIO()
    TenantExport(here.store, Scan(), here.blobs, here.clock).write(  # type: ignore[arg-type]
        "acme", file, with_keys=False, progress=lambda items: None
    )

    here.restore(file.getvalue(), into="copy")
    assert [item.attributes["large"] for item in here.items("copy") if "large" in item.attributes] == ["new" * 200_000]


def test_a_large_value_that_is_missing_stops_the_export(here: Installation):
    here.whole.write([note(1, large="x" * 400_000)])
    for stored in here.blobs.list_blobs():
        here.blobs.delete(stored.name)

    with pytest.raises(Unavailable, match="A large value of P#acme#default#notes"):
        here.export("acme")


def test_an_export_sees_no_write_by_half(here: Installation):
    here.whole.write([note(1, left=300), note(2, left=300)])
    scan = here.scan.items("acme")
    assert next(scan).attributes == {"left": 300}

    here.whole.write([note(1, left=0), note(2, left=600)])

    assert [item.attributes["left"] for item in scan if "left" in item.attributes] == [300]


def test_memory_does_not_grow_with_the_tenant(here: Installation, there: Installation, tmp_path: Path):
    for start in range(0, 2000, 100):
        here.whole.write([note(start + each, text=f"{start + each} " * 1000) for each in range(100)])

    def peak(work: Callable[[], object]) -> int:
        tracemalloc.start()
        work()
        try:
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    def export_tenant() -> None:
        with (tmp_path / "acme.jsonl").open("wb") as file:
            TenantExport(here.store, here.scan, here.blobs, here.clock).write(
                "acme", file, with_keys=False, progress=lambda items: None
            )

    def import_tenant(into: str) -> None:
        with (tmp_path / "acme.jsonl").open("rb") as file:
            TenantImport(there.store, there.blobs, there.signer, UncheckedItems).read(
                file, into=into, trust=True, progress=lambda end: None
            )

    # Twice: threads that another test has left may take memory meanwhile.
    assert min(peak(export_tenant) for _ in range(2)) < 1_000_000
    assert (tmp_path / "acme.jsonl").stat().st_size > 8_000_000
    assert min(peak(lambda into=into: import_tenant(into)) for into in ("acme", "again")) < 12_000_000
