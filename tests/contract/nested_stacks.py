"""A template and its nested stacks read as one, as if everything stood in the outermost."""

import re
from collections.abc import Mapping
from typing import Any

Template = dict[str, Any]

_NAMED = re.compile(r"\$\{(\w+)\}")
_LOOP = "Fn::ForEach::"


def expand_loops(resources: Template, given: Mapping[str, Any]) -> Template:
    """Return the resources with Fn::ForEach expanded, for parameters with these values."""
    found: Template = {}
    for name, of in resources.items():
        if not name.startswith(_LOOP):
            found[name] = of
            continue
        variable, items, body = of
        for item in given[items["Ref"]].split(",") if isinstance(items, dict) else items:
            bound = _ParameterValues({variable: item})
            for key, resource in body.items():
                found[_fill_in(key, variable, item)] = bound.put_into(resource)
    return found


def _fill_in(key: str, variable: str, item: str) -> str:
    return key.replace(f"${{{variable}}}", item).replace(f"&{{{variable}}}", re.sub(r"[^A-Za-z0-9]", "", item))


def inline_stacks(resources: Template, nested: Mapping[str, Template]) -> Template:
    """Return the resources of all these stacks by their logical ids.

    Parameters are replaced by the outermost stack's arguments and outputs by their values. Raises ValueError if two
    stacks use one id.
    """
    found = {name: of for name, of in resources.items() if name not in nested}
    outputs: Template = {}
    for stack, template in nested.items():
        given = _ParameterValues(resources[stack]["Properties"]["Parameters"])
        for name, of in given.put_into(expand_loops(template["Resources"], given.values)).items():
            if name in found:
                raise ValueError(f"{name} is in two stacks")
            found[name] = of
        for name, of in template.get("Outputs", {}).items():
            outputs[f"{stack}.Outputs.{name}"] = given.put_into(of["Value"])
    return _read_outputs(found, outputs)


def _read_outputs(node: Any, outputs: Template) -> Any:
    match node:
        case {"GetAtt": str(name)} if name in outputs:
            return outputs[name]
        case dict():
            return {key: _read_outputs(value, outputs) for key, value in _items(node)}
        case list():
            return [_read_outputs(each, outputs) for each in _as_list(node)]
        case _:
            return node


class _ParameterValues:
    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values

    def put_into(self, node: Any) -> Any:
        match node:
            case {"Ref": str(name)} if name in self.values:
                return self.values[name]
            case {"Sub": str(text)}:
                filled = _NAMED.sub(self._in_text, text)
                return {"Sub": filled} if "${" in filled else filled
            case dict():
                return {key: self.put_into(value) for key, value in _items(node)}
            case list():
                return [self.put_into(each) for each in _as_list(node)]
            case _:
                return node

    def _in_text(self, found: re.Match[str]) -> str:
        match self.values.get(found[1]):
            case {"Ref": name} | {"GetAtt": name}:
                return f"${{{name}}}"
            case {"Sub": text}:
                return str(text)
            case str(text):
                return text
            case _:
                return found[0]


def _items(node: Any) -> list[tuple[str, Any]]:
    return list(node.items())


def _as_list(node: Any) -> list[Any]:
    return list(node)
