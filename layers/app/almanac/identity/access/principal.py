"""The principal of an authorized request. Apart from `authorize`, which functions behind it need not import."""

from dataclasses import dataclass

from almanac.kernel.caller import Caller


@dataclass(frozen=True, slots=True)
class Principal:
    """An authorized request. Limits count requests, of the key and of all keys of its tenant; None means unlimited.
    They are enforced where the request is answered: `default_per_minute`, the tier's limit for a tenant without one of
    its own, is counted roughly, the others exactly. `calls_at_once` bounds the tenant's expensive calls at one moment.
    """

    caller: Caller
    per_minute: int | None = None
    per_day: int | None = None
    tenant_per_minute: int | None = None
    tenant_per_day: int | None = None
    default_per_minute: int | None = None
    calls_at_once: int | None = None

    @property
    def is_limited(self) -> bool:
        """Return whether requests are counted for it."""
        counted = (self.per_minute, self.per_day, self.tenant_per_minute, self.tenant_per_day, self.default_per_minute)
        return any(limit is not None for limit in counted)
