"""Conditions and updates as DynamoDB expressions, built with pynamodb's."""

from typing import Any

from msgspec import UnsetType
from pynamodb.expressions.condition import Condition as Expression
from pynamodb.expressions.operand import Path
from pynamodb.expressions.operand import Value as Operand
from pynamodb.expressions.update import Action, AddAction, RemoveAction, SetAction
from pynamodb.expressions.update import Update as Actions

from almanac.platform.store import port
from almanac.platform.store.conditions import Absent, And, Condition, Equals, Greater, Less, Or, Present, holds
from almanac.platform.store.dynamodb.items import INDEX_KEYS, encode, expiry_attributes, index_attributes
from almanac.platform.store.values import Value

_ITEM = Path(["PK"])
_EXPIRES = Path(["EXPIRES"])


def request(
    *,
    condition: Expression | None = None,
    filter: Expression | None = None,
    key: Expression | None = None,
    actions: list[Action] | None = None,
) -> dict[str, Any]:
    """Return the arguments of a request for these expressions, with their names and values."""
    names: dict[str, str] = {}
    values: dict[str, Any] = {}
    result: dict[str, Any] = {}
    expressions = {"ConditionExpression": condition, "FilterExpression": filter, "KeyConditionExpression": key}
    for argument, expression in expressions.items():
        if expression is not None:
            result[argument] = expression.serialize(names, values)
    if actions:
        result["UpdateExpression"] = Actions(*actions).serialize(names, values)
    if names:
        result["ExpressionAttributeNames"] = {placeholder: name for name, placeholder in names.items()}
    if values:
        result["ExpressionAttributeValues"] = values
    return result


def live(now: int) -> Expression:
    return _EXPIRES.does_not_exist() | (Operand({"N": str(now)}) < _EXPIRES)


def if_exists(condition: Condition | None, now: int) -> Expression:
    """Return the expression for `condition` on an existing item. A missing or expired item fails."""
    there = _ITEM.exists() & live(now)
    return there if condition is None else there & _plain(condition)


def conditional(condition: Condition, now: int) -> Expression:
    """Return the expression for `condition`, with an expired item counted as absent."""
    if holds(condition, None):
        return _plain(condition) | (Operand({"N": str(now)}) >= _EXPIRES)
    return _plain(condition) & live(now)


def actions(update: port.Update, attributes: dict[str, Value]) -> list[Action]:
    """Return the actions of an update. `attributes` are its checked new values."""
    # Without the mark, the stream does not carry an updated event a second time.
    result: list[Action] = [RemoveAction(Path(["FEED"]))]
    result += [_set(name, encode(value)) for name, value in attributes.items()]
    result += [RemoveAction(Path([name])) for name in update.remove]
    result += [AddAction(Path([name]), Operand({"N": str(number)})) for name, number in update.add.items()]
    if not isinstance(update.expires_at, UnsetType):
        image = {} if update.expires_at is None else expiry_attributes(update.expires_at)
        result += _replace_attributes(("EXPIRES", "TTL"), image)
    if not isinstance(update.indexes, UnsetType):
        names = tuple(name for pair in INDEX_KEYS.values() for name in pair)
        result += _replace_attributes(names, index_attributes(update.indexes))
    return result


def _replace_attributes(names: tuple[str, ...], image: dict[str, dict[str, Any]]) -> list[Action]:
    return [_set(name, image[name]) if name in image else RemoveAction(Path([name])) for name in names]


def _set(name: str, value: dict[str, Any]) -> SetAction:
    return SetAction(Path([name]), Operand(value))


def _plain(condition: Condition) -> Expression:
    match condition:
        case Absent(attribute):
            return (_ITEM if attribute is None else Path([attribute])).does_not_exist()
        case Present(attribute):
            return (_ITEM if attribute is None else Path([attribute])).exists()
        case Equals(attribute, value):
            return Path([attribute]) == Operand(encode(value))
        case Less(attribute, value):
            return Path([attribute]) < Operand(encode(value))
        case Greater(attribute, value):
            return Path([attribute]) > Operand(encode(value))
        case And(conditions):
            return _join([_plain(each) for each in conditions], every=True)
        case Or(conditions):
            return _join([_plain(each) for each in conditions], every=False)
        case _:
            raise TypeError(f"not a condition: {condition!r}")


def _join(expressions: list[Expression], *, every: bool) -> Expression:
    result = expressions[0]
    for expression in expressions[1:]:
        result = result & expression if every else result | expression
    return result
