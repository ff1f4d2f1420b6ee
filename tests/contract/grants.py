"""Permissions that the templates grant: actions on resources, and for the table the leading keys."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from tests.contract.template import FUNCTIONS, RESOURCES

Grant = tuple[str, str, str]
"""An action, what it is allowed on, and a pattern of leading keys, * where there are none."""


def first(policy: Any) -> Any:
    """Return the policy that applies when every switch is on."""
    return first(policy["If"][1]) if "If" in policy else policy


def statements(function: str) -> Iterator[dict[str, Any]]:
    """Return the statements of a function's own policies and of our shared policies that it uses."""
    for stated in FUNCTIONS[function]["Properties"]["Policies"]:
        policy = first(stated)
        if "Ref" in policy:
            shared = RESOURCES[policy["Ref"]]
            assert shared["Type"] == "AWS::IAM::ManagedPolicy"
            policy = shared["Properties"]["PolicyDocument"]
        yield from map(first, policy["Statement"])


TABLE_ARN = "arn:${AWS::Partition}:dynamodb:${AWS::Region}:${AWS::AccountId}:table/${Table}"


def grants_of(function: str) -> set[Grant]:
    return grants(statements(function))


def grants(stated: Iterable[dict[str, Any]]) -> set[Grant]:
    found: set[Grant] = set()
    for statement in stated:
        conditions = statement.get("Condition", {})
        leading = [keys for each in conditions.values() for keys in each.get("dynamodb:LeadingKeys", ())] or ["*"]
        resources = [str(next(iter(first(resource).values()))) for resource in as_list(statement["Resource"])]
        resources = ["Table.Arn" if resource == TABLE_ARN else resource for resource in resources]
        resources = [resource.replace(f"{TABLE_ARN}/", "${Table.Arn}/") for resource in resources]
        found |= {(a, r, k) for a in as_list(statement["Action"]) for r in resources for k in leading}
    return found


def as_list(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]  # pyright: ignore[reportUnknownArgumentType]


def matches(key: str, patterns: set[str]) -> bool:
    return any(fnmatchcase(key, pattern) for pattern in patterns)


MANAGED = "arn:${AWS::Partition}:execute-api:${AWS::Region}:${AWS::AccountId}:${SocketApi}/feed/*"
MODEL = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${LanguageModel}"
PROFILE = "arn:${AWS::Partition}:bedrock:${AWS::Region}:${AWS::AccountId}:inference-profile/${LanguageModel}"
EMBEDDING = "arn:${AWS::Partition}:bedrock:${AWS::Region}::foundation-model/${EmbeddingModel}"
BUS = "arn:${AWS::Partition}:events:${AWS::Region}:${AWS::AccountId}:event-bus/${EventBus}"


def on_table(actions: str, *keys: str, resource: str = "Table.Arn") -> set[Grant]:
    return {(f"dynamodb:{action}", resource, key) for action in actions.split() for key in keys}
