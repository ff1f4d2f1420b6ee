"""Make a built template roll out in steps: `make build ROLLOUT=Canary10Percent15Minutes`.

Each function that serves tools gets the alias `live`, which API Gateway calls. CodeDeploy moves the alias to the new
version step by step, and back when an alarm of the function goes off.

It changes the built template, and is no parameter of the source template, because SAM cannot omit an alias by a
condition. A permanent alias would keep serving the former version until SAM sees a change in the function's code, which
Almanac has in a layer. `release`, which differs with each build, makes SAM see a change.
"""

import hashlib
import sys
import time
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]

ALIAS = "live"
ROLE = "RolloutRole"
KINDS = (
    "Canary10Percent5Minutes",
    "Canary10Percent10Minutes",
    "Canary10Percent15Minutes",
    "Canary10Percent30Minutes",
    "Linear10PercentEvery1Minute",
    "Linear10PercentEvery2Minutes",
    "Linear10PercentEvery3Minutes",
    "Linear10PercentEvery10Minutes",
    "AllAtOnce",
)


def with_rollout(template: Json, kind: str, release: str) -> Json:
    """Return the template with an alias for each function that serves tools. Raises ValueError for an unknown kind."""
    if kind not in KINDS:
        raise ValueError(f"ROLLOUT is one of {', '.join(KINDS)}, not {kind}.")
    resources: Json = {name: _add_alias(of, kind, release) for name, of in template["Resources"].items()}
    return template | {"Resources": resources | {ROLE: _role()}}


def _add_alias(resource: Json, kind: str, release: str) -> Json:
    properties: Json = resource.get("Properties", {})
    if not any(event["Type"] == "Api" for event in properties.get("Events", {}).values()):
        return resource
    function: str = properties["FunctionName"]["Fn::Sub"].removeprefix("${AWS::StackName}-")
    alarms = [{"Fn::Sub": f"${{AWS::StackName}}-{of}-{function}"} for of in ("defects", "errors")]
    preference = {
        "Type": kind,
        "Alarms": alarms,
        "Role": {"Fn::GetAtt": [ROLE, "Arn"]},
        # A function that a parameter omits has no alias to move.
        "PassthroughCondition": True,
    }
    published: Json = {
        "AutoPublishAlias": ALIAS,
        "AutoPublishCodeSha256": release,
        "VersionDeletionPolicy": "Delete",
        "DeploymentPreference": preference,
    }
    return resource | {"Properties": properties | published}


def _role() -> Json:
    """Return CodeDeploy's role, within the permissions boundary of all roles."""
    trusted = {"Effect": "Allow", "Principal": {"Service": "codedeploy.amazonaws.com"}, "Action": "sts:AssumeRole"}
    policy = {"Fn::Sub": "arn:${AWS::Partition}:iam::aws:policy/service-role/AWSCodeDeployRoleForLambda"}
    boundary = {"Fn::If": ["HasBoundary", {"Ref": "PermissionsBoundary"}, {"Ref": "AWS::NoValue"}]}
    return {
        "Type": "AWS::IAM::Role",
        "Properties": {
            "PermissionsBoundary": boundary,
            "AssumeRolePolicyDocument": {"Version": "2012-10-17", "Statement": [trusted]},
            "ManagedPolicyArns": [policy],
        },
    }


def main(path: str, kind: str) -> None:
    """Change the built template at `path`."""
    built, release = Path(path), hashlib.sha256(str(time.time_ns()).encode()).hexdigest()
    template = with_rollout(yaml.safe_load(built.read_text(encoding="utf-8")), kind, release)
    built.write_text(yaml.safe_dump(template, sort_keys=False, width=1000), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
