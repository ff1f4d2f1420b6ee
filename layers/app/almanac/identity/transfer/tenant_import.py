"""Import of a tenant from the file of `tenant_export`, under its own name or another one.

The tenant exists only once the whole file has been read and is valid; until then its keys do not work either. The
progress of an import is stored in the same atomic writes as its items. So importing the same file again continues an
interrupted import.
"""

from collections.abc import Callable
from hashlib import sha256
from typing import IO

import msgspec

from almanac.identity.audit import Clerk
from almanac.identity.records import (
    check_name,
    from_attributes,
    tenant_key,
    to_attributes,
)
from almanac.identity.transfer.import_progress import Progress, import_key
from almanac.identity.transfer.imported_records import (
    ItemCheck,
    check_header,
)
from almanac.identity.transfer.tenant_restore import Restore, import_conflict
from almanac.kernel.errors import Conflict, InvalidInput
from almanac.platform.blobs.port import Blobs
from almanac.platform.portability.file import Counts, NumberedLine, origin_of, read_lines
from almanac.platform.portability.lines import BlobLine, Header, ItemLine, KeyLine, encode, wrong_line
from almanac.platform.portability.signature import Signer
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import ConditionFailed, Put, Store


class ImportResult(msgspec.Struct, frozen=True):
    """Result of an import.

    `counts` are those of the file. `already` is true if it was imported before, and not again.
    """

    tenant: str
    counts: Counts
    already: bool


class TenantImport:
    """Imports tenants.

    `store` is the inner store: items get the marks of large values, and `blobs` the values. `signing` recognizes files
    of this installation. `checking` makes the check of a file's items against the declared types of stored records.
    """

    def __init__(
        self,
        store: Store,
        blobs: Blobs | None,
        signing: Signer,
        checking: Callable[[str, str], ItemCheck],
        clerk: Clerk | None = None,
    ) -> None:
        self._store = store
        self._blobs = blobs
        self._signing = signing
        self._checking = checking
        self._clerk = clerk

    def read(
        self,
        file: IO[bytes],
        *,
        into: str | None,
        with_keys: bool = True,
        trust: bool = False,
        progress: Callable[[int], object],
    ) -> ImportResult:
        """Restore the tenant of `file` as `into`, or under its own name.

        `file` must be seekable, because all of it is checked before the first item is written. `progress` is called
        with the number of bytes read. `trust` accepts a file that this installation did not sign. Importing a file
        again changes nothing.

        Raises Conflict if the tenant exists, another import of it is unfinished, or a key of the file is in use. In the
        last case no key was written, and importing the same file without keys continues. Raises InvalidInput, naming
        the line, for a file that is damaged, cut off or not an export.
        """
        self._check(file, into, trust=trust)
        file.seek(0)
        lines = read_lines(file)
        first = next(lines)
        restore = self._begin_restore(first, into)
        progress(first.end)
        counts = Counts()
        for numbered in lines:
            if with_keys or not isinstance(numbered.line, KeyLine):
                restore.take(numbered)
                counts = counts.plus(numbered.line)
            progress(numbered.end)
        restore.finish()
        return ImportResult(restore.tenant, counts, restore.already)

    def _check(self, file: IO[bytes], into: str | None, *, trust: bool) -> None:
        checks: list[ItemCheck] = []

        def check(numbered: NumberedLine) -> None:
            match numbered.line:
                case Header() as header:
                    check_header(header, numbered.number)
                    checks.append(self._checking(header.tenant, header.tenant if into is None else into))
                case BlobLine() as part:
                    checks[0].value(part)
                case ItemLine() as line:
                    checks[0].item(line, numbered.number)
                case _:
                    return

        origin = origin_of(file, self._signing, check)
        if origin == "changed":
            hint = "Take the file as it was exported. With --trust it is taken as it is."
            problem = "The file says that it was exported here, and was changed since."
        elif origin == "foreign":
            hint = "Import it with --trust if you know where it comes from: whoever made it decides what is in it."
            problem = "The file was exported by another installation."
        else:
            hint = "Import it with --trust if you know where it comes from: nothing tells whether it was changed."
            problem = "The file is not signed."
        if origin != "own" and not trust:
            raise InvalidInput(problem, hint, path="file", code="untrusted_export")

    def _begin_restore(self, first: NumberedLine, into: str | None) -> "Restore":
        header = first.line
        if not isinstance(header, Header):
            raise wrong_line(first.number, "it is not the line of a tenant")
        tenant = check_name(header.tenant if into is None else into, "tenant")
        fresh = Progress(sha256(encode(header)).hexdigest())
        item = self._store.get(import_key(tenant))
        known = None if item is None else from_attributes(item.attributes, Progress)
        exists = self._store.get(tenant_key(tenant)) is not None
        if exists and (known is None or not known.done or known.file != fresh.file):
            hint = "Import it under another name with --into."
            raise Conflict(f"The tenant {tenant} already exists here.", hint, code="tenant_exists")
        if known is not None and not exists and known.file != fresh.file:
            hint = "Import that file to its end, or choose another name with --into."
            raise Conflict(f"The import of another file as {tenant} is unfinished.", hint, code="import_unfinished")
        if known is None or (known.done and not exists):
            self._begin(tenant, known, fresh)
            known = fresh
        checking = self._checking(header.tenant, tenant)
        return Restore(self._store, self._blobs, header, tenant, known, checking, self._clerk)

    def _begin(self, tenant: str, known: Progress | None, fresh: Progress) -> None:
        unchanged = Absent() if known is None else Equals("file", known.file) & Equals("lines", known.lines)
        try:
            self._store.write([Put(import_key(tenant), to_attributes(fresh), unchanged)])
        except ConditionFailed as failed:
            raise import_conflict(tenant) from failed
