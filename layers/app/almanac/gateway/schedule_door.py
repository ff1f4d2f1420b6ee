"""The schedule door: EventBridge rings once a minute, and every chore is done."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from almanac.gateway.chores import Chore, do_chores
from almanac.gateway.telemetry import Telemetry, telemetry_for
from almanac.kernel.ids import new_reference
from almanac.platform.services import Services

Handler = Callable[[Mapping[str, Any], object], None]


def schedule_handler(
    chores: Sequence[Chore], open_services: Callable[[], Services], telemetry: Telemetry | None = None
) -> Handler:
    """A Lambda handler for a schedule's event, whose content does not matter."""
    chosen = telemetry or telemetry_for(os.environ)
    opened: list[Services] = []

    def report(where: str, error: BaseException) -> None:
        chosen.defect(new_reference(os.urandom), where, error)

    def handle(event: Mapping[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
        if not opened:
            opened.append(open_services())
        do_chores(chores, opened[0], report)

    return handle
