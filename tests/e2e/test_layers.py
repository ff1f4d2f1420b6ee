"""What the built layers hold."""

from pathlib import Path

import pytest

from almanac.composition.families import FAMILIES, described_families
from almanac.composition.prepared import read_prepared
from almanac.protocol.prepared import prepare
from tests.contract.template import FUNCTIONS
from tests.e2e.local_stack import BUILT
from tests.e2e.target import Target

MOST_BYTES = 150_000_000
"""Lambda takes 250 MB, and fetches all of it before a cold start."""
EVERYWHERE = ("AppLayer", "VendorLayer")
LAYERS = ("AppLayer", "VendorLayer", "EmbedderLayer", "GrammarsLayer")


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_of_a_layer_has_bytecode(at: Target, layer: str):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    modules = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.py")}
    compiled = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.pyc")}

    assert modules
    assert {(path.parent.parent / path.name.split(".")[0]).with_suffix(".py") for path in compiled} == modules


def test_the_lists_in_the_layer_are_those_of_the_families(at: Target):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    folder = BUILT / "AppLayer/python/almanac/prepared"

    assert [read_prepared(name, folder) for name in FAMILIES] == list(map(prepare, described_families()))


def test_a_function_with_its_layers_has_at_most_150_megabytes(at: Target):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    sizes = {layer: _size(BUILT / layer) for layer in LAYERS}
    own = {name: [one for one in LAYERS if one in EVERYWHERE or one in str(of)] for name, of in FUNCTIONS.items()}
    whole = {name: _size(next(BUILT.rglob(name))) + sum(sizes[layer] for layer in own[name]) for name in FUNCTIONS}

    assert len(own["HubFunction"]) == len(LAYERS)
    assert {name: size for name, size in whole.items() if size > MOST_BYTES} == {}


def test_no_layer_has_a_model_that_no_function_opens(at: Target):
    if at.stack is None:
        pytest.skip("only a stack has layers")

    assert [path for layer in LAYERS for path in (BUILT / layer).rglob("*.safetensors")] == []


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
