"""A repository in the index of a project, analysed line by line."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from almanac.families.code.core.code import CodeProject, open_code
from almanac.families.code.core.codec import Part, pack
from almanac.families.code.core.signatures import BYTES, number_of
from almanac.families.code.indexer.analysis import Analyse, FileAnalysis
from almanac.families.code.indexer.operations import IndexRequest, Outcome, index
from almanac.families.code.indexer.preparation import Preparation
from almanac.families.code.indexer.prepared_files import one_by_one, prepare_file
from almanac.kernel.caller import Caller, Scope
from almanac.search.questions.port import Search, SearchRequest
from tests.project_app import ProjectApp


def by_lines(path: str, text: str) -> FileAnalysis:
    """Return an analysis with a part for each line that is not empty, named by its first word."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    parts = [
        Part(name=line.split()[0], title=line.split()[0], text=line, start=number, end=number, symbol="", kind="line")
        for number, line in lines
    ]
    names = {word for _, line in lines for word in line.split()}
    return FileAnalysis(
        language=path.rpartition(".")[2] or "text",
        parsed="broken" not in text,
        symbols=len(parts),
        parts=parts,
        names=names,
        summary=pack(sorted(names)),
    )


def preparation_by(analyse: Analyse) -> Preparation:
    return one_by_one(lambda path, text: prepare_file(path, text, analyse))


class Repository:
    """The repository acme/web of a project that others have too."""

    def __init__(self, folder: Path, scope: Scope | None = None) -> None:
        self.app = ProjectApp(folder, scope)

    @property
    def project(self) -> CodeProject:
        return self.of(self.app.caller)

    def of(self, caller: Caller) -> CodeProject:
        return open_code(self.app.services, caller, self.app.clock)

    def index(self, texts: Mapping[str, str] | None = None, **more: Any) -> Outcome:
        files = [{"path": path, "content": text} for path, text in (texts or {}).items()]
        analyse, cpu = more.pop("analyse", by_lines), more.pop("cpu", time.process_time)
        said: dict[str, Any] = {"repo_id": "acme/web", "files": files, **more}
        return index(self.project, IndexRequest(**said), preparation_by(analyse), cpu)

    def search_names(self, text: str, caller: Caller | None = None) -> list[str]:
        """The names of the parts that search finds, the best first."""
        scope = (caller or self.app.caller).scope
        request = SearchRequest(text=text, profile="code")
        return [hit.id.partition(".")[2] for hit in self.app.services.get(Search).search(scope, request).hits]


def may_have(signature: bytes, name: str) -> bool:
    """Return whether a file's signature has the number of a name, defined there or not."""
    number = number_of(name)
    return any(
        int.from_bytes(signature[at : at + BYTES], "little") >> 1 == number for at in range(0, len(signature), BYTES)
    )
