"""Test the contents of the built layers."""

from pathlib import Path

import pytest

from almanac.composition.families import FAMILIES, families_for_docs
from almanac.composition.prepared import read_prepared
from almanac.composition.quick_start import PATTERNS
from almanac.protocol.prepared import prepare
from tests.e2e.local_stack import BUILT
from tests.e2e.target import Target

LAYERS = ("AppLayer", "VendorLayer", "EmbedderLayer", "GrammarsLayer")
MOST = 150_000_000
"""Bytes of a function with every layer, unzipped; Lambda takes 250 MB."""


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_of_a_layer_has_bytecode(at: Target, layer: str):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    modules = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.py")}
    compiled = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.pyc")}

    assert modules
    assert {(path.parent.parent / path.name.split(".")[0]).with_suffix(".py") for path in compiled} == modules


def test_a_function_with_every_layer_is_small(at: Target):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    layers = sum(_bytes(BUILT / layer) for layer in (*LAYERS, "ModelLayer"))

    assert layers + max(map(_bytes, BUILT.glob("*Function"))) <= MOST


def _bytes(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def test_the_lists_in_the_layer_are_those_of_the_families_and_patterns_are_compiled(at: Target):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    folder = BUILT / "AppLayer/python/almanac/prepared"

    assert [read_prepared(name, folder) for name in FAMILIES] == list(map(prepare, families_for_docs()))
    assert (folder / PATTERNS.name).exists(), "for the Python that runs the functions"
