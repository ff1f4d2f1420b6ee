"""The principal of an authorized request. A module of its own, so that functions need not import `authorize`."""

from dataclasses import dataclass

from almanac.kernel.caller import Caller


@dataclass(frozen=True, slots=True)
class Principal:
    """The caller of an authorized request and the limits that apply.

    Limits count the requests of the key, or of all keys of its tenant; None means unlimited. The process that answers
    the request enforces them. `default_per_minute` is the tier's limit for a tenant without one of its own. It is
    counted roughly, the others exactly. `calls_at_once` limits the tenant's expensive calls that run at the same time.
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
        """Return whether any limit counts the request."""
        counted = (self.per_minute, self.per_day, self.tenant_per_minute, self.tenant_per_day, self.default_per_minute)
        return any(limit is not None for limit in counted)
