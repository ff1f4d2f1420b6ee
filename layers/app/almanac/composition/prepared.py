"""Prepared tool lists, one file for each family. A build writes them beside this package's modules.

    python -m almanac.composition.prepared FOLDER

A package without these files, such as a working tree, imports its families when it starts.
"""

import sys
from pathlib import Path

import msgspec

from almanac.protocol.family import Family
from almanac.protocol.prepared import PreparedFamily, prepare

FOLDER = Path(__file__).parents[1] / "prepared"


def read_prepared(name: str, folder: Path = FOLDER) -> PreparedFamily | None:
    """Read the prepared list of the family `name`. None in a package that was not built."""
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
    from almanac.composition.families import families_for_docs  # noqa: PLC0415 - functions only read the files

    for family in families_for_docs():
        write_prepared(family, Path(sys.argv[1]))


if __name__ == "__main__":
    main()
