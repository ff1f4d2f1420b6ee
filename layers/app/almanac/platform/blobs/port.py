"""The blobs port: values too large for an item, each under the key of the item that it belongs to.

A blob is written once under a name of its own and never changed; an item that is written again gets new blobs.
"""

from collections.abc import Iterator
from typing import Protocol
from urllib.parse import quote, unquote

from msgspec import Struct

from almanac.kernel.errors import InvalidInput
from almanac.platform.store.keys import Key, Partition

_NAME_BYTES = 1024
_SEGMENT_BYTES = 255
_HERE_ENDS_THE_PARTITION = "="  # no component reads so: `=` is escaped in them


class BlobName(Struct, frozen=True):
    """`id` is lower-case hex, different for every blob."""

    key: Key
    id: str

    def path(self) -> str:
        """A relative path, tenant first, that no name can lead out of. Raises InvalidInput over 1024 bytes, or 255
        between two slashes: what S3 and file systems hold."""
        own = [_HERE_ENDS_THE_PARTITION, *_segments(self.key.sort), self.id]
        segments = [*_segments(self.key.partition.text), *own]
        path = "/".join(segments)
        if len(path) > _NAME_BYTES or max(map(len, segments)) > _SEGMENT_BYTES:
            raise InvalidInput("The key is too long to hold a large value.", "Shorten the names it is made of.")
        return path

    @staticmethod
    def of_path(path: str) -> "BlobName":
        """The name whose path this is; raises ValueError for any other text."""
        *segments, blob_id = path.split("/")
        split = segments.index(_HERE_ENDS_THE_PARTITION)
        partition, sort = _text(segments[:split]), _text(segments[split + 1 :])
        return BlobName(Key(Partition.as_stored(partition), sort), blob_id)


def folder_of(partitions: str) -> str:
    """The folder of the partitions whose texts begin with these whole components, e.g. P#acme."""
    return "/".join(_segments(partitions))


class BlobEntry(Struct, frozen=True):
    """A blob in a listing; `written_at` in milliseconds since 1970."""

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

    def listing(self, after: str = "") -> Iterator[BlobEntry]:
        """Yield the blobs whose path comes after this one, ordered by path.

        Blobs that are written or deleted meanwhile may be missing or present.
        """
        ...

    def remove_below(self, folder: str) -> None:
        """Delete every blob below the path `folder`, also what was deleted there and is kept for recovery."""
        ...


def _segments(text: str) -> list[str]:
    quoted = [quote(component, safe="") for component in text.split("#")]
    # A name of dots alone would lead to another folder.
    return [each.replace(".", "%2E") if each.strip(".") == "" else each for each in quoted]


def _text(segments: list[str]) -> str:
    return "#".join(map(unquote, segments))
