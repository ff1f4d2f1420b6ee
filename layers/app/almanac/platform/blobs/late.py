"""Lazily opened blobs, because most processes never see a large value."""

from collections.abc import Callable, Iterator
from functools import cached_property

from almanac.platform.blobs.port import BlobEntry, BlobName, Blobs


class LateBlobs:
    """The blobs port. The first use calls `open_blobs`."""

    def __init__(self, open_blobs: Callable[[], Blobs]) -> None:
        self._open = open_blobs

    def put(self, name: BlobName, data: bytes) -> None:
        self._blobs.put(name, data)

    def get(self, name: BlobName) -> bytes | None:
        return self._blobs.get(name)

    def delete(self, name: BlobName) -> None:
        self._blobs.delete(name)

    def list_blobs(self, after: str = "") -> Iterator[BlobEntry]:
        return self._blobs.list_blobs(after)

    def remove_below(self, folder: str) -> None:
        self._blobs.remove_below(folder)

    @cached_property
    def _blobs(self) -> Blobs:
        return self._open()
