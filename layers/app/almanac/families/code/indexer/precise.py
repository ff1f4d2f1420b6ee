"""Precise indexes made by other tools. Each file's part is kept as long as the file's text stays the same."""

import binascii
from base64 import b64decode
from collections.abc import Mapping, Sequence

from msgspec import Struct

from almanac.families.code.core.code import CodeProject, file_id
from almanac.families.code.core.codec import pack
from almanac.families.code.core.records import FILES, PRECISE, REPOSITORIES, CodePrecise
from almanac.families.code.indexer.file_validation import TOTAL_BYTES
from almanac.kernel.errors import InvalidInput
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Check, Update
from codegraph import PreciseUse, read_precise

MOST_USES = 20_000
"""Limit per file."""
MOST_FILES = 2_000
AT_ONCE = 40
"""Files per write, which has two changes for each and one more."""


class PyreflyReport(Struct, frozen=True, forbid_unknown_fields=True):
    """Files of `pyrefly check --report-pysa DIR`; root of their paths."""

    root: str
    definitions: list[str]
    call_graphs: list[str]


class PreciseIndex(Struct, frozen=True, forbid_unknown_fields=True):
    """`scip`: a SCIP index in base64. `pyrefly`: its report of calls."""

    scip: str | None = None
    pyrefly: PyreflyReport | None = None


def read_uses(index: PreciseIndex) -> list[PreciseUse]:
    """Read the uses from a precise index. Raises InvalidInput if it is not a valid one."""
    try:
        scip = _decode(index.scip) if index.scip else None
        report = index.pyrefly or PyreflyReport("", [], [])
        return read_precise(scip, _encode_all(report.definitions), _encode_all(report.call_graphs), report.root)
    except ValueError as error:
        why = "it is no base64" if isinstance(error, binascii.Error) else str(error)[:200]
        raise InvalidInput(
            f"It cannot be read: {why}.",
            "Send a SCIP index in base64, or pyrefly's report.",
            path="precise",
        ) from error


def keep_precise(project: CodeProject, repo_id: str, uses: Sequence[PreciseUse]) -> int:
    """Store the uses of indexed files, and return the number of files."""
    by_path: dict[str, list[PreciseUse]] = {}
    for use in uses:
        if len(found := by_path.setdefault(use.path, [])) < MOST_USES:
            found.append(use)
    by_id = {file_id(repo_id, path): found for path, found in list(by_path.items())[:MOST_FILES]}
    ids, stored_count = list(by_id), 0
    for start in range(0, len(ids), AT_ONCE):
        some = project.rows(FILES).by_id(ids[start : start + AT_ONCE])
        texts = {one: file.digest for one, file in some.items()}
        stored_count += project.retry_on_conflict(lambda texts=texts: _store_uses(project, repo_id, by_id, texts))
    return stored_count


def _store_uses(
    project: CodeProject, repo_id: str, uses: Mapping[str, Sequence[PreciseUse]], texts: Mapping[str, str]
) -> int:
    """Store the uses of files whose text is unchanged, and return the number of files. A concurrent change makes the
    write fail."""
    repositories, rows, files = project.rows(REPOSITORIES), project.rows(PRECISE), project.rows(FILES)
    if repositories.get(repo_id) is None:
        return 0
    found = [each for each in files.by_id(texts).values() if each.digest == texts[each.id]]
    if not found:
        return 0
    puts = [
        rows.put(CodePrecise(id=each.id, repo_id=repo_id, version=each.version, uses=pack(uses[each.id])))
        for each in found
    ]
    checks = [Check(files.key(each.id), Equals("version", each.version)) for each in found]
    counted = Update(repositories.key(repo_id), add={"precise": len(puts), "revision": 1})
    project.store.write([*puts, *checks, counted])
    return len(puts)


def _encode_all(texts: Sequence[str]) -> list[bytes]:
    return [each.encode(errors="replace") for each in texts]


def _decode(encoded: str) -> bytes:
    if len(encoded) > 2 * TOTAL_BYTES:
        raise ValueError("too large: index fewer folders")
    return b64decode(encoded, validate=True)
