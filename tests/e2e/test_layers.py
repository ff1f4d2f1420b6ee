"""What the built layers hold."""

import pytest

from tests.e2e.local_stack import BUILT
from tests.e2e.target import Target

LAYERS = ("AppLayer", "VendorLayer", "EmbedderLayer", "GrammarsLayer")


@pytest.mark.parametrize("layer", LAYERS)
def test_every_module_of_a_layer_has_bytecode(at: Target, layer: str):
    if at.stack is None:
        pytest.skip("only a stack has layers")
    modules = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.py")}
    compiled = {path.relative_to(BUILT / layer) for path in (BUILT / layer).rglob("*.pyc")}

    assert modules
    assert {(path.parent.parent / path.name.split(".")[0]).with_suffix(".py") for path in compiled} == modules
