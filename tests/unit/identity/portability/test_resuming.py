"""Test that a tenant is restored once, only into an empty place, also after an interrupted import."""

from collections.abc import Sequence
from io import BytesIO

import pytest

from almanac.identity.tenants import Tenants
from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, Unavailable
from almanac.platform.store.port import Change
from almanac.platform.store.wrapper import StoreWrapper
from tests.contract.installations import Installation, UncheckedItems
from tests.unit.identity.portability.files import note, refusal


class FailingStore(StoreWrapper):
    """A store whose writes fail after `allowed` successful ones."""

    def __init__(self, installation: Installation, allowed: int) -> None:
        super().__init__(installation.store)
        self.left = allowed
        self.changes = 0

    def write(self, changes: Sequence[Change]) -> None:
        if not self.left:
            raise Unavailable("The store does not answer.")
        self.left -= 1
        self.changes += len(changes)
        super().write(changes)


def test_importing_the_same_file_again_changes_nothing(here: Installation, there: Installation):
    here.whole.write([note(1), note(2, large="x" * 400_000)])
    content = here.export("acme")
    there.restore(content)
    there.whole.write([note(1, edited="since"), note(3)])
    edited = there.items("acme")

    again = there.restore(content)

    assert again.already
    assert there.items("acme") == edited


def test_a_tenant_that_exists_is_left_alone(here: Installation, there: Installation):
    content = here.export("acme")
    Tenants(there.store, there.clock).create("acme")

    assert refusal(there, content).code == "tenant_exists"
    assert there.restore(content, into="acme-2").tenant == "acme-2"


def test_another_file_is_refused_once_one_was_imported(here: Installation, there: Installation, clock: FixedClock):
    there.restore(here.export("acme"))
    clock.instant = clock.instant.replace(hour=20)

    assert refusal(there, here.export("acme")).code == "tenant_exists"


@pytest.mark.parametrize("allowed", range(6))
def test_an_import_that_was_stopped_anywhere_goes_on_with_the_same_file(
    here: Installation, there: Installation, allowed: int
):
    for start in range(0, 300, 100):
        here.whole.write([note(start + each) for each in range(100)])
    content = here.export("acme")
    failing = FailingStore(there, allowed)
    with pytest.raises(Unavailable):
        TenantImport(failing, there.blobs, there.signer, UncheckedItems).read(
            BytesIO(content), into=None, trust=True, progress=lambda end: None
        )
    assert not Tenants(there.store, there.clock).exists("acme")

    rest = FailingStore(there, 100)
    TenantImport(rest, there.blobs, there.signer, UncheckedItems).read(
        BytesIO(content), into=None, trust=True, progress=lambda end: None
    )

    assert there.items("acme") == here.items("acme")
    assert failing.changes + rest.changes <= 301 + 6 * 2 + 2, "what was written before is written again"


def test_an_unfinished_import_is_not_mixed_with_another_file(
    here: Installation, there: Installation, clock: FixedClock
):
    content = here.export("acme")
    clock.instant = clock.instant.replace(hour=20)
    other = here.export("acme")
    with pytest.raises(Unavailable):
        TenantImport(FailingStore(there, 1), None, there.signer, UncheckedItems).read(
            BytesIO(content), into=None, trust=True, progress=lambda end: None
        )

    assert refusal(there, other).code == "import_unfinished"
    assert not there.restore(content).already


def test_a_tenant_created_meanwhile_keeps_its_place(here: Installation, there: Installation):
    here.whole.write([note(each) for each in range(100)])
    here.whole.write([note(each) for each in range(100, 200)])
    created: list[str] = []

    def create(end: int) -> None:
        if not created and end > 3000:
            Tenants(there.store, there.clock).create("acme")
            created.append("acme")

    with pytest.raises(Conflict, match="was created, or imported by somebody else, meanwhile"):
        TenantImport(there.store, None, there.signer, UncheckedItems).read(
            BytesIO(here.export("acme")), into=None, trust=True, progress=create
        )
