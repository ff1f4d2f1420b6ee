"""Rules for JavaScript and TypeScript."""

from tree_sitter import Node

from codegraph.extraction.rules import (
    block,
    call_step,
    calls,
    defines_function,
    defines_type,
    element,
    last_name,
    leaf,
    member,
    refers,
    returns,
    through,
    unwrap_step,
    word,
)
from codegraph.extraction.script_modules import export, import_
from codegraph.extraction.script_values import (
    FUNCTIONS,
    arrow,
    assignment,
    bases,
    catch,
    loop,
    parameters,
    record_field,
    shorthand,
    variable,
)
from codegraph.extraction.summary import INSTANCE, UNKNOWN
from codegraph.extraction.walker import Grammar, Link, Walker


def record_construction(walker: Walker, node: Node, scope: int) -> None:
    maker = node.child_by_field_name("constructor")
    walker.use(scope, node if maker is None else last_name(maker), walker.chain(maker), call=True)
    walker.go_through(node, scope, "constructor")
    walker.go_down(maker, scope)


def new(walker: Walker, node: Node) -> Link:
    stated = walker.type_chain(node.child_by_field_name("constructor"))
    return (tuple(reversed(stated.split("."))) if stated else (UNKNOWN,)), None


def namespace(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name")).strip("'\"")
    inner = walker.open(scope, "namespace", name)
    walker.bind(scope, name, "namespace", node, opens=inner)
    walker.go_through(node, inner, "name")


def type_parameter(walker: Walker, node: Node, scope: int) -> None:
    stated = walker.type_chain(node.child_by_field_name("constraint")).removesuffix(f".{INSTANCE}")
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "type_parameter", node, stated)
    walker.go_through(node, scope, "name")


def type_alias(walker: Walker, node: Node, scope: int) -> None:
    name, value = walker.text(node.child_by_field_name("name")), node.child_by_field_name("value")
    inner = walker.open(scope, "class", name)
    walker.bind(scope, name, "type", node, walker.type_chain(value), opens=inner, at=inner)
    if value is not None and value.type == "object_type":
        walker.go_through(value, inner)
    else:
        walker.go_through(node, inner, "name")


def without_name(walker: Walker, node: Node, scope: int) -> None:
    """Walk an object that has no name. Its members belong to nothing."""
    walker.go_through(node, walker.open(scope, "object"))


def enum_body(walker: Walker, node: Node, scope: int) -> None:
    for child in node.named_children:
        named = child.child_by_field_name("name") if child.type == "enum_assignment" else child
        walker.bind(scope, walker.text(named), "field", child)


def of_second(walker: Walker, node: Node) -> Link:
    """Read `x as Foo` as a Foo. `x as const` states no type."""
    parts = node.named_children
    stated = walker.type_chain(parts[1]) if len(parts) == 2 else ""
    return ((), parts[0]) if not stated and parts else (tuple(reversed(stated.split("."))) or (UNKNOWN,), None)


SCRIPTS = Grammar(
    visit={
        "function_declaration": defines_function(),
        "generator_function_declaration": defines_function(),
        "function_signature": defines_function(),
        "method_definition": defines_function("method"),
        "method_signature": defines_function("method"),
        "abstract_method_signature": defines_function("method"),
        "class_declaration": defines_type("class", bases=bases),
        "abstract_class_declaration": defines_type("class", bases=bases),
        "interface_declaration": defines_type("interface", bases=bases),
        "enum_declaration": defines_type("enum"),
        "enum_body": enum_body,
        "type_alias_declaration": type_alias,
        "type_parameter": type_parameter,
        "internal_module": namespace,
        "module": namespace,
        **dict.fromkeys(FUNCTIONS, arrow),
        "object": without_name,
        "object_type": without_name,
        "formal_parameters": parameters,
        "variable_declarator": variable,
        "public_field_definition": record_field,
        "field_definition": record_field,
        "property_signature": record_field,
        "pair": record_field,
        "shorthand_property_identifier": shorthand,
        "assignment_expression": assignment,
        "statement_block": block,
        "for_in_statement": loop,
        "for_statement": block,
        "catch_clause": catch,
        "return_statement": returns,
        "call_expression": calls(),
        "new_expression": record_construction,
        "member_expression": refers,
        "nested_type_identifier": refers,
        "import_statement": import_,
        "export_statement": export,
    },
    links={
        "identifier": leaf,
        "type_identifier": leaf,
        "property_identifier": leaf,
        "this": word("this"),
        "super": word("super"),
        "member_expression": member("object", "property"),
        "nested_type_identifier": member("module", "name"),
        "nested_identifier": member("object", "property"),
        "call_expression": call_step(),
        "subscript_expression": element("object"),
        "new_expression": new,
        "as_expression": of_second,
        "satisfies_expression": through(),
        "non_null_expression": through(),
        "parenthesized_expression": through(),
        "await_expression": unwrap_step(),
        "instantiation_expression": through(),
    },
    references=frozenset(("identifier", "type_identifier")),
    skipped=frozenset(("comment", "string", "template_literal_type", "regex", "import_specifier", "predefined_type")),
)
