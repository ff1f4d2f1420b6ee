"""A scheduled job that checks every ring."""

from almanac.kernel.caller import Scope
from almanac.platform.declaration.jobs import Job
from almanac.platform.services import Services
from almanac.platform.store.port import Store, Update

from .records import CHECK_RINGS, RINGS


def check_rings(services: Services, scope: Scope) -> None:
    store = services.get(Store)
    rows = RINGS.within(store, scope)
    for ring in rows.query().records:
        if not ring.checked:
            store.write([Update(rows.key(ring.bell), set={"checked": True})])


JOBS = (Job(CHECK_RINGS, 0.2, check_rings),)
