"""The toy family behind the handlers of its functions, over a store in a file: `on_lambda.py FILE`.

Writes what its tools and the team's answer, as JSON.
"""

import json
import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from almanac.composition import aws
from almanac.composition.laptop import open_changes, open_sqlite
from almanac.identity.tenants import Tenants
from almanac.kernel.clock import SystemClock
from almanac.platform.bus.messages import encode_message
from almanac.platform.bus.outbox import messages_in
from tests.unit.gateway.invocation import Invocation
from tools.documents.event_samples import rest_event
from tools.documents.trigger_samples import SCOPE, queue_event, rules_event, schedule_event

RULE: dict[str, Any] = {
    "name": "announce",
    "on_kind": "bell_rung",
    "actions": [{"tool": "set_broadcast", "args": {"key": "rung", "value": "${payload.bell}"}}],
}

Door = Callable[[Mapping[str, Any], Any], Mapping[str, Any]]


class Functions:
    """The handlers, as AWS would call them."""

    def __init__(self, file: Path) -> None:
        store = open_sqlite(file, SystemClock())
        Tenants(store, SystemClock()).create(SCOPE.tenant, project=SCOPE.project)
        aws.open_table = lambda settings: store
        from almanac.composition.aws_events import aws_reactions, aws_rules, aws_schedule  # noqa: PLC0415 - the same

        # The door's module is on the path of the copy only.
        toy: Door = import_module("handle_http").handler
        self._doors: dict[str, Door] = {"toy": toy, "team": aws.aws_handler("team")}
        self._react, self._rules, self._schedule = aws_reactions(), aws_rules(), aws_schedule()
        self._changes, self._read = open_changes(file), 0

    def call(self, family: str, tool: str, **arguments: Any) -> Any:
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
        answer = self._doors[family](rest_event(f"/mcp/{family}", message), None)
        return json.loads(answer["body"])["result"]["structuredContent"]

    def react(self) -> None:
        """Deliver events to the reactions and the rules until none is left."""
        while found := self._changes.read(self._read, 100):
            for change in found:
                self._read = change.sequence
                for message in messages_in(change.attributes):
                    for handle, sample in ((self._react, queue_event()), (self._rules, rules_event())):
                        record = {**sample["Records"][0], "body": encode_message(message)}
                        assert handle({"Records": [record]}, None) == {"batchItemFailures": []}

    def ring(self) -> None:
        self._schedule(schedule_event(), Invocation())


def main(file: Path) -> None:
    functions = Functions(file)
    functions.call("team", "install_rule", **RULE)
    functions.call("toy", "ring_bell", bell="front")
    functions.react()
    functions.ring()
    told = {
        "rings": functions.call("toy", "list_rings")["rings"],
        "broadcast": functions.call("team", "get_broadcast", key="rung"),
        "kinds": [each["on_kind"] for each in functions.call("team", "list_event_kinds")["kinds"]],
    }
    sys.stdout.write(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
