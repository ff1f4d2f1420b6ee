"""Handler of the table's stream that adds up the bytes each tenant stores, with one write per tenant and batch.

Lambda repeats a failed batch, so bytes that were added before the failure count twice. That is acceptable because the
totals are upper bounds, and the next full count corrects them.
"""

import os
from collections import defaultdict
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

from almanac.gateway.observability.telemetry import Telemetry, defect_reporter, telemetry_for
from almanac.identity.access.storage_total import StorageMeter, counted_tenant_and_table
from almanac.platform.blobs.large_values import MARK
from almanac.platform.store.tenant_scan import Usage

Handler = Callable[[Mapping[str, Any], object], dict[str, Any]]


def meter_handler(
    open_meter: Callable[[], StorageMeter], documents: AbstractSet[str], telemetry: Telemetry | None = None
) -> Handler:
    """Return a Lambda handler for the table's stream. `documents` names the tables whose items count as documents."""
    report = defect_reporter(telemetry or telemetry_for(os.environ))

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
    """Return the bytes of a written item with its large values, or those of the key of a removed item."""
    image: Mapping[str, Any] = change.get("NewImage") or {}
    marks = [value["M"] for value in image.values() if MARK in value.get("M", ())]
    return int(change["SizeBytes"]) + sum(int(mark.get("bytes", {}).get("N", 0)) for mark in marks)
