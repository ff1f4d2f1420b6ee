"""Large values in a tenant's file. The blobs of an item come before the item, in parts of limited size."""

import re
from collections.abc import Iterator

from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.blobs.large_values import MARK
from almanac.platform.blobs.port import BlobName, Blobs
from almanac.platform.portability.lines import BlobLine, wrong_line
from almanac.platform.store.keys import Key
from almanac.platform.store.port import Item, Store

PART_BYTES = 192 * 1024
MAX_BYTES = 256 * 1024 * 1024
"""Largest total of one item's blobs, in bytes. They are held in memory as a whole, because the blobs port is not
streamed."""

_ID = re.compile(r"[0-9a-f]{1,64}")


def blob_ids(item: Item) -> list[str]:
    """Return the ids of an item's blobs, ordered by attribute name. The item comes from the inner store."""
    values = [item.attributes[name] for name in sorted(item.attributes)]
    marks = [value for value in values if isinstance(value, dict) and MARK in value]
    return [str(mark[MARK]) for mark in marks]


class LargeValueReader:
    """Reads the large values of scanned items. `store` is the inner store, whose items have marks."""

    def __init__(self, store: Store, blobs: Blobs | None) -> None:
        self._store = store
        self._blobs = blobs

    def with_values(self, item: Item) -> tuple[Item, list[tuple[str, bytes]]] | None:
        """Return an item and its blobs. None if the item was deleted.

        If the item was overwritten since the scan and has lost its blobs, this returns the current item.
        """
        while True:
            values = [(blob_id, self._read_blob(item.key, blob_id)) for blob_id in blob_ids(item)]
            whole = [(blob_id, data) for blob_id, data in values if data is not None]
            if len(whole) == len(values):
                _check_bytes(item, sum(len(data) for _, data in whole))
                return item, whole
            now = self._store.get(item.key)
            if now is None:
                return None
            if blob_ids(now) == blob_ids(item):
                raise Unavailable(
                    f"A large value of {item.key.partition.text} {item.key.sort} is missing.",
                    "Check that store and blobs belong together.",
                )
            item = now

    def _read_blob(self, key: Key, blob_id: str) -> bytes | None:
        if self._blobs is None:
            raise InvalidInput("The tenant has large values, and no blobs were given.", "Say where the blobs are.")
        return self._blobs.get(BlobName(key, blob_id))


def _check_bytes(item: Item, values: int) -> None:
    if values > MAX_BYTES:
        raise InvalidInput(
            f"The large values of {item.key.partition.text} {item.key.sort} have {values} bytes, over {MAX_BYTES}.",
            "Make them smaller, then export again.",
        )


def parts_of(blob_id: str, data: bytes) -> Iterator[BlobLine]:
    parts = max(1, -(-len(data) // PART_BYTES))
    for part in range(parts):
        piece = data[part * PART_BYTES : (part + 1) * PART_BYTES]
        yield BlobLine(id=blob_id, part=part, parts=parts, data=piece)


class LargeValueWriter:
    """Joins the parts of a file's blobs, and writes them to `blobs` when the item that names them follows."""

    def __init__(self, blobs: Blobs | None) -> None:
        self._blobs = blobs
        self._whole: dict[str, bytes] = {}
        self._pieces: list[BlobLine] = []
        self._held = 0

    def take(self, line: BlobLine, number: int) -> None:
        """Take the next part. Raises InvalidInput, naming the line, if it is out of order or exceeds the limit."""
        first = self._pieces[0] if self._pieces else line
        if (line.id, line.parts, line.part) != (first.id, first.parts, len(self._pieces)) or line.part >= line.parts:
            raise wrong_line(number, "it is not the next part of a large value")
        if not _ID.fullmatch(line.id) or line.id in self._whole:
            raise wrong_line(number, "it does not begin a new large value")
        self._held += len(line.data)
        if self._held > MAX_BYTES or len(line.data) > PART_BYTES:
            raise wrong_line(number, f"the large values of one item have over {MAX_BYTES} bytes")
        self._pieces.append(line)
        if line.part + 1 == line.parts:
            self._whole[line.id] = b"".join(piece.data for piece in self._pieces)
            self._pieces.clear()

    def release(self, item: Item, number: int, *, write: bool) -> None:
        """Write the blobs before `item`. Raises InvalidInput unless they are exactly those that it names."""
        if self._pieces or sorted(blob_ids(item)) != sorted(self._whole):
            raise wrong_line(number, "its large values do not match the parts before it")
        for blob_id, data in self._whole.items():
            if self._blobs is None:
                raise InvalidInput("The file has large values, and no blobs were given.", "Say where blobs belong.")
            if write:
                self._blobs.put(BlobName(item.key, blob_id), data)
        self._whole, self._held = {}, 0
