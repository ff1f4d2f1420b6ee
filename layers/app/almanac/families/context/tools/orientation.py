"""The tool that orients an agent at the start of a session."""

from typing import Annotated
from zoneinfo import ZoneInfo

from msgspec import Meta

from almanac.families.context.core.context import Context
from almanac.families.context.core.places import MAX_CHARACTERS, place_of
from almanac.families.context.orientation.expressions import resolve_expression
from almanac.families.context.orientation.orientation import Orientation, OrientationRequest, orient
from almanac.families.time.core.timestamps import zone_of
from almanac.families.time.core.zones import find_zone
from almanac.kernel.errors import InvalidInput
from almanac.platform.services import Services
from almanac.protocol.tool import Effect, tool

_Zone = Annotated[str, Meta(max_length=100)]


@tool(
    title="Orient yourself at the start of a session",
    effect=Effect.READS,
    aliases=["context.orient", "context.time"],
    naming="camel",
)
def context_orient(
    timezone: Annotated[str, Meta(description="IANA time zone.", examples=["Europe/London"], max_length=100)]
    | None = None,
    project_path: Annotated[
        str,
        Meta(
            description="Folder; default: the whole project.",
            examples=["/home/user/myapp"],
            max_length=MAX_CHARACTERS,
        ),
    ]
    | None = None,
    expression: Annotated[
        str,
        Meta(
            description='Date to resolve: "end of week", ISO, epoch ms.',
            examples=["next Monday"],
            min_length=1,
            max_length=200,
        ),
    ]
    | None = None,
    also: Annotated[
        list[_Zone],
        Meta(description="More IANA zones to show the time in.", examples=[["Asia/Tokyo"]], max_length=20),
    ]
    | None = None,
    *,
    context: Context,
    services: Services,
) -> Orientation:
    """Get your bearings in a new session or when you come back: where you are, what time it is, how long you were
    offline, what happened or was added while you were away, and which event is next. For pinned memories and recent
    turns use get_snapshot; for the file at hand context_getCurrent; for only the time get_temporal_context.
    """
    now, zone = context.now(), zone_of(timezone, context.caller, expression)
    request = OrientationRequest(
        now=now,
        zone=zone,
        place=place_of(project_path),
        resolved=None if expression is None else resolve_expression(expression, now, zone),
        also=None if also is None else [_zone(name, place) for place, name in enumerate(also)],
    )
    return orient(context, services, request)


def _zone(name: str, place: int) -> ZoneInfo:
    try:
        return find_zone(name)
    except InvalidInput as unknown:
        raise InvalidInput(
            f"also[{place}]: {unknown.message}", unknown.hint, path=f"also[{place}]", code=unknown.code
        ) from None
