"""The argument by which every tool that reads or tells a time can be asked for it in another zone."""

from typing import Annotated

from msgspec import Meta

Zone = Annotated[
    str | None,
    Meta(description="IANA zone; default: the key's."),
]
