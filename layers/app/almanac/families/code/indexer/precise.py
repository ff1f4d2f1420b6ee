"""A precise index that was made elsewhere, kept file by file as long as the file is the one that it was made of."""

import binascii
from base64 import b64decode
from collections.abc import Mapping, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.codec import packed
from almanac.families.code.core.records import FILES, PRECISE, REPOSITORIES, CodePrecise
from almanac.families.code.indexer.file_validation import TOTAL_BYTES
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Check, Update
from codegraph import PreciseUse, read_precise

MOST_USES = 20_000
"""Of a file."""
MOST_FILES = 2_000
AT_ONCE = 40
"""Two changes for each, and one more."""


class PyreflyReport(Struct, frozen=True, forbid_unknown_fields=True):
    """Files of `pyrefly check --report-pysa DIR`; root of their paths."""

    root: str
    definitions: list[str]
    call_graphs: list[str]


class PreciseIndex(Struct, frozen=True, forbid_unknown_fields=True):
    """`scip`: a SCIP index in base64. `pyrefly`: its report of calls."""

    scip: str | None = None
    pyrefly: PyreflyReport | None = None


def uses_in(index: PreciseIndex) -> list[PreciseUse]:
    """Raises InvalidInput for what is no such index."""
    try:
        scip = _bytes(index.scip) if index.scip else None
        report = index.pyrefly or PyreflyReport("", [], [])
        return read_precise(scip, _encoded(report.definitions), _encoded(report.call_graphs), report.root)
    except ValueError as error:
        why = "it is no base64" if isinstance(error, binascii.Error) else str(error)[:200]
        raise InvalidInput(
            f"It cannot be read: {why}.",
            "Send a SCIP index in base64, or pyrefly's report.",
            path="precise",
        ) from error


def keep_precise(project: CodeProject, repo_id: str, uses: Sequence[PreciseUse]) -> int:
    """Keep the uses of files that are indexed; returns of how many."""
    by_path: dict[str, list[PreciseUse]] = {}
    for use in uses:
        if len(found := by_path.setdefault(use.path, [])) < MOST_USES:
            found.append(use)
    by_id = {file_id(repo_id, path): found for path, found in list(by_path.items())[:MOST_FILES]}
    ids, kept = list(by_id), 0
    for start in range(0, len(ids), AT_ONCE):
        some = project.rows(FILES).by_id(ids[start : start + AT_ONCE])
        texts = {one: file.digest for one, file in some.items()}
        kept += project.retrying(lambda texts=texts: _kept(project, repo_id, by_id, texts))
    return kept


def _kept(
    project: CodeProject, repo_id: str, uses: Mapping[str, Sequence[PreciseUse]], texts: Mapping[str, str]
) -> int:
    """Of how many files the uses are kept: of those that still have their text, and are not replaced meanwhile."""
    repositories, rows, files = project.rows(REPOSITORIES), project.rows(PRECISE), project.rows(FILES)
    if repositories.get(repo_id) is None:
        return 0
    found = [each for each in files.by_id(texts).values() if each.digest == texts[each.id]]
    if not found:
        return 0
    puts = [
        rows.put(CodePrecise(id=each.id, repo_id=repo_id, version=each.version, uses=packed(uses[each.id])))
        for each in found
    ]
    checks = [Check(files.key(each.id), Equals("version", each.version)) for each in found]
    counted = Update(repositories.key(repo_id), add={"precise": len(puts), "revision": 1})
    project.store.write([*puts, *checks, counted])
    return len(puts)


def _encoded(texts: Sequence[str]) -> list[bytes]:
    return [each.encode(errors="replace") for each in texts]


def _bytes(encoded: str) -> bytes:
    if len(encoded) > 2 * TOTAL_BYTES:
        raise ValueError("too large: index fewer folders")
    return b64decode(encoded, validate=True)
