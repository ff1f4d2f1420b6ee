"""Where ministack 1.5.33 is not AWS, bridged from the deployed template itself, so that the rest can be tried.

- It does not read gateway responses from the body of a REST API, where SAM puts them.
- It asks for the action sqs:SendMessageBatch; on AWS, sqs:SendMessage allows both.

What it has no bridge for: leading keys in policies are not looked at, and a gateway response cannot say what the
authorizer said ($context.authorizer).
"""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import json
from typing import Any

import boto3
import yaml


class Intrinsics(yaml.SafeLoader):
    """Reads `!Ref Name` as {"Ref": "Name"}, `!GetAtt A.B` as {"GetAtt": "A.B"} and so on."""


def _intrinsic(loader: yaml.SafeLoader, tag: str, node: yaml.Node) -> dict[str, Any]:
    match node:
        case yaml.ScalarNode():
            return {tag: loader.construct_scalar(node)}
        case yaml.SequenceNode():
            return {tag: loader.construct_sequence(node, deep=True)}
        case yaml.MappingNode():
            return {tag: loader.construct_mapping(node, deep=True)}
        case _:
            raise TypeError(f"an intrinsic over {node}")


Intrinsics.add_multi_constructor("!", _intrinsic)


def bridge(template: str, endpoint: str, credentials: dict[str, str], system: str, api: str, stage: str) -> None:
    """`template` is the text of template.yaml, `system` the stack's name, `api` the REST API's id."""
    keys = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY"}
    session = boto3.Session(**{ours: credentials[name] for ours, name in keys.items()})

    def client(service: str) -> Any:
        return session.client(service, endpoint_url=endpoint, region_name=credentials["AWS_REGION"])

    resources = yaml.load(template, Loader=Intrinsics)["Resources"]
    _put_gateway_responses(client("apigateway"), resources["Api"]["Properties"]["GatewayResponses"], api, stage)
    _allow_batches(client("cloudformation"), client("iam"), system)


def _put_gateway_responses(gateway: Any, responses: dict[str, Any], api: str, stage: str) -> None:
    for kind, response in responses.items():
        headers = response.get("ResponseParameters", {}).get("Headers", {})
        gateway.put_gateway_response(
            restApiId=api,
            responseType=kind,
            responseTemplates=response["ResponseTemplates"],
            responseParameters={f"gatewayresponse.header.{name}": value for name, value in headers.items()},
            **({"statusCode": str(response["StatusCode"])} if "StatusCode" in response else {}),
        )
    gateway.create_deployment(restApiId=api, stageName=stage)


def _allow_batches(formation: Any, identities: Any, system: str) -> None:
    role = formation.describe_stack_resource(StackName=system, LogicalResourceId="FeedFunctionRole")
    statement = {"Effect": "Allow", "Action": "sqs:SendMessageBatch", "Resource": "*"}
    identities.put_role_policy(
        RoleName=role["StackResourceDetail"]["PhysicalResourceId"],
        PolicyName="batches",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )
