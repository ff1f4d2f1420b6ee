"""A precise index that was made elsewhere, kept file by file as long as the file is the one that it was made of."""

import binascii
from base64 import b64decode
from collections.abc import Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.packing import packed
from almanac.families.code.core.records import FILES, PRECISE, REPOSITORIES, CodePrecise
from almanac.families.code.graph.precise.pyrefly import read_pyrefly
from almanac.families.code.graph.precise.scip import PreciseUse, read_scip
from almanac.families.code.graph.precise.wire import NotAnIndex
from almanac.families.code.indexing.given import TOTAL_BYTES
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.port import Change, Update

MOST_USES = 20_000
"""Of a file."""
MOST_FILES = 2_000
AT_ONCE = 50


class PyreflyReport(Struct, frozen=True, forbid_unknown_fields=True):
    """The files of `pyrefly check --report-pysa DIR --report-pysa-format json`, each as text. `root`: the folder that
    paths in the repository are relative to."""

    root: str
    definitions: list[str]
    call_graphs: list[str]


class PreciseIndex(Struct, frozen=True, forbid_unknown_fields=True):
    """`scip`: a SCIP index, in base64. `pyrefly`: its report of calls. Paths in it are those of the files."""

    scip: str | None = None
    pyrefly: PyreflyReport | None = None


def uses_in(index: PreciseIndex) -> list[PreciseUse]:
    """Raises InvalidInput for what is no such index."""
    try:
        found = read_scip(_bytes(index.scip)) if index.scip else []
        if report := index.pyrefly:
            found += read_pyrefly(_encoded(report.definitions), _encoded(report.call_graphs), report.root)
    except (NotAnIndex, binascii.Error, ValueError) as error:
        raise InvalidInput(
            f"It cannot be read: {str(error)[:200]}.",
            "Send a SCIP index in base64, or pyrefly's report.",
            path="precise",
        ) from error
    return found


def keep_precise(project: CodeProject, repo_id: str, uses: Sequence[PreciseUse]) -> int:
    """Keep the uses of files that are indexed; returns of how many."""
    by_path: dict[str, list[PreciseUse]] = {}
    for use in uses:
        if len(found := by_path.setdefault(use.path, [])) < MOST_USES:
            found.append(use)
    by_id = {file_id(repo_id, path): found for path, found in list(by_path.items())[:MOST_FILES]}
    ids, kept = list(by_id), 0
    for start in range(0, len(ids), AT_ONCE):
        files = project.rows(FILES).by_id(ids[start : start + AT_ONCE])
        rows = project.rows(PRECISE)
        changes: list[Change] = [
            rows.put(CodePrecise(id=one, repo_id=repo_id, version=file.version, uses=packed(by_id[one])))
            for one, file in files.items()
        ]
        if changes:
            kept += len(changes)
            counted = Update(project.rows(REPOSITORIES).key(repo_id), add={"precise": len(changes), "revision": 1})
            project.store.write([*changes, counted])
    return kept


def _encoded(texts: Sequence[str]) -> list[bytes]:
    return [each.encode(errors="replace") for each in texts]


def _bytes(encoded: str) -> bytes:
    if len(encoded) > 2 * TOTAL_BYTES:
        raise NotAnIndex("too large: index fewer folders")
    return b64decode(encoded, validate=True)
