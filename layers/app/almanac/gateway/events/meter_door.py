"""The meter door: the table's stream tells what was written, and each tenant's total is added to once for a batch.

A batch that fails is sent again, and what it had added already is added twice: totals are upper bounds anyway, and the
next count puts them right.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from almanac.gateway.observability.telemetry import Telemetry, reporting, telemetry_for
from almanac.identity.access.storage_total import StorageMeter, counted_tenant_and_table
from almanac.platform.blobs.large_values import MARK
from almanac.platform.store.tenant_scan import Usage

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


def meter_handler(
    open_meter: Callable[[], StorageMeter], documents: AbstractSet[str], telemetry: Telemetry | None = None
) -> Handler:
    """A Lambda handler for events of the table's stream; `documents` names the tables whose items are documents."""
    report = reporting(telemetry or telemetry_for(os.environ))

    def handle(event: Mapping[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
        written = defaultdict[str, Usage](Usage)
        for record in event["Records"]:
            change: Mapping[str, Any] = record["dynamodb"]
            tenant, table = counted_tenant_and_table(change["Keys"]["PK"]["S"])
            if tenant:
                is_new = record["eventName"] == "INSERT" and table in documents
                written[tenant] += Usage(_size(change), int(is_new))
        try:
            meter = open_meter()
            for tenant, usage in written.items():
                meter.add(tenant, usage)
        except Exception as failed:
            report("adding up what was written", failed)
            raise
        return {"batchItemFailures": []}

    return handle


def _size(change: Mapping[str, Any]) -> int:
    """The bytes of an item that was written, with its large values; of one that was removed, those of its key."""
    image: Mapping[str, Any] = change.get("NewImage") or {}
    marks = [value["M"] for value in image.values() if MARK in value.get("M", ())]
    return int(change["SizeBytes"]) + sum(int(mark.get("bytes", {}).get("N", 0)) for mark in marks)
