"""Where ministack 1.5.33 is not AWS, bridged from the deployed templates themselves, so that the rest can be tried.

- It does not read gateway responses from the body of a REST API, where SAM puts them.
- It asks for the action sqs:SendMessageBatch; on AWS, sqs:SendMessage allows both.
- It looks for API Gateway keys in the header x-api-key only: what the authorizer names (usageIdentifierKey) is passed
  over. So requests there need no such key, and usage plans stand, but limit nothing.
- It speaks HTTP only, which the policy of the large values' bucket refuses, and it checks that: the policy goes.
- It serves every API under its own address: no host name such as the live feed's functions are told leads to it.

What it has no bridge for: leading keys in policies are not looked at, a gateway response cannot say what the
authorizer said ($context.authorizer), and a call that runs when its function is changed is ended (`ENDED_CALL`). Where
it is a call of the authorizer, the request is answered with an internal error (`ENDED_AUTHORIZER`).
"""

# boto3 carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import json
import re
from dataclasses import dataclass
from typing import Any

import boto3
import yaml

ENDED_CALL = "Worker process died"
"""In the answer to such a call; AWS lets it end."""
ENDED_AUTHORIZER = "AuthorizerConfigurationException"
"""The error type, in the header x-amzn-ErrorType, of a request whose authorizer was ended. No function sends that."""

_GATEWAY = re.compile(r"(?:https|wss)://([a-z0-9]+)\.execute-api\.[^/]+/(\w+)((?:/.*)?)")


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


@dataclass(frozen=True)
class ServedApi:
    """An API of API Gateway at the emulator. `url` replaces the address that AWS would give it."""

    api: str
    stage: str
    url: str


def served_address(endpoint: str, url: str) -> ServedApi:
    """Return the API's address at the emulator. Raises ValueError for an address that is not one of API Gateway's."""
    found = _GATEWAY.fullmatch(url)
    if found is None:
        raise ValueError(f"{url} is no address of API Gateway")
    return ServedApi(found[1], found[2], f"{endpoint}/_aws/execute-api/{found[1]}/{found[2]}{found[3]}")


def bridge(
    template: str,
    endpoint: str,
    credentials: dict[str, str],
    system: str,
    bucket: str,
    hub: ServedApi,
    feed: ServedApi,
    public_url: str,
) -> None:
    """Bridge the gaps for a deployed stack.

    `template` is the text of template.yaml, `system` the stack's name, `bucket` the bucket of large values, and
    `public_url` the parameter of that name.
    """
    keys = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY"}
    session = boto3.Session(**{ours: credentials[name] for ours, name in keys.items()})

    def client(service: str) -> Any:
        return session.client(service, endpoint_url=endpoint, region_name=credentials["AWS_REGION"])

    resources = yaml.load(template, Loader=Intrinsics)["Resources"]
    gateway = client("apigateway")
    _ask_for_no_gateway_keys(gateway, hub)
    _put_gateway_responses(gateway, resources["Api"]["Properties"]["GatewayResponses"], hub, public_url)
    client("s3").delete_bucket_policy(Bucket=bucket)
    _allow_batches(client("lambda"), client("iam"), system)
    _tell_where_the_feed_is(client("lambda"), system, feed)


def _ask_for_no_gateway_keys(gateway: Any, hub: ServedApi) -> None:
    """Holds with the deployment that follows."""
    # "false" is as good as true there.
    no_key = [{"op": "remove", "path": "/apiKeyRequired"}]
    for resource in gateway.get_resources(restApiId=hub.api, limit=500)["items"]:
        for verb in resource.get("resourceMethods", {}):
            gateway.update_method(restApiId=hub.api, resourceId=resource["id"], httpMethod=verb, patchOperations=no_key)


def _put_gateway_responses(gateway: Any, responses: dict[str, Any], hub: ServedApi, public_url: str) -> None:
    for kind, response in responses.items():
        stated = response.get("ResponseParameters", {}).get("Headers", {})
        headers = {name: resolve_header(value, public_url) for name, value in stated.items()}
        gateway.put_gateway_response(
            restApiId=hub.api,
            responseType=kind,
            responseTemplates=response["ResponseTemplates"],
            responseParameters={f"gatewayresponse.header.{name}": value for name, value in headers.items()},
            **({"statusCode": str(response["StatusCode"])} if "StatusCode" in response else {}),
        )
    gateway.create_deployment(restApiId=hub.api, stageName=hub.stage)


def resolve_header(value: Any, public_url: str) -> str:
    """A header of a gateway response, as CloudFormation fills it in where there is a public URL."""
    if isinstance(value, str):
        return value
    condition, chosen, _ = value["If"]
    assert condition == "SignsIn"
    return str(chosen["Sub"]).replace("${PublicUrl}", public_url)


def _allow_batches(functions: Any, identities: Any, system: str) -> None:
    role = functions.get_function_configuration(FunctionName=f"{system}-feed")["Role"].rpartition("/")[2]
    statement = {"Effect": "Allow", "Action": "sqs:SendMessageBatch", "Resource": "*"}
    identities.put_role_policy(
        RoleName=role,
        PolicyName="batches",
        PolicyDocument=json.dumps({"Version": "2012-10-17", "Statement": [statement]}),
    )


def _tell_where_the_feed_is(functions: Any, system: str, feed: ServedApi) -> None:
    for name in (f"{system}-feed-socket", f"{system}-feed-push"):
        variables = functions.get_function_configuration(FunctionName=name)["Environment"]["Variables"]
        told = {"Variables": variables | {"ALMANAC_FEED_ENDPOINT": feed.url}}
        functions.update_function_configuration(FunctionName=name, Environment=told)
