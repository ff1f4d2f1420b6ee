"""Arguments shared by several time tools, with their descriptions."""

from typing import Annotated

from msgspec import Meta

ZoneName = Annotated[
    str,
    Meta(
        description="IANA time zone.",
        examples=["America/New_York"],
        max_length=100,
    ),
]
OptionalZone = Annotated[
    str | None,
    Meta(
        description="IANA time zone.",
        examples=["America/New_York"],
    ),
]
Timestamp = Annotated[
    str,
    Meta(
        description="RFC 3339 time with offset.",
        examples=["2026-03-15T14:00:00-04:00"],
        max_length=40,
    ),
]
UtcTimestamp = Annotated[
    str,
    Meta(description="RFC 3339 time ending in Z.", examples=["2026-06-15T15:00:00Z"], max_length=40),
]
LocalDatetime = Annotated[
    str,
    Meta(
        description="Local ISO 8601 time without offset.",
        examples=["2026-03-08T02:30:00"],
        max_length=40,
    ),
]
