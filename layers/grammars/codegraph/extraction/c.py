"""Rules for C and C++."""

from tree_sitter import Node

from codegraph.extraction.rules import (
    block,
    call_step,
    calls,
    element,
    leaf,
    makes,
    of_type,
    refers,
    returns,
    through,
    word,
)
from codegraph.extraction.stated_types import stated_type
from codegraph.extraction.summary import ELEMENT, INSTANCE, UNKNOWN, Kind
from codegraph.extraction.walker import WORD, Grammar, Link, Walker

MOST_DECLARATORS = 20
_NAMES = {"operator_name", "destructor_name", *(f"{kind}identifier" for kind in ("", "field_", "type_", "qualified_"))}
MAKERS = ("make_unique", "make_shared", "static_cast", "dynamic_cast", "reinterpret_cast", "const_cast")


def include(walker: Walker, node: Node, scope: int) -> None:
    path = node.child_by_field_name("path")
    here = "./" if path is not None and path.type == "string_literal" else ""
    walker.take(scope, node, here + walker.text(path).strip('<>"'), "*")


def dotted_path(walker: Walker, node: Node | None) -> str:
    """Return `a::b<T>::c` as `a.b.c`."""
    text = walker.text(node)
    while "<" in text and ">" in text:
        before, _, rest = text.partition("<")
        text = before + rest.rpartition(">")[2]
    return text.replace("::", ".").replace(" ", "").strip(".")


def declarator_name(node: Node | None) -> tuple[Node | None, Node | None]:
    """Return the name that a declarator with its stars and brackets declares, and the function declarator around the
    name, if any."""
    function = None
    for _ in range(MOST_DECLARATORS):
        if node is None or node.type in _NAMES:
            break
        function = node if node.type == "function_declarator" else function
        parts = (each for each in node.named_children if each.type.endswith(("declarator", "identifier")))
        node = node.child_by_field_name("declarator") or next(parts, None)
    return node, function


def namespace(walker: Walker, node: Node, scope: int) -> None:
    name = dotted_path(walker, node.child_by_field_name("name"))
    walker.go_through(node, walker.open(scope, "namespace", name), "name")


def type_(walker: Walker, node: Node, scope: int) -> None:
    """Record a struct, class, union or enum that has a body. One without a body is only a reference."""
    name = node.child_by_field_name("name")
    if node.child_by_field_name("body") is None:
        walker.go_through(node, scope)
        return
    text = dotted_path(walker, name).rpartition(".")[2]
    kind: Kind = "enum" if node.type == "enum_specifier" else "class"
    inner = walker.open(scope, "class", text)
    walker.bind(scope, text, kind, node, opens=inner, bases=bases(walker, node))
    walker.go_through(node, inner, "name")


def bases(walker: Walker, node: Node) -> tuple[str, ...]:
    clauses = [child for child in node.named_children if child.type == "base_class_clause"]
    named = [each for each in (clauses[0].named_children if clauses else ()) if each.type != "access_specifier"]
    return tuple(filter(None, (dotted_path(walker, each) for each in named)))


def function(walker: Walker, node: Node, scope: int) -> None:
    name, declarator = declarator_name(node.child_by_field_name("declarator"))
    path = dotted_path(walker, name)
    owner, _, last = path.rpartition(".")
    if not last or declarator is None:
        walker.go_through(node, scope)
        return
    outer = walker.open(scope, "extension", owner, owner) if owner else walker.named_scope(scope)
    inner = walker.open(outer, "function", last)
    kind: Kind = "method" if owner or walker.scopes[outer].kind == "class" else "function"
    static = walker.scopes[outer].kind == "module" and any(
        walker.text(each) == "static" for each in node.named_children if each.type == "storage_class_specifier"
    )
    stated = walker.type_chain(node.child_by_field_name("type"))
    walker.bind(outer, last, kind, node, stated, opens=inner, at=inner, hidden=static)
    walker.go_into((declarator.child_by_field_name("parameters"),), inner)
    walker.go_through(node, inner, "declarator")


def declaration(walker: Walker, node: Node, scope: int) -> None:
    """Record variables, fields, and functions that have no body."""
    type_node = node.child_by_field_name("type")
    stated = walker.type_chain(type_node)
    where = walker.scopes[scope]
    kind: Kind = "field" if where.kind == "class" else "constant" if where.kind == "module" else "variable"
    for each in node.children_by_field_name("declarator"):
        name, function_declarator = declarator_name(each)
        text = walker.text(name)
        if function_declarator is not None and each.type != "init_declarator":
            method = where.kind == "class"
            walker.bind(scope, text, "method" if method else "prototype", node, stated)
        else:
            value = each.child_by_field_name("value")
            array = each.type == "array_declarator" and stated
            walker.bind(scope, text, kind, each, f"{stated}.+[]" if array else stated or walker.chain(value))
            walker.go_into((value,), scope)
    walker.go_into((type_node, node.child_by_field_name("default_value")), scope)


def parameter(walker: Walker, node: Node, scope: int) -> None:
    name, _ = declarator_name(node.child_by_field_name("declarator"))
    type_node = node.child_by_field_name("type")
    walker.bind(scope, walker.text(name), "parameter", node, walker.type_chain(type_node))
    walker.go_into((type_node, node.child_by_field_name("default_value")), scope)


def for_range(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    name, _ = declarator_name(node.child_by_field_name("declarator"))
    over = walker.chain(node.child_by_field_name("right"))
    stated = walker.type_chain(node.child_by_field_name("type")) or (f"{over}.{ELEMENT}" if over else "")
    walker.bind(inner, walker.text(name), "variable", node, stated)
    walker.go_through(node, inner, "declarator")


def lambda_(walker: Walker, node: Node, scope: int) -> None:
    walker.go_through(node, walker.open_lambda(scope, node))


def alias(walker: Walker, node: Node, scope: int) -> None:
    """Record `using A = B` or `typedef B A`."""
    name = node.child_by_field_name("name") or node.child_by_field_name("declarator")
    type_node = node.child_by_field_name("type")
    inner = (
        type_node.child_by_field_name("name")
        if type_node is not None and type_node.type.endswith("specifier")
        else None
    )
    text = walker.text(name)
    stated = f"{walker.text(inner)}.{INSTANCE}" if inner is not None else walker.type_chain(type_node)
    if stated != f"{text}.{INSTANCE}":
        walker.bind(scope, text, "type", node, stated)
    walker.go_into((type_node,), scope)


def using(walker: Walker, node: Node, scope: int) -> None:
    """Record `using namespace a` or `using a::B`."""
    path = dotted_path(walker, node.named_children[0]) if node.named_child_count else ""
    before, _, name = path.rpartition(".")
    if any(child.type == "namespace" for child in node.children):
        walker.take(scope, node, f"::{path}", "*")
    elif before:
        walker.take(scope, node, f"::{before}", name, name)


def macro(walker: Walker, node: Node, scope: int) -> None:
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "function", node)


def initializer(walker: Walker, node: Node, scope: int) -> None:
    """Record `: field(value)` of a constructor."""
    walker.go_into(node.named_children[1:], scope)


def qualified_link(walker: Walker, node: Node) -> Link:
    links = dotted_path(walker, node).split(".")
    return (tuple(reversed(links)) if all(map(WORD.fullmatch, links)) else (UNKNOWN,)), None


def field_link(walker: Walker, node: Node) -> Link:
    name = node.child_by_field_name("field")
    text = dotted_path(walker, name)
    return (text if WORD.fullmatch(text) else UNKNOWN,), node.child_by_field_name("argument")


def template_link(walker: Walker, node: Node) -> Link:
    name = node.child_by_field_name("name")
    return leaf(walker, name) if name is not None else ((UNKNOWN,), None)


def call_link(walker: Walker, node: Node) -> Link:
    """Read a call. Casts and `make_unique<Foo>()` state their type."""
    callee = walker.text(node.child_by_field_name("function"))
    if "<" in callee and callee.partition("<")[0].rpartition(":")[2] in MAKERS:
        stated = stated_type(callee.partition("<")[2].rpartition(">")[0])
        return (tuple(reversed(stated.split("."))) if stated else (UNKNOWN,)), None
    return call_step()(walker, node)


C = Grammar(
    visit={
        "preproc_include": include,
        "preproc_function_def": macro,
        "namespace_definition": namespace,
        "struct_specifier": type_,
        "class_specifier": type_,
        "union_specifier": type_,
        "enum_specifier": type_,
        "enumerator": lambda walker, node, scope: walker.bind(
            walker.scopes[scope].parent, walker.text(node.child_by_field_name("name")), "field", node
        ),
        "function_definition": function,
        "declaration": declaration,
        "field_declaration": declaration,
        "parameter_declaration": parameter,
        "optional_parameter_declaration": parameter,
        "for_range_loop": for_range,
        "lambda_expression": lambda_,
        "alias_declaration": alias,
        "type_definition": alias,
        "using_declaration": using,
        "field_initializer": initializer,
        "compound_statement": block,
        "for_statement": block,
        "return_statement": returns,
        "call_expression": calls(),
        "new_expression": makes,
        "field_expression": refers,
        "qualified_identifier": refers,
    },
    links={
        "identifier": leaf,
        "type_identifier": leaf,
        "field_identifier": leaf,
        "namespace_identifier": leaf,
        "this": word("this"),
        "field_expression": field_link,
        "qualified_identifier": qualified_link,
        "template_function": template_link,
        "template_method": template_link,
        "template_type": template_link,
        "call_expression": call_link,
        "subscript_expression": element("argument"),
        "new_expression": of_type(),
        "cast_expression": of_type(),
        "compound_literal_expression": of_type(),
        "pointer_expression": through("argument"),
        "parenthesized_expression": through(),
    },
    references=frozenset(("identifier", "type_identifier")),
    skipped=frozenset(("comment", "string_literal", "primitive_type", "access_specifier", "preproc_arg")),
)
