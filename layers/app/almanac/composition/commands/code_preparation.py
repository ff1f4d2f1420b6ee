"""Preparation of a repository's files, in this process or in workers.

A server imports this module when it starts. It imports the parsers only if it must prepare a file itself.
"""
# ruff: noqa: PLC0415 - parsers are imported when the first file is prepared

from collections.abc import Callable
from importlib import import_module

from almanac.families.code.indexer.preparation import Preparation, PreparedFile

__all__ = ["Preparation", "PreparedFile", "load", "one_by_one", "prepare_as_text", "prepare_file", "unread"]


def load() -> None:
    """Import the parsers now, so that the first file does not wait for them."""
    import_module("almanac.families.code.indexer.prepared_files")


def prepare_file(path: str, text: str) -> PreparedFile:
    from almanac.families.code.indexer import prepared_files

    return prepared_files.prepare_file(path, text)


def prepare_as_text(path: str, text: str) -> PreparedFile:
    from almanac.families.code.indexer import prepared_files

    return prepared_files.prepare_as_text(path, text)


def unread(path: str) -> PreparedFile:
    from almanac.families.code.indexer import prepared_files

    return prepared_files.prepare_empty(path)


def one_by_one(prepare: Callable[[str, str], PreparedFile] = prepare_file) -> Preparation:
    """Return a preparation that works in this process."""
    from almanac.families.code.indexer import prepared_files

    return prepared_files.one_by_one(prepare)
