"""template.yaml, the templates under infra/ and samconfig.toml, parsed for tests.

RESOURCES, FUNCTIONS and ALARMS are those of the whole system, because nested stacks are merged into the outermost one.
"""

import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.contract.nested_stacks import expand_loops, inline_stacks
from tests.e2e.emulator_gaps import Intrinsics

ROOT = Path(__file__).parents[2]


def _read(path: str) -> dict[str, Any]:
    return yaml.load((ROOT / path).read_text(), Loader=Intrinsics)


def _with_globals(template: dict[str, Any]) -> dict[str, Any]:
    """Return the template with its globals merged into each function, and function folders relative to the root."""
    shared = template.get("Globals", {}).get("Function", {})
    return template | {
        "Resources": {name: _complete_function(of, shared) for name, of in template["Resources"].items()}
    }


def _complete_function(resource: Any, shared: dict[str, Any]) -> Any:
    # What Fn::ForEach repeats is a list, and no function.
    if "'AWS::Serverless::Function'" not in str(resource):
        return resource
    own = resource["Properties"]
    variables = shared["Environment"]["Variables"] | own["Environment"]["Variables"]
    properties = (
        shared
        | own
        | {
            "CodeUri": own["CodeUri"].removeprefix("../"),
            "Environment": {"Variables": variables},
            "LoggingConfig": shared["LoggingConfig"] | own["LoggingConfig"],
        }
    )
    return resource | {"Properties": properties}


TEMPLATE = _read("template.yaml")
PAGE: dict[str, dict[str, Any]] = _with_globals(TEMPLATE)["Resources"]
"""The resources of template.yaml itself."""

NESTED = {
    name: _with_globals(_read(of["Properties"]["TemplateURL"]))
    for name, of in PAGE.items()
    if of["Type"] == "AWS::CloudFormation::Stack"
}
"""Templates of nested stacks, by the stack's name."""

GIVEN: dict[str, dict[str, Any]] = {name: PAGE[name]["Properties"]["Parameters"] for name in NESTED}

# The three others are about the system: tests look at them from outside.
RESOURCES = inline_stacks(PAGE, {name: NESTED[name] for name in ("Rights", "Bus", "Feed")})
FUNCTIONS = {name: of for name, of in RESOURCES.items() if of["Type"] == "AWS::Serverless::Function"}
OBSERVABILITY, USAGE_PLANS, FIREWALL = NESTED["Observability"], NESTED["UsagePlans"], NESTED["WebFirewall"]
ALARMS: dict[str, dict[str, Any]] = {
    name: of["Properties"]
    for name, of in expand_loops(OBSERVABILITY["Resources"], GIVEN["Observability"]).items()
    if of["Type"] == "AWS::CloudWatch::Alarm"
}
CONFIGURATION: dict[str, Any] = {
    name: of for name, of in tomllib.loads((ROOT / "samconfig.toml").read_text()).items() if name != "version"
}
GATEWAY: dict[str, dict[str, Any]] = PAGE["Api"]["Properties"]["GatewayResponses"]
