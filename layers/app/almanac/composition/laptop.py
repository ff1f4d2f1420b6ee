"""Composition of a laptop, in one data folder: SQLite, files for large values, and a key that encrypts secrets."""
# ruff: noqa: PLC0415 - not every command opens a store

import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock

if TYPE_CHECKING:
    from almanac.families.calendar.accounts.connector import Connector
    from almanac.platform.blobs.large_values import LargeValues
    from almanac.platform.blobs.port import Blobs
    from almanac.platform.embedder.late_vectors import LateVectors
    from almanac.platform.embedder.minilm import MiniLm
    from almanac.platform.embedder.table_rows import RowMaker
    from almanac.platform.encryption.port import Sealer
    from almanac.platform.language_model.port import ChosenModel
    from almanac.platform.services import Services
    from almanac.platform.store.port import Store
    from almanac.platform.store.sqlite.changes import SqliteChanges
    from almanac.platform.store.sqlite.store import SqliteStore
    from almanac.platform.store.tenant_scan import TenantScan
    from almanac.search.engine.parts import IndexParts


_MOST_THREADS = 4


def open_sqlite(file: Path, clock: Clock) -> "SqliteStore":
    """Open the store in the file. Creates the file if it is missing."""
    from almanac.platform.store.shared_secret import shared_secret
    from almanac.platform.store.sqlite.store import SqliteStore

    store: SqliteStore = SqliteStore(
        file, clock=clock, cursor_secret=lambda: shared_secret(store, "cursors", os.urandom)
    )
    return store


def open_blobs(folder: Path) -> "Blobs":
    from almanac.platform.blobs.folder import FolderBlobs

    return FolderBlobs(folder)


def with_large_values(store: "Store", folder: Path) -> "LargeValues":
    """Return the store with large values as files in the folder."""
    from almanac.platform.blobs.large_values import LargeValues

    return LargeValues(store, open_blobs(folder), os.urandom)


def open_changes(file: Path) -> "SqliteChanges":
    """Open the list of changes of the store in the file, for workers that follow it."""
    from almanac.platform.store.sqlite.changes import SqliteChanges

    return SqliteChanges(file)


def open_scan(file: Path, clock: Clock) -> "TenantScan":
    """Open the scan that finds all items of a tenant in the file."""
    from almanac.platform.store.sqlite.scan import SqliteTenantScan

    return SqliteTenantScan(file, clock=clock)


def open_sealer(key_file: Path) -> "Sealer":
    from almanac.platform.encryption.key_file import KeyFileSealer

    return KeyFileSealer(key_file, os.urandom)


def open_vectors(
    files: Sequence[Path],
    note: Callable[[str], None],
    report: Callable[[str, BaseException], None],
    open_model: "Callable[[], MiniLm | None] | None" = None,
    *,
    cache: Path | None = None,
) -> "LateVectors":
    """Return the static embedder.

    The first use makes its table, in the first of the files that can be written. `cache` is the folder in which the
    model may be installed.
    """
    from almanac.platform.embedder.late_vectors import LateVectors
    from almanac.platform.embedder.packaged_model import packaged_model

    def open_maker() -> "RowMaker":
        from almanac.platform.embedder.factory import open_row_maker

        minilm = open_model() if open_model else open_context_embedder(cache)
        if minilm is None:
            raise FileNotFoundError("The weights of the model are not installed any more.")
        return open_row_maker(minilm)

    return LateVectors(packaged_model(cache), files, open_maker, note, report, threads=_spare_threads())


def _spare_threads() -> int:
    """Return the number of threads for background work.

    On Linux such threads run at a lower priority, so they may use every core. Other systems cannot do that, and half of
    the cores stay free there.
    """
    cores = os.cpu_count() or 1
    return min(_MOST_THREADS, cores if sys.platform == "linux" else max(1, cores // 2))


def open_context_embedder(cache: Path | None = None) -> "MiniLm | None":
    """Open the embedding model. None if its weights are installed neither as a package nor in `cache`.

    Opening takes 0.2 s and 100 MB.
    """
    from almanac.platform.embedder.factory import open_minilm
    from almanac.platform.embedder.packaged_model import packaged_model

    model = packaged_model(cache)
    return None if model is None else open_minilm(model)


def open_remotes(key_file: Path, open_store: "Callable[[], Store]") -> "Callable[[Scope, Clock], Connector]":
    """Return the gateway to the providers of connected accounts, including servers at private addresses."""
    from almanac.families.calendar.accounts.connector import gateway_opener
    from almanac.families.calendar.accounts.environment import NetworkEnvironment
    from almanac.families.calendar.providers.transport.addresses import NetworkPolicy

    environment = NetworkEnvironment(SystemClock(), time.sleep, random.random, NetworkPolicy(private=True))
    return gateway_opener(open_store, sealer=open_sealer(key_file), environment=environment, random_bytes=os.urandom)


def laptop_services(
    store: "Store",
    clock: Clock,
    key_file: Path,
    lock_seconds: int,
    open_indexing: "Callable[[], IndexParts] | None" = None,
    open_model: "Callable[[], ChosenModel] | None" = None,
    also: "Mapping[type, object] | None" = None,
) -> "Services":
    """Return the services of tools and jobs, with the providers of connected calendars.

    `also` is the same as in `services_for`.
    """
    from almanac.composition.search import without_index
    from almanac.composition.services import services_for
    from almanac.families.calendar.accounts.providers import Providers
    from almanac.platform.language_model.port import ChosenModel

    providers = Providers(open_remotes(key_file, lambda: store), lock_seconds)
    parts = (open_indexing or without_index, open_model or ChosenModel, also or {})
    return services_for(store, clock, providers, *parts)
