"""Blobs as files in a folder."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from almanac.kernel.errors import Unavailable
from almanac.platform.blobs.port import BlobEntry, BlobName

_UNFINISHED = ".unfinished-"


class FolderBlobs:
    """The blobs port on `folder`. The first write creates the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, name: BlobName, data: bytes) -> None:
        path = self._folder / name.path()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Renaming is atomic: no reader sees half a file, and a crash leaves only the unfinished one.
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=_UNFINISHED, delete=False) as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError as error:
            raise Unavailable(
                "The folder of large values cannot be written.", "Look at its space and rights."
            ) from error

    def get(self, name: BlobName) -> bytes | None:
        try:
            return (self._folder / name.path()).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise Unavailable("The folder of large values cannot be read.", "Check its rights.") from error

    def delete(self, name: BlobName) -> None:
        (self._folder / name.path()).unlink(missing_ok=True)

    def list_blobs(self, after: str = "") -> Iterator[BlobEntry]:
        whole = (Path(place, file) for place, _, files in os.walk(self._folder) for file in files)
        paths = (path.relative_to(self._folder).as_posix() for path in whole if not path.name.startswith(_UNFINISHED))
        for path in sorted(path for path in paths if path > after):
            try:
                written_at = (self._folder / path).stat().st_mtime_ns // 1_000_000
            except FileNotFoundError:
                continue
            yield BlobEntry(BlobName.of_path(path), written_at)

    def remove_below(self, folder: str) -> None:
        try:
            shutil.rmtree(self._folder / folder)
        except FileNotFoundError:
            return
        except OSError as error:
            raise Unavailable("The folder of large values cannot be emptied.", "Check its rights.") from error
