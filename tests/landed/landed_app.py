"""Every family over a single store and a fixed clock. Tests call its tools as an agent does."""

from typing import Any

from almanac.composition.families import every_family
from almanac.composition.services import services_for
from almanac.kernel.caller import Caller, Scope
from almanac.kernel.clock import Clock
from almanac.platform.store.port import Store
from tests.app import App, result_of

TENANT = "acme"
WEB, OPS = Scope(TENANT, "web"), Scope(TENANT, "ops")
ANN = Caller(WEB, actor="ann", key_id="k-ann", default_timezone="America/New_York", shares_memory=True)
KEI = Caller(WEB, actor="kei", key_id="k-kei", default_timezone="Asia/Tokyo", shares_memory=True)
OLE = Caller(
    OPS, actor="ole", key_id="k-ole", default_timezone="Europe/Berlin", week_start="sunday", shares_memory=True
)

Json = dict[str, Any]


class LandedApp:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store = store
        self._app = App.of(every_family(services_for(store, clock)), clock, ANN)

    def do(self, caller: Caller, tool: str, /, **arguments: Any) -> Json:
        """Return the result of a call that succeeds; of a planner tool, return its `data`."""
        outcome = self._app.outcome(tool, arguments, caller)
        assert not outcome.is_error, (tool, outcome.content)
        answer = result_of(outcome)
        return answer.get("data", answer)
