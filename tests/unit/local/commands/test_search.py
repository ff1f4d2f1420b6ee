"""Test `almanac search`, and the effects of other commands on the index."""

import json
import os
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from almanac.composition.services import services_for
from almanac.families.planner.core.note_records import NOTES
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import NotFound
from almanac.local.commands.export import export
from almanac.local.commands.import_ import import_
from almanac.local.commands.search import search
from almanac.local.commands.tenants import tenants
from almanac.local.data_folder import DataFolder
from almanac.platform.embedder.lazy_rows import LazyRows
from almanac.platform.embedder.packaged_model import SHARED_TABLE
from almanac.platform.embedder.shared_table import keep_table
from almanac.platform.embedder.table_file import write_table
from almanac.platform.services import Services
from almanac.platform.store.port import Store
from almanac.search.engine.parts import IndexParts
from almanac.search.questions.port import Search, SearchRequest
from tests.doubles.row_makers import FakeRowMaker, whole_table
from tests.landed.landed_app import ANN, TENANT
from tests.landed.samples import SAMPLES, data_file, every_sample


class Folder:
    """A data folder as a version without search left it, or a new one."""

    def __init__(self, path: Path, landed: str | None = None) -> None:
        self.path = path
        path.mkdir()
        if landed is not None:
            (path / "almanac.db").write_bytes(data_file(landed))

    def run(self, command: click.Command, *arguments: str) -> Result:
        done = CliRunner().invoke(command, [*arguments, "--data", str(self.path)])
        assert done.exit_code == 0, (done.output, done.exception)
        return done

    def rows(self, *arguments: str) -> Any:
        return json.loads(self.run(search, *arguments, "--json").stdout)

    def services(self) -> Services:
        folder, clock = DataFolder(self.path, Path(os.environ["ALMANAC_CACHE"])), SystemClock()
        opened = folder.open_search(lambda _: None, lambda _where, _error: None)
        return services_for(folder.open_whole_store(clock), clock, open_indexing=lambda: opened.indexing)

    def search_ids(self, q: str, scope: Scope) -> list[str]:
        request = SearchRequest(text=q, profile="documents", limit=100)
        return [hit.id for hit in self.services().get(Search).search(scope, request).hits]


def test_a_folder_that_is_new_has_nothing_to_count(tmp_path: Path) -> None:
    assert "There are no projects." in Folder(tmp_path / "data").run(search, "status").stdout


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ALMANAC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / SHARED_TABLE


def last_line(folder: Folder) -> str:
    return folder.run(search, "status").stdout.splitlines()[-1]


def test_the_status_says_where_word_vectors_are_and_how_many(tmp_path: Path, cache: Path) -> None:
    folder = Folder(tmp_path / "data")
    none = last_line(folder)
    assert none == f"Word vectors: none of 30522 kept yet; they are made when search first needs them, in {cache}"
    own = tmp_path / "data" / "embedder" / "static.table"
    write_table(own, whole_table(30_522))
    assert last_line(folder) == f"Word vectors: 30522 of 30522 in {own}"
    write_table(cache, whole_table(30_522))
    assert last_line(folder) == f"Word vectors: 30522 of 30522 in {cache}"
    assert folder.rows("status") == []


def test_the_status_counts_word_vectors_while_they_are_made(tmp_path: Path, cache: Path) -> None:
    folder, lines = Folder(tmp_path / "data"), list[str]()
    rows = LazyRows(FakeRowMaker(30_522))

    def note_progress(share: float) -> None:
        if 0 < share < 1 and not lines:
            lines.append(last_line(folder))

    keep_table(rows, cache, note_progress, lambda: bool(lines))
    (line,) = lines
    made = int(line.removeprefix("Word vectors: ").split()[0])
    assert 1000 < made < 30_522
    assert line.endswith(f" of 30522 in {cache}")


@pytest.mark.parametrize("landed", every_sample())
def test_a_folder_from_before_search_is_indexed_by_a_rebuild(tmp_path: Path, landed: str) -> None:
    folder = Folder(tmp_path / "data", landed)
    before = folder.rows("verify")
    assert sum(row["missing"] for row in before) == sum(row["documents"] for row in before) > 0
    told = folder.rows("rebuild")
    assert told["documents"] == sum(row["documents"] for row in before)
    assert all(row["missing"] == row["outdated"] == row["superfluous"] == 0 for row in folder.rows("verify"))
    counted = folder.rows("status")
    assert sum(row["documents"] for row in counted) == told["documents"]
    assert {row["tenant"] for row in counted} >= {TENANT}


@pytest.fixture
def landed_folder(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path / "data", SAMPLES[-1])
    folder.run(search, "verify")
    return folder


def test_the_index_of_a_landed_folder_finds_its_notes(landed_folder: Folder) -> None:
    scope = ANN.scope
    (found,) = landed_folder.search_ids("bring cake", scope)[:1]
    assert landed_folder.services().get(Store).get(NOTES.key(scope, NOTES.own, (found,))) is not None
    assert landed_folder.search_ids("bring cake", Scope(TENANT, "elsewhere")) == []


@pytest.mark.slow
def test_a_deleted_tenant_is_gone_from_the_index_and_comes_back_from_its_file(
    landed_folder: Folder, tmp_path: Path
) -> None:
    before = landed_folder.search_ids("bring cake", ANN.scope)
    landed_folder.run(export, TENANT, str(tmp_path / "file"))
    landed_folder.run(tenants, "delete", TENANT, "--yes")
    opened = landed_folder.services().get(IndexParts).index
    assert opened is not None
    assert opened.list_states(ANN.scope, "documents") == []
    landed_folder.run(import_, str(tmp_path / "file"), "--trust")
    assert landed_folder.search_ids("bring cake", ANN.scope) == before
    assert all(row["missing"] == row["stuck"] == 0 for row in landed_folder.rows("verify"))


@pytest.mark.slow
def test_a_tenant_restored_under_another_name_is_found_there_alone(landed_folder: Folder, tmp_path: Path) -> None:
    landed_folder.run(export, TENANT, str(tmp_path / "file"))
    landed_folder.run(import_, str(tmp_path / "file"), "--trust", "--into", "other", "--without-keys")
    before = landed_folder.search_ids("bring cake", ANN.scope)
    assert landed_folder.search_ids("bring cake", Scope("other", ANN.scope.project)) == before != []


def test_a_tenant_that_does_not_exist_is_refused(landed_folder: Folder) -> None:
    refused = CliRunner().invoke(search, ["verify", "--tenant", "nobody", "--data", str(landed_folder.path)])
    assert isinstance(refused.exception, NotFound)
