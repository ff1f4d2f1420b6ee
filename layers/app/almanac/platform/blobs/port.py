"""The blobs port, for values that are too large for an item. A blob's name contains the key of its item.

A blob is written once, under a unique name, and never changes. Rewriting an item makes new blobs.
"""

from collections.abc import Iterator
from typing import Protocol
from urllib.parse import quote, unquote

from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import Key, Partition

_NAME_BYTES = 1024
_SEGMENT_BYTES = 255
_HERE_ENDS_THE_PARTITION = "="  # no component equals it, because `=` is escaped


class BlobName(Struct, frozen=True):
    """Name of a blob: the key of its item, and a unique `id` in lower-case hex."""

    key: Key
    id: str

    def path(self) -> str:
        """Return the relative path of the blob, tenant first. No name can make it leave its folder.

        Raises InvalidInput over 1024 bytes, or over 255 bytes between two slashes, the limits of S3 and file systems.
        """
        own = [_HERE_ENDS_THE_PARTITION, *_segments(self.key.sort), self.id]
        segments = [*_segments(self.key.partition.text), *own]
        path = "/".join(segments)
        if len(path) > _NAME_BYTES or max(map(len, segments)) > _SEGMENT_BYTES:
            raise InvalidInput("The key is too long to hold a large value.", "Shorten the names it is made of.")
        return path

    @staticmethod
    def of_path(path: str) -> "BlobName":
        """Parse the path of a blob. Raises ValueError for any other text."""
        *segments, blob_id = path.split("/")
        split = segments.index(_HERE_ENDS_THE_PARTITION)
        partition, sort = _text(segments[:split]), _text(segments[split + 1 :])
        return BlobName(Key(Partition.as_stored(partition), sort), blob_id)


def folder_of(partitions: str) -> str:
    """Return the folder of all partitions whose texts begin with these whole components, e.g. P#acme."""
    return "/".join(_segments(partitions))


class BlobEntry(Struct, frozen=True):
    """A blob in a listing. `written_at` is in milliseconds since 1970."""

    name: BlobName
    written_at: int


class Blobs(Protocol):
    """Storage of large binary values. Every method raises Unavailable when the backing service does not answer."""

    def put(self, name: BlobName, data: bytes) -> None:
        """Write a whole blob or nothing. Once this returns, every reader sees the blob."""
        ...

    def get(self, name: BlobName) -> bytes | None: ...

    def delete(self, name: BlobName) -> None:
        """Delete the value, if there is one."""
        ...

    def list_blobs(self, after: str = "") -> Iterator[BlobEntry]:
        """Yield the blobs whose paths sort after `after`, ordered by path.

        Blobs that are written or deleted meanwhile may be missing or present.
        """
        ...

    def remove_below(self, folder: str) -> None:
        """Delete every blob below the path `folder`, including deleted ones that are kept for recovery."""
        ...


def _segments(text: str) -> list[str]:
    quoted = [quote(component, safe="") for component in text.split("#")]
    # A name of dots alone would lead to another folder.
    return [each.replace(".", "%2E") if each.strip(".") == "" else each for each in quoted]


def _text(segments: list[str]) -> str:
    return "#".join(map(unquote, segments))
