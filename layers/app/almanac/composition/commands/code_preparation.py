"""What prepares the files of repositories, for whoever runs it in processes of its own.

A server names it when it starts, and imports every parser only where it has to prepare a file itself.
"""

from collections.abc import Callable
from importlib import import_module

from almanac.families.code.indexing.preparation import Preparation, PreparedFile

__all__ = ["Preparation", "PreparedFile", "load", "one_by_one", "prepared", "unparsed", "unread"]


def load() -> None:
    """Import what prepares, so that the first file does not wait for it."""
    import_module("almanac.families.code.indexing.preparing")


def prepared(path: str, text: str) -> PreparedFile:
    from almanac.families.code.indexing import preparing  # noqa: PLC0415

    return preparing.prepared(path, text)


def unparsed(path: str, text: str) -> PreparedFile:
    from almanac.families.code.indexing import preparing  # noqa: PLC0415

    return preparing.unparsed(path, text)


def unread(path: str) -> PreparedFile:
    from almanac.families.code.indexing import preparing  # noqa: PLC0415

    return preparing.unread(path)


def one_by_one(prepare: Callable[[str, str], PreparedFile] = prepared) -> Preparation:
    """Prepare in this process."""
    from almanac.families.code.indexing import preparing  # noqa: PLC0415

    return preparing.one_by_one(prepare)
