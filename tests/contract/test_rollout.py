"""Test the template that `make build ROLLOUT=...` makes, as it is and as SAM transforms it."""

import copy
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.contract.backends import TOOLS
from tests.contract.grants import first
from tests.contract.template import ALARMS, ROOT
from tools.rollout import KINDS, ROLE, main, with_rollout

SAM = TOOLS / "sam" / "bin" / "python"
KIND = "Canary10Percent15Minutes"

TRANSFORM = """
import json, sys
import boto3
from samcli.yamlhelper import yaml_parse
from samtranslator.parser.parser import Parser
from samtranslator.translator.translator import Translator
template = json.load(sys.stdin)
values = {name: of.get("Default", "x") for name, of in template["Parameters"].items()}
session = boto3.Session(region_name="us-east-1")
json.dump(Translator({}, Parser(), boto_session=session).translate(template, values), sys.stdout)
"""
READ = "import json, sys; from samcli.yamlhelper import yaml_parse; json.dump(yaml_parse(sys.stdin.read()), sys.stdout)"

pytestmark = pytest.mark.skipif(not SAM.exists(), reason="SAM is not installed: make build")


def _sam(script: str, given: str) -> dict[str, Any]:
    done = subprocess.run([str(SAM), "-c", script], input=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def built_template() -> dict[str, Any]:
    """The template as a build leaves it: intrinsic functions by their long names, code where it was uploaded."""
    template = _sam(READ, (ROOT / "template.yaml").read_text())
    for of in template["Resources"].values():
        for name in ("CodeUri", "ContentUri"):
            if name in of.get("Properties", {}):
                of["Properties"][name] = "s3://bucket/key"
    return template


def _doors(template: dict[str, Any]) -> set[str]:
    return {name for name, of in template["Resources"].items() if "Events" in of.get("Properties", {})}


@pytest.mark.parametrize("kind", KINDS)
def test_every_function_that_serves_tools_is_rolled_out_and_taken_back_by_its_own_alarms(
    built_template: dict[str, Any], kind: str
) -> None:
    before = copy.deepcopy(built_template)
    rolled_out = with_rollout(built_template, kind, "0" * 64)
    assert built_template == before
    names = {alarm["AlarmName"]["Sub"].replace("${System}", "${AWS::StackName}") for alarm in _named_alarms()}
    assert len(_doors(built_template)) == 12
    for door in _doors(built_template):
        preference = rolled_out["Resources"][door]["Properties"]["DeploymentPreference"]
        alarms = [alarm["Fn::Sub"] for alarm in preference["Alarms"]]
        assert preference["Type"] == kind
        assert set(alarms) <= names
        function = built_template["Resources"][door]["Properties"]["FunctionName"]["Fn::Sub"].rpartition("-")[2]
        assert alarms == [f"${{AWS::StackName}}-{what}-{function}" for what in ("defects", "errors")]
    changed = {name for name, of in rolled_out["Resources"].items() if before["Resources"].get(name) != of}
    assert changed == _doors(built_template) | {ROLE}


def _named_alarms() -> list[dict[str, Any]]:
    return [alarm for alarm in ALARMS.values() if "AlarmName" in alarm]


@pytest.mark.parametrize("kind", ["on", "", "Canary10Percent15minutes"])
def test_another_kind_of_rollout_is_refused_with_those_that_there_are(
    built_template: dict[str, Any], kind: str
) -> None:
    with pytest.raises(ValueError, match="Canary10Percent5Minutes"):
        with_rollout(built_template, kind, "0" * 64)


def test_sam_makes_aliases_that_codedeploy_moves_and_that_the_api_calls(built_template: dict[str, Any]) -> None:
    made = _sam(TRANSFORM, json.dumps(with_rollout(built_template, KIND, "a" * 64)))["Resources"]
    aliases = {name: of for name, of in made.items() if of["Type"] == "AWS::Lambda::Alias"}
    groups = {name: of for name, of in made.items() if of["Type"] == "AWS::CodeDeploy::DeploymentGroup"}
    assert len(aliases) == len(groups) == 12
    for alias in aliases.values():
        moved = alias["UpdatePolicy"]["CodeDeployLambdaAliasUpdate"]
        assert moved["DeploymentGroupName"]["Ref"] in groups
    for group in groups.values():
        rolled_back = group["Properties"]["AutoRollbackConfiguration"]
        assert rolled_back["Enabled"] is True
        assert "DEPLOYMENT_STOP_ON_ALARM" in rolled_back["Events"]
        assert len(group["Properties"]["AlarmConfiguration"]["Alarms"]) == 2
        assert group["Properties"]["ServiceRoleArn"] == {"Fn::GetAtt": [ROLE, "Arn"]}
    paths = [first(path) for path in map(_by_name, made["Api"]["Properties"]["Body"]["paths"].values())]
    methods = [first(method) for path in paths for method in map(_by_name, path.values())]
    called = {str(method["x-amazon-apigateway-integration"]["uri"]) for method in methods}
    assert len(called) == 12
    assert all(any(alias in uri for alias in aliases) for uri in called)
    assert all(
        of["Properties"]["PermissionsBoundary"]["Fn::If"][0] == "HasBoundary"
        for of in made.values()
        if of["Type"] == "AWS::IAM::Role"
    )


def test_a_function_that_a_parameter_leaves_out_is_rolled_out_only_where_it_is(built_template: dict[str, Any]) -> None:
    made = _sam(TRANSFORM, json.dumps(with_rollout(built_template, KIND, "a" * 64)))["Resources"]
    conditional = {
        name: of["Condition"]
        for name, of in built_template["Resources"].items()
        if name in _doors(built_template) and "Condition" in of
    }
    assert "SignInFunction" in conditional
    for name, condition in conditional.items():
        belonging = [of for each, of in made.items() if each.startswith(name) and of["Type"] in ROLLED_OUT]
        assert {of["Type"] for of in belonging} == ROLLED_OUT
        assert all(of["Condition"] == condition for of in belonging)


ROLLED_OUT = {"AWS::Lambda::Alias", "AWS::Lambda::Version", "AWS::CodeDeploy::DeploymentGroup"}


def _by_name(value: dict[str, Any]) -> dict[str, Any]:
    """Return SAM's template with intrinsics in the form that the tests of the template use."""
    return {name.removeprefix("Fn::"): of for name, of in value.items()}


def test_each_build_publishes_versions_anew_though_only_layers_changed(built_template: dict[str, Any]) -> None:
    def versions(release: str) -> set[str]:
        made = _sam(TRANSFORM, json.dumps(with_rollout(built_template, KIND, release)))["Resources"]
        return {name for name, of in made.items() if of["Type"] == "AWS::Lambda::Version"}

    assert len(versions("a" * 64)) == 12
    assert not versions("a" * 64) & versions("b" * 64)


def test_a_built_file_is_changed_in_place(built_template: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "template.yaml"
    file.write_text(yaml.safe_dump(built_template, sort_keys=False))
    main(str(file), KIND)
    changed = yaml.safe_load(file.read_text())
    release = changed["Resources"]["HubFunction"]["Properties"]["AutoPublishCodeSha256"]
    assert changed == with_rollout(built_template, KIND, release)
    main(str(file), KIND)
    again = yaml.safe_load(file.read_text())["Resources"]["HubFunction"]["Properties"]["AutoPublishCodeSha256"]
    assert again != release
