"""The argument that names the time zone of a call."""

from typing import Annotated

from msgspec import Meta

Zone = Annotated[
    str | None,
    Meta(description="IANA name."),
]
