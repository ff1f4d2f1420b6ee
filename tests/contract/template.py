"""What template.yaml, the templates under infra/ and samconfig.toml say, read for the tests."""

import tomllib
from pathlib import Path
from typing import Any

import yaml

from tests.e2e.emulator_gaps import Intrinsics

ROOT = Path(__file__).parents[2]


TEMPLATE: dict[str, Any] = yaml.load((ROOT / "template.yaml").read_text(), Loader=Intrinsics)
RESOURCES: dict[str, dict[str, Any]] = TEMPLATE["Resources"]
FUNCTIONS = {name: of for name, of in RESOURCES.items() if of["Type"] == "AWS::Serverless::Function"}
OBSERVABILITY: dict[str, Any] = yaml.load((ROOT / "infra/observability.yaml").read_text(), Loader=Intrinsics)
USAGE_PLANS: dict[str, Any] = yaml.load((ROOT / "infra/usage_plans.yaml").read_text(), Loader=Intrinsics)
FIREWALL: dict[str, Any] = yaml.load((ROOT / "infra/firewall.yaml").read_text(), Loader=Intrinsics)
ALARMS: dict[str, dict[str, Any]] = {
    name: of["Properties"] for name, of in OBSERVABILITY["Resources"].items() if of["Type"] == "AWS::CloudWatch::Alarm"
}
CONFIGURATION: dict[str, Any] = {
    name: of for name, of in tomllib.loads((ROOT / "samconfig.toml").read_text()).items() if name != "version"
}
GATEWAY: dict[str, dict[str, Any]] = RESOURCES["Api"]["Properties"]["GatewayResponses"]
