"""Rules for Java."""

from tree_sitter import Node

from codegraph.extraction.rules import (
    block,
    defines_function,
    defines_type,
    element,
    leaf,
    makes,
    member,
    of_type,
    refers,
    through,
    word,
)
from codegraph.extraction.summary import CALL, ELEMENT, INSTANCE, UNKNOWN, Kind
from codegraph.extraction.walker import WORD, Grammar, Link, Walker


def package(walker: Walker, node: Node, _scope: int) -> None:
    walker.package = walker.text(node.named_children[-1]) if node.named_child_count else ""


def import_(walker: Walker, node: Node, scope: int) -> None:
    named = [child for child in node.named_children if child.type in ("scoped_identifier", "identifier")]
    path = walker.text(named[0]) if named else ""
    if any(child.type == "asterisk" for child in node.named_children):
        walker.take(scope, node, path, "*")
    else:
        before, _, name = path.rpartition(".")
        walker.take(scope, node, before, name, name)


def bases(walker: Walker, node: Node) -> tuple[str, ...]:
    stated: list[str] = []
    for child in node.named_children:
        if child.type == "superclass":
            stated += [walker.type_chain(each) for each in child.named_children]
        elif child.type in ("super_interfaces", "extends_interfaces"):
            stated += [walker.type_chain(each) for types in child.named_children for each in types.named_children]
    return tuple(each.removesuffix(f".{INSTANCE}") for each in stated if each.endswith(INSTANCE))


def call(walker: Walker, node: Node, scope: int) -> None:
    before = node.child_by_field_name("object")
    name = node.child_by_field_name("name")
    walker.use(scope, name or node, walker.chain(node).removesuffix(f".{CALL}"), call=True)
    walker.go_through(node, scope, "object", "name")
    walker.go_down(before, scope)


def call_link(walker: Walker, node: Node) -> Link:
    text = walker.text(node.child_by_field_name("name"))
    return (CALL, text if WORD.fullmatch(text) else UNKNOWN), node.child_by_field_name("object")


def constructor_call(walker: Walker, node: Node, scope: int) -> None:
    """Record `this(…)` or `super(…)` in a constructor."""
    walker.use(scope, node, walker.text(node.child_by_field_name("constructor")), call=True)
    walker.go_through(node, scope, "constructor")


def fields(walker: Walker, node: Node, scope: int) -> None:
    type_ = node.child_by_field_name("type")
    stated = walker.type_chain(type_)
    kind: Kind = "field" if node.type in ("field_declaration", "constant_declaration") else "variable"
    for each in node.children_by_field_name("declarator"):
        value = each.child_by_field_name("value")
        name = walker.text(each.child_by_field_name("name"))
        walker.bind(scope, name, kind, each, stated or walker.chain(value))
        walker.go_into((value,), scope)
    walker.go_into((type_, *(child for child in node.named_children if child.type == "modifiers")), scope)


def parameter(walker: Walker, node: Node, scope: int) -> None:
    type_ = node.child_by_field_name("type") or (node.named_children[0] if node.named_child_count else None)
    named = node.child_by_field_name("name") or node.named_children[-1]
    name = walker.text(named.child_by_field_name("name") or named)
    stated = walker.type_chain(type_)
    walker.bind(scope, name, "parameter", node, stated)
    outer = walker.named_scope(scope)
    if walker.scopes[outer].kind == "class" and name:
        inner = walker.open(outer, "function", name)
        walker.bind(outer, name, "method", node, stated, opens=inner, at=inner)
    walker.go_into((type_,), scope)


def for_each(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    over = walker.chain(node.child_by_field_name("value"))
    stated = walker.type_chain(node.child_by_field_name("type")) or (f"{over}.{ELEMENT}" if over else "")
    walker.bind(inner, walker.text(node.child_by_field_name("name")), "variable", node, stated)
    walker.go_through(node, inner, "name")


def record_typed_name(walker: Walker, node: Node, scope: int) -> None:
    """Record a resource, a caught exception, or a pattern of `instanceof`."""
    type_ = node.child_by_field_name("type") or (node.named_children[0] if node.named_child_count else None)
    value = node.child_by_field_name("value")
    name = node.child_by_field_name("name")
    walker.bind(scope, walker.text(name), "variable", node, walker.type_chain(type_) or walker.chain(value))
    walker.go_through(node, scope, "name")


def instance_of(walker: Walker, node: Node, scope: int) -> None:
    name = node.child_by_field_name("name")
    if name is not None:
        walker.bind(scope, walker.text(name), "variable", name, walker.type_chain(node.child_by_field_name("right")))
    walker.go_through(node, scope, "name")


def lambda_(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open_lambda(scope, node)
    taken = node.child_by_field_name("parameters")
    names = [] if taken is None else [taken] if taken.type == "identifier" else taken.named_children
    for name in names:
        if name.type == "identifier":
            walker.bind(inner, walker.text(name), "parameter", name)
    bare = taken is not None and taken.type != "formal_parameters"
    walker.go_through(node, inner, *(("parameters",) if bare else ()))


def enum_constant(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    walker.bind(scope, name, "field", node, f"{walker.scopes[scope].name}.{INSTANCE}")
    walker.go_through(node, walker.open(scope, "object", name), "name")


def anonymous_class(walker: Walker, node: Node, scope: int) -> None:
    """Walk the body of `new Foo() { … }`, or of a type that already has its scope."""
    if walker.scopes[scope].kind in ("class", "object"):
        walker.go_through(node, scope)
        return
    inner = walker.open(scope, "class")
    walker.go_through(node, inner)


def reference_link(walker: Walker, node: Node) -> Link:
    """Read `Foo::bar`. `Foo::new` is the class."""
    parts = node.named_children
    name = walker.text(parts[-1]) if len(parts) > 1 else ""
    return ((name,) if WORD.fullmatch(name) else ()), parts[0] if parts else None


def type_parameters(walker: Walker, node: Node, scope: int) -> None:
    for each in node.named_children:
        bound = [child for child in each.named_children if child.type == "type_bound"]
        stated = walker.type_chain(bound[0].named_children[0]).removesuffix(f".{INSTANCE}") if bound else ""
        walker.bind(scope, walker.text(each.named_children[0]), "type_parameter", each, stated)
        walker.go_into(bound, scope)


JAVA = Grammar(
    visit={
        "package_declaration": package,
        "import_declaration": import_,
        "class_declaration": defines_type("class", bases=bases),
        "record_declaration": defines_type("class", bases=bases),
        "interface_declaration": defines_type("interface", bases=bases),
        "annotation_type_declaration": defines_type("interface"),
        "enum_declaration": defines_type("enum", bases=bases),
        "enum_constant": enum_constant,
        "class_body": anonymous_class,
        "method_declaration": defines_function("method", gives="type"),
        "constructor_declaration": defines_function("method", gives=""),
        "compact_constructor_declaration": defines_function("method", gives=""),
        "field_declaration": fields,
        "constant_declaration": fields,
        "local_variable_declaration": fields,
        "formal_parameter": parameter,
        "spread_parameter": parameter,
        "enhanced_for_statement": for_each,
        "resource": record_typed_name,
        "catch_formal_parameter": record_typed_name,
        "type_pattern": record_typed_name,
        "instanceof_expression": instance_of,
        "lambda_expression": lambda_,
        "block": block,
        "for_statement": block,
        "catch_clause": block,
        "method_invocation": call,
        "explicit_constructor_invocation": constructor_call,
        "object_creation_expression": makes,
        "field_access": refers,
        "scoped_type_identifier": refers,
        "method_reference": refers,
        "type_parameters": type_parameters,
    },
    links={
        "identifier": leaf,
        "type_identifier": leaf,
        "this": word("this"),
        "super": word("super"),
        "field_access": member("object", "field"),
        "scoped_identifier": member("scope", "name"),
        "scoped_type_identifier": lambda walker, node: (
            (walker.text(node.named_children[-1]),),
            node.named_children[0],
        ),
        "method_reference": reference_link,
        "method_invocation": call_link,
        "array_access": element("array"),
        "object_creation_expression": of_type(),
        "cast_expression": of_type(),
        "parenthesized_expression": through(),
    },
    references=frozenset(("identifier", "type_identifier")),
    skipped=frozenset(
        ("line_comment", "block_comment", "string_literal", "integral_type", "void_type", "marker_annotation")
    ),
)
