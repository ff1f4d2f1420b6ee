"""The lists of the families that a build prepares: one file for each family, beside this package's modules.

    python -m almanac.composition.prepared FOLDER

writes them; a package without them, such as a working tree, imports its families when it starts.
"""

import sys
from pathlib import Path

import msgspec

from almanac.protocol.family import Family
from almanac.protocol.prepared import PreparedFamily, prepare

FOLDER = Path(__file__).parents[1] / "prepared"


def read_prepared(name: str, folder: Path = FOLDER) -> PreparedFamily | None:
    """Read what a build prepared of the family `name`; None in a package that was not built."""
    try:
        content = _file(folder, name).read_bytes()
    except FileNotFoundError:
        return None
    return msgspec.msgpack.decode(content, type=PreparedFamily)


def write_prepared(family: Family, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    _file(folder, family.name).write_bytes(msgspec.msgpack.encode(prepare(family)))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.msgpack"


def main() -> None:
    from almanac.composition.families import described_families  # noqa: PLC0415 - a function reads, and writes none

    for family in described_families():
        write_prepared(family, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
