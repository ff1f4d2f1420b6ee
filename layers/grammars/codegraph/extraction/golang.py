"""Rules for Go."""

from tree_sitter import Node

from codegraph.extraction.rules import (
    block,
    call_step,
    calls,
    element,
    function_without_name,
    leaf,
    member,
    of_type,
    refers,
    returns,
    through,
)
from codegraph.extraction.stated_types import stated_type
from codegraph.extraction.summary import ELEMENT, INSTANCE, UNKNOWN, Kind
from codegraph.extraction.walker import Grammar, Link, Walker


def package(walker: Walker, node: Node, _scope: int) -> None:
    walker.package = walker.text(node.named_children[0]) if node.named_child_count else ""


def import_(walker: Walker, node: Node, scope: int) -> None:
    module = walker.text(node.child_by_field_name("path")).strip('"`')
    alias = walker.text(node.child_by_field_name("name"))
    if alias == ".":
        walker.take(scope, node, module, "*")
    else:
        walker.take(scope, node, module, "", alias or module.rpartition("/")[2])


def result_type(walker: Walker, node: Node) -> str:
    """Return the type of a function's result, or of its first result."""
    result = node.child_by_field_name("result")
    if result is not None and result.type == "parameter_list":
        first = result.named_children[0] if result.named_child_count else None
        result = first.child_by_field_name("type") if first is not None else None
    return walker.type_chain(result)


def function(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    inner = walker.open(scope, "function", name)
    walker.bind(scope, name, "function", node, result_type(walker, node), opens=inner, at=inner)
    walker.go_through(node, inner, "name")


def method(walker: Walker, node: Node, scope: int) -> None:
    receiver = node.child_by_field_name("receiver")
    held = receiver.named_children[0] if receiver is not None and receiver.named_child_count else None
    stated = walker.type_chain(held.child_by_field_name("type")) if held is not None else ""
    owner = stated.removesuffix(f".{INSTANCE}")
    extension = walker.open(scope, "extension", owner, owner)
    name = walker.text(node.child_by_field_name("name"))
    inner = walker.open(extension, "function", name)
    walker.bind(extension, name, "method", node, result_type(walker, node), opens=inner, at=inner)
    if held is not None:
        walker.bind(inner, walker.text(held.child_by_field_name("name")), "parameter", held, stated)
    walker.go_through(node, inner, "name", "receiver")


def interface_method(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    inner = walker.open(scope, "function", name)
    walker.bind(scope, name, "method", node, result_type(walker, node), opens=inner, at=inner)
    walker.go_through(node, inner, "name")


def type_(walker: Walker, node: Node, scope: int) -> None:
    name, value = walker.text(node.child_by_field_name("name")), node.child_by_field_name("type")
    inner = walker.open(scope, "class", name)
    if value is None or value.type not in ("struct_type", "interface_type"):
        walker.bind(scope, name, "type", node, walker.type_chain(value), opens=inner)
        walker.go_into((value,), scope)
        return
    kind: Kind = "class" if value.type == "struct_type" else "interface"
    walker.bind(scope, name, kind, node, opens=inner, bases=embedded_types(walker, value))
    walker.go_through(node, inner, "name")


def embedded_types(walker: Walker, node: Node) -> tuple[str, ...]:
    """Return the structs and interfaces that a type embeds, whose methods it has: fields without a name, and elements
    of an interface."""
    lists = [child for child in node.named_children if child.type == "field_declaration_list"]
    stated: list[str] = []
    for field in lists[0].named_children if lists else node.named_children:
        if field.type == "field_declaration" and field.child_by_field_name("name") is None:
            stated.append(walker.type_chain(field.child_by_field_name("type")))
        elif field.type == "type_elem":
            stated.append(walker.type_chain(field))
    return tuple(each.removesuffix(f".{INSTANCE}") for each in stated if each.endswith(INSTANCE))


def field(walker: Walker, node: Node, scope: int) -> None:
    type_node = node.child_by_field_name("type")
    stated = walker.type_chain(type_node)
    names = node.children_by_field_name("name")
    for name in names:
        walker.bind(scope, walker.text(name), "field", name, stated, at=walker.scopes[scope].parent)
    if not names and stated:
        walker.bind(scope, stated.split(".")[-2], "field", node, stated, at=walker.scopes[scope].parent)
    walker.go_into((type_node,), scope)


def parameter(walker: Walker, node: Node, scope: int) -> None:
    type_node = node.child_by_field_name("type")
    stated = walker.type_chain(type_node)
    if node.type == "variadic_parameter_declaration" and stated:
        stated = stated_type(f"[]{walker.text(type_node)}")
    for name in node.children_by_field_name("name"):
        walker.bind(scope, walker.text(name), "parameter", name, stated)
    walker.go_into((type_node,), scope)


def variables(walker: Walker, node: Node, scope: int) -> None:
    """Record `var x, y T = …` or `const X = 1`, with one type for all names or a value for each."""
    stated = walker.type_chain(node.child_by_field_name("type"))
    held = node.child_by_field_name("value")
    names = node.children_by_field_name("name")
    _bind_each(walker, scope, names, held, stated)
    walker.go_into((node.child_by_field_name("type"), held), scope)


def assignment(walker: Walker, node: Node, scope: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None:
        _bind_each(walker, scope, left.named_children, right, "")
    walker.go_into((right,), scope)


def _bind_each(walker: Walker, scope: int, names: list[Node], held: Node | None, stated: str) -> None:
    values = held.named_children if held is not None else []
    kind: Kind = "variable" if scope else "constant"
    for at, name in enumerate(names):
        alone = len(values) != len(names) and at > 0
        value = "" if alone or not values else walker.chain(values[min(at, len(values) - 1)])
        walker.bind(scope, walker.text(name), kind, name, stated or value)


def range_clause(walker: Walker, node: Node, scope: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    over = walker.chain(right)
    for at, name in enumerate(left.named_children if left is not None else ()):
        walker.bind(scope, walker.text(name), "variable", name, f"{over}.{ELEMENT}" if at else "")
    walker.go_into((right,), scope)


def type_switch(walker: Walker, node: Node, scope: int) -> None:
    alias = node.child_by_field_name("alias")
    name = alias.named_children[0] if alias is not None and alias.named_child_count else None
    for child in reversed(node.named_children):
        inner = walker.open(scope, "block")
        types = child.children_by_field_name("type") if child.type == "type_case" else []
        if name is not None and child.type in ("type_case", "default_case"):
            stated = walker.type_chain(types[0]) if len(types) == 1 else ""
            walker.bind(inner, walker.text(name), "variable", name, stated)
        if alias is None or child.id != alias.id:
            walker.go_into((child,), inner)


def call(walker: Walker, node: Node, scope: int) -> None:
    callee = node.child_by_field_name("function")
    if walker.text(callee) in ("make", "new"):
        walker.go_through(node, scope, "function")
    else:
        _calls(walker, node, scope)


_calls = calls()


def call_link(walker: Walker, node: Node) -> Link:
    """Read a call. `new(T)` and `make(T)` state their type."""
    callee, arguments = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if walker.text(callee) not in ("make", "new"):
        return call_step()(walker, node)
    given = arguments.named_children if arguments is not None else []
    stated = walker.type_chain(given[0]) if given else ""
    return (tuple(reversed(stated.split("."))) if stated else (UNKNOWN,)), None


def walk_keyed_element(walker: Walker, node: Node, scope: int) -> None:
    """Walk an element of `S{a: x}`: the key is a field, and the value is an expression."""
    walker.go_into((node.child_by_field_name("value"),), scope)


GO = Grammar(
    visit={
        "package_clause": package,
        "import_spec": import_,
        "function_declaration": function,
        "method_declaration": method,
        "method_elem": interface_method,
        "func_literal": function_without_name,
        "type_spec": type_,
        "type_alias": type_,
        "field_declaration": field,
        "parameter_declaration": parameter,
        "variadic_parameter_declaration": parameter,
        "type_parameter_declaration": parameter,
        "var_spec": variables,
        "const_spec": variables,
        "short_var_declaration": assignment,
        "range_clause": range_clause,
        "type_switch_statement": type_switch,
        "block": block,
        "if_statement": block,
        "for_statement": block,
        "expression_case": block,
        "communication_case": block,
        "return_statement": returns,
        "call_expression": call,
        "selector_expression": refers,
        "qualified_type": refers,
        "keyed_element": walk_keyed_element,
    },
    links={
        "identifier": leaf,
        "type_identifier": leaf,
        "field_identifier": leaf,
        "package_identifier": leaf,
        "selector_expression": member("operand", "field"),
        "qualified_type": member("package", "name"),
        "call_expression": call_link,
        "index_expression": element("operand"),
        "slice_expression": through("operand"),
        "composite_literal": of_type(),
        "type_assertion_expression": of_type(),
        "type_conversion_expression": of_type(),
        "type_instantiation_expression": through(),
        "unary_expression": through("operand"),
        "parenthesized_expression": through(),
        "expression_list": through(),
    },
    references=frozenset(("identifier", "type_identifier")),
    skipped=frozenset(("comment", "interpreted_string_literal", "raw_string_literal", "literal_element_key")),
)
"""The `unary_expression` rule treats taking an address and reading through a pointer as the same thing."""
