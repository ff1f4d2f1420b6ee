"""What template.yaml, the templates under infra/ and samconfig.toml say, read for the tests.

RESOURCES, FUNCTIONS and ALARMS are those of the whole system: nested stacks are read into the one that they are part of.
"""

import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.contract.nested_stacks import expanded, inlined
from tests.e2e.emulator_gaps import Intrinsics

ROOT = Path(__file__).parents[2]


def _read(path: str) -> dict[str, Any]:
    return yaml.load((ROOT / path).read_text(), Loader=Intrinsics)


TEMPLATE = _read("template.yaml")
PAGE: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
"""The resources of template.yaml itself."""

NESTED = {
    name: _read(of["Properties"]["TemplateURL"])
    for name, of in PAGE.items()
    if of["Type"] == "AWS::CloudFormation::Stack"
}
"""Templates of nested stacks, by the stack's name."""

GIVEN: dict[str, dict[str, Any]] = {name: PAGE[name]["Properties"]["Parameters"] for name in NESTED}

# The three others are about the system: tests look at them from outside.
RESOURCES = inlined(PAGE, {name: NESTED[name] for name in ("Rights", "Bus", "Feed")})
FUNCTIONS = {name: of for name, of in RESOURCES.items() if of["Type"] == "AWS::Serverless::Function"}
OBSERVABILITY, USAGE_PLANS, FIREWALL = NESTED["Observability"], NESTED["UsagePlans"], NESTED["WebFirewall"]
ALARMS: dict[str, dict[str, Any]] = {
    name: of["Properties"]
    for name, of in expanded(OBSERVABILITY["Resources"], GIVEN["Observability"]).items()
    if of["Type"] == "AWS::CloudWatch::Alarm"
}
CONFIGURATION: dict[str, Any] = {
    name: of for name, of in tomllib.loads((ROOT / "samconfig.toml").read_text()).items() if name != "version"
}
GATEWAY: dict[str, dict[str, Any]] = yaml.safe_load((ROOT / "infra/answers.yaml").read_text())


def named(expression: Any) -> str:
    """A name that is made of the stack's, such as ${AWS::StackName}-feed, as text."""
    return str(next(iter(expression.values())) if isinstance(expression, dict) else expression)  # pyright: ignore
