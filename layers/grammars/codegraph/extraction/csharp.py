"""Rules for C#."""

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
    makes,
    member,
    of_type,
    refers,
    returns,
    through,
    unwrap_step,
    word,
)
from codegraph.extraction.summary import ELEMENT, INSTANCE, Kind
from codegraph.extraction.walker import Grammar, Link, Walker


def using(walker: Walker, node: Node, scope: int) -> None:
    """Record `using A.B;`, `using static A.B;` or `using X = A.B;`."""
    alias = walker.text(node.child_by_field_name("name"))
    path = walker.text(node.named_children[-1]) if node.named_child_count else ""
    before, _, name = path.rpartition(".")
    if alias:
        walker.take(scope, node, before or name, name if before else "", alias)
    else:
        walker.take(scope, node, path, "*")


def namespace(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    walker.package = walker.package or name
    inner = walker.open(scope, "namespace", name)
    walker.go_through(node, inner, "name")


def unit(walker: Walker, node: Node, scope: int) -> None:
    """Walk a file, and put everything that follows `namespace A;` into that namespace."""
    inner = scope
    opened: list[tuple[Node, int]] = []
    for child in node.named_children:
        if child.type == "file_scoped_namespace_declaration":
            name = walker.text(child.child_by_field_name("name"))
            walker.package = name
            inner = walker.open(scope, "namespace", name)
            opened += [(each, inner) for each in child.named_children[1:]]
        else:
            opened.append((child, inner))
    for each, where in reversed(opened):
        walker.go_into((each,), where)


def bases(walker: Walker, node: Node) -> tuple[str, ...]:
    lists = [child for child in node.named_children if child.type == "base_list"]
    stated = [walker.type_chain(each) for each in (lists[0].named_children if lists else ())]
    return tuple(each.removesuffix(f".{INSTANCE}") for each in stated if each.endswith(INSTANCE))


def variables(walker: Walker, node: Node, scope: int) -> None:
    """Record fields and local variables: `Foo a = …, b;`."""
    type_ = node.child_by_field_name("type")
    stated = walker.type_chain(type_)
    kind: Kind = "field" if walker.scopes[scope].kind in ("class", "object") else "variable"
    for each in node.named_children:
        if each.type == "variable_declarator":
            parts = each.named_children
            value = parts[-1] if len(parts) > 1 else None
            name = each.child_by_field_name("name") or (parts[0] if parts else None)
            walker.bind(scope, walker.text(name), kind, each, stated or walker.chain(value))
            walker.go_into((value,), scope)
    walker.go_into((type_,), scope)


def property_(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    stated = walker.type_chain(node.child_by_field_name("type"))
    inner = walker.open(scope, "function", name)
    walker.bind(scope, name, "field", node, stated, opens=inner)
    walker.go_through(node, inner, "name")


def parameter(walker: Walker, node: Node, scope: int) -> None:
    type_ = node.child_by_field_name("type")
    name = node.child_by_field_name("name")
    stated = walker.type_chain(type_)
    walker.bind(scope, walker.text(name if name is not None else node), "parameter", node, stated)
    outer = walker.named_scope(scope)
    if walker.scopes[outer].kind == "class":
        walker.bind(outer, walker.text(name), "field", node, stated)
    walker.go_through(node, scope, "name")


def for_each(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    over = walker.chain(node.child_by_field_name("right"))
    stated = walker.type_chain(node.child_by_field_name("type")) or (f"{over}.{ELEMENT}" if over else "")
    walker.bind(inner, walker.text(node.child_by_field_name("left")), "variable", node, stated)
    walker.go_through(node, inner, "left")


def record_typed_name(walker: Walker, node: Node, scope: int) -> None:
    stated = walker.type_chain(node.child_by_field_name("type"))
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "variable", node, stated)
    walker.go_through(node, scope, "name")


def lambda_(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open_lambda(scope, node)
    taken = node.child_by_field_name("parameters")
    if taken is not None and taken.type in ("implicit_parameter", "identifier"):
        walker.bind(inner, walker.text(taken), "parameter", taken)
        walker.go_through(node, inner, "parameters")
    else:
        walker.go_through(node, inner)


def constructor_call(walker: Walker, node: Node, scope: int) -> None:
    """Record `: base(…)` or `: this(…)` of a constructor."""
    base = any(child.type == "base" for child in node.children)
    walker.use(scope, node, "super" if base else "this", call=True)
    walker.go_through(node, scope)


def generic_link(walker: Walker, node: Node) -> Link:
    return leaf(walker, node.named_children[0]) if node.named_child_count else ((), None)


def member_link(walker: Walker, node: Node) -> Link:
    name = node.child_by_field_name("name")
    if name is not None and name.type == "generic_name" and name.named_child_count:
        name = name.named_children[0]
    before = node.child_by_field_name("expression")
    links = leaf(walker, name)[0] if name is not None else ()
    if before is None:
        marks = node.children[0].type if node.child_count else ""
        return ((*links, "super" if marks == "base" else "this"), None)
    return links, before


def conditional_link(walker: Walker, node: Node) -> Link:
    """Read `a?.B` as `a.B`."""
    parts = node.named_children
    bound = [each for each in parts if each.type == "member_binding_expression"]
    names = leaf(walker, bound[0].named_children[0])[0] if bound and bound[0].named_child_count else ()
    return names or ("?",), parts[0] if names else None


def record_conditional_call(walker: Walker, node: Node, scope: int) -> None:
    """Record the call `a?.B()`. The grammar puts the call either below or above the access."""
    callee = node.child_by_field_name("function")
    if callee is not None and callee.type == "conditional_access_expression":
        walker.use(scope, last_name(callee), walker.chain(callee), call=True)
        walker.go_into(callee.named_children[:1], scope)
        walker.go_through(node, scope, "function")
    elif callee is not None and callee.type == "member_binding_expression":
        name = callee.named_children[0] if callee.named_child_count else callee
        walker.use(scope, name, f"?.{walker.text(name)}", call=True)
        walker.go_through(node, scope, "function")
    else:
        _calls(walker, node, scope)


_calls = calls()

CSHARP = Grammar(
    visit={
        "compilation_unit": unit,
        "using_directive": using,
        "namespace_declaration": namespace,
        "class_declaration": defines_type("class", bases=bases),
        "struct_declaration": defines_type("class", bases=bases),
        "record_declaration": defines_type("class", bases=bases),
        "interface_declaration": defines_type("interface", bases=bases),
        "enum_declaration": defines_type("enum"),
        "enum_member_declaration": lambda walker, node, scope: walker.bind(
            scope, walker.text(node.child_by_field_name("name")), "field", node
        ),
        "delegate_declaration": defines_type("type"),
        "method_declaration": defines_function("method", gives="returns"),
        "constructor_declaration": defines_function("method", gives=""),
        "local_function_statement": defines_function("function", gives="type"),
        "property_declaration": property_,
        "variable_declaration": variables,
        "parameter": parameter,
        "foreach_statement": for_each,
        "declaration_pattern": record_typed_name,
        "catch_declaration": record_typed_name,
        "lambda_expression": lambda_,
        "anonymous_method_expression": lambda_,
        "block": block,
        "for_statement": block,
        "catch_clause": block,
        "return_statement": returns,
        "invocation_expression": record_conditional_call,
        "constructor_initializer": constructor_call,
        "object_creation_expression": makes,
        "member_access_expression": refers,
        "qualified_name": refers,
    },
    links={
        "identifier": leaf,
        "this": word("this"),
        "base": word("super"),
        "this_expression": word("this"),
        "base_expression": word("super"),
        "generic_name": generic_link,
        "member_access_expression": member_link,
        "qualified_name": member("qualifier", "name"),
        "conditional_access_expression": conditional_link,
        "invocation_expression": call_step(),
        "element_access_expression": element("expression"),
        "object_creation_expression": of_type(),
        "cast_expression": of_type(),
        "as_expression": of_type("right"),
        "await_expression": unwrap_step(),
        "parenthesized_expression": through(),
        "postfix_unary_expression": through(),
    },
    references=frozenset(("identifier",)),
    skipped=frozenset(("comment", "string_literal", "predefined_type", "modifier", "implicit_type")),
)
