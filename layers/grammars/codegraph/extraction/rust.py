"""Rules for Rust."""

from tree_sitter import Node

from codegraph.extraction.rules import (
    block,
    call_step,
    calls,
    defines_function,
    defines_type,
    leaf,
    member,
    of_type,
    refers,
    through,
    unwrap_step,
    word,
)
from codegraph.extraction.summary import ELEMENT, INSTANCE, UNWRAPPED, Kind
from codegraph.extraction.walker import Grammar, Walker


def path_of(walker: Walker, node: Node | None) -> str:
    return walker.text(node).replace("::", ".").replace(" ", "").replace("\n", "").lstrip(".")


def use(walker: Walker, node: Node, scope: int) -> None:
    """Record one import for each name of `use a::{b, c as d, e::*}`. A `pub use` also exports the names."""
    public = any(child.type == "visibility_modifier" for child in node.named_children)
    waiting = [(node.child_by_field_name("argument"), "")]
    while waiting:
        each, before = waiting.pop()
        if each is None:
            continue
        match each.type:
            case "scoped_use_list":
                path = _under(before, path_of(walker, each.child_by_field_name("path")))
                waiting.append((each.child_by_field_name("list"), path))
            case "use_list":
                waiting += [(child, before) for child in reversed(each.named_children)]
            case "use_as_clause":
                path = _under(before, path_of(walker, each.child_by_field_name("path")))
                _take(walker, each, scope, path, walker.text(each.child_by_field_name("alias")), public=public)
            case "use_wildcard":
                path = _under(before, path_of(walker, each.named_children[0]) if each.named_child_count else "")
                walker.take(scope, each, path, "*")
                if public:
                    walker.export("*", "", path)
            case "self":
                _take(walker, each, scope, before, before.rpartition(".")[2], public=public)
            case _:
                path = _under(before, path_of(walker, each))
                _take(walker, each, scope, path, path.rpartition(".")[2], public=public)


def _under(before: str, path: str) -> str:
    return f"{before}.{path}" if before and path else before or path


def _take(walker: Walker, node: Node, scope: int, path: str, alias: str, *, public: bool) -> None:
    module, _, name = path.rpartition(".")
    walker.take(scope, node, module or name, name if module else "", alias)
    if public:
        walker.export(alias, name, module)


def module(walker: Walker, node: Node, scope: int) -> None:
    """Record `mod x;`, which is a file, or `mod x { … }`, whose content follows."""
    name = walker.text(node.child_by_field_name("name"))
    if node.child_by_field_name("body") is None:
        walker.take(scope, node, f"self.{name}", "", name)
        return
    inner = walker.open(scope, "namespace", name)
    walker.bind(scope, name, "namespace", node, opens=inner)
    walker.go_through(node, inner, "name")


def bounds(walker: Walker, node: Node) -> tuple[str, ...]:
    found = node.child_by_field_name("bounds")
    stated = [walker.type_chain(each) for each in (found.named_children if found is not None else ())]
    return tuple(each.removesuffix(f".{INSTANCE}") for each in stated if each.endswith(INSTANCE))


def implements(walker: Walker, node: Node, scope: int) -> None:
    owner = walker.type_chain(node.child_by_field_name("type")).removesuffix(f".{INSTANCE}")
    trait = walker.type_chain(node.child_by_field_name("trait")).removesuffix(f".{INSTANCE}")
    bases = (trait,) if trait else ()
    inner = walker.open(scope, "extension", owner.rpartition(".")[2], owner, bases)
    walker.go_through(node, inner)


def let(walker: Walker, node: Node, scope: int) -> None:
    value = node.child_by_field_name("value")
    stated = walker.type_chain(node.child_by_field_name("type")) or walker.chain(value)
    _bind_pattern(walker, node.child_by_field_name("pattern"), scope, "variable", stated)
    walker.go_through(node, scope, "pattern")


def parameter(walker: Walker, node: Node, scope: int) -> None:
    stated = walker.type_chain(node.child_by_field_name("type"))
    _bind_pattern(walker, node.child_by_field_name("pattern"), scope, "parameter", stated)
    walker.go_into((node.child_by_field_name("type"),), scope)


def closure(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open_lambda(scope, node, walker.type_chain(node.child_by_field_name("return_type")))
    taken = node.child_by_field_name("parameters")
    for each in taken.named_children if taken is not None else ():
        if each.type == "parameter":
            parameter(walker, each, inner)
        else:
            _bind_pattern(walker, each, inner, "parameter", "")
    walker.go_through(node, inner, "parameters")


def loop(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    over = walker.chain(node.child_by_field_name("value"))
    _bind_pattern(walker, node.child_by_field_name("pattern"), inner, "variable", f"{over}.{ELEMENT}" if over else "")
    walker.go_through(node, inner, "pattern")


def arm(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    _bind_pattern(walker, node.child_by_field_name("pattern"), inner, "variable", "")
    walker.go_through(node, inner, "pattern")


def field(walker: Walker, node: Node, scope: int) -> None:
    type_ = node.child_by_field_name("type")
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "field", node, walker.type_chain(type_))
    walker.go_into((type_,), scope)


def variant(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    walker.bind(scope, name, "field", node, f"Self.{INSTANCE}")
    walker.go_through(node, walker.open(scope, "object", name), "name")


def constant(walker: Walker, node: Node, scope: int) -> None:
    stated = walker.type_chain(node.child_by_field_name("type")) or walker.chain(node.child_by_field_name("value"))
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "constant", node, stated)
    walker.go_through(node, scope, "name")


def alias(walker: Walker, node: Node, scope: int) -> None:
    stated = walker.type_chain(node.child_by_field_name("type"))
    walker.bind(scope, walker.text(node.child_by_field_name("name")), "type", node, stated)
    walker.go_through(node, scope, "name")


def macro(walker: Walker, node: Node, scope: int) -> None:
    """Record the calls in a macro's arguments. The parser does not read them, so each name before a bracket counts as a
    call."""
    trees = [child for child in node.named_children if child.type == "token_tree"]
    while trees:
        tokens = trees.pop().children
        for at, token in enumerate(tokens):
            if token.type == "token_tree":
                trees.append(token)
                if at and tokens[at - 1].type == "identifier" and token.start_byte == tokens[at - 1].end_byte:
                    walker.use(scope, tokens[at - 1], _before(walker, tokens, at - 1), call=True)


def _before(walker: Walker, tokens: list[Node], at: int) -> str:
    links = [walker.text(tokens[at])]
    while at >= 2 and tokens[at - 1].type in (".", "::") and tokens[at - 2].type in ("identifier", "self", "crate"):
        at -= 2
        links.append("this" if tokens[at].type == "self" and tokens[at + 1].type == "." else walker.text(tokens[at]))
    if at and tokens[at - 1].type in (".", "::"):
        links.append("?")
    return ".".join(reversed(links))


RUST = Grammar(
    visit={
        "use_declaration": use,
        "mod_item": module,
        "function_item": defines_function(),
        "function_signature_item": defines_function(),
        "struct_item": defines_type("class"),
        "union_item": defines_type("class"),
        "enum_item": defines_type("enum"),
        "trait_item": defines_type("interface", bases=bounds),
        "impl_item": implements,
        "macro_definition": lambda walker, node, scope: walker.bind(
            scope, walker.text(node.child_by_field_name("name")), "function", node
        ),
        "field_declaration": field,
        "enum_variant": variant,
        "const_item": constant,
        "static_item": constant,
        "type_item": alias,
        "associated_type": alias,
        "let_declaration": let,
        "let_condition": let,
        "parameter": parameter,
        "closure_expression": closure,
        "for_expression": loop,
        "match_arm": arm,
        "block": block,
        "if_expression": block,
        "while_expression": block,
        "call_expression": calls(),
        "field_expression": refers,
        "scoped_identifier": refers,
        "scoped_type_identifier": refers,
        "macro_invocation": macro,
    },
    links={
        "identifier": leaf,
        "type_identifier": leaf,
        "self": word("this"),
        "crate": word("crate"),
        "super": word("super"),
        "field_expression": member("value", "field"),
        "scoped_identifier": member("path", "name"),
        "scoped_type_identifier": member("path", "name"),
        "generic_function": through("function"),
        "generic_type": through("type"),
        "generic_type_with_turbofish": through("type"),
        "call_expression": call_step(),
        "index_expression": lambda _walker, node: ((ELEMENT,), node.named_children[0] if node.named_children else None),
        "struct_expression": of_type("name"),
        "type_cast_expression": of_type(),
        "try_expression": unwrap_step(),
        "await_expression": unwrap_step(),
        "reference_expression": through("value"),
        "unary_expression": through(),
        "parenthesized_expression": through(),
        "bracketed_type": through(),
        "qualified_type": through("type"),
    },
    references=frozenset(("identifier", "type_identifier")),
    skipped=frozenset(
        (
            "line_comment",
            "block_comment",
            "string_literal",
            "raw_string_literal",
            "lifetime",
            "attribute_item",
            "primitive_type",
        )
    ),
)


_UNWRAPPING = frozenset(("Some", "Ok"))
_MOST_PATTERNS = 500


def _bind_pattern(walker: Walker, pattern: Node | None, scope: int, kind: Kind, chain: str) -> None:
    """Bind the names of a pattern, `Some(x)`, `(a, b)` or `S { x, y: z }`, to their parts of the chain's value."""
    waiting, seen = [(pattern, chain)], 0
    while waiting and seen < _MOST_PATTERNS:
        node, value = waiting.pop()
        seen += 1
        if node is None:
            continue
        match node.type:
            case "identifier" | "shorthand_field_identifier":
                if not walker.text(node)[:1].isupper():
                    walker.bind(scope, walker.text(node), kind, node, value)
            case "tuple_struct_pattern":
                parts = node.named_children
                wrapped = walker.text(parts[0]) in _UNWRAPPING and len(parts) == 2
                inner = f"{value}.{UNWRAPPED}" if wrapped and value else ""
                waiting += [(each, inner) for each in parts[1:]]
                walker.go_into(() if wrapped else parts[:1], scope)
            case "struct_pattern":
                waiting += [(each, "") for each in node.named_children[1:]]
                walker.go_into(node.named_children[:1], scope)
            case "field_pattern":
                waiting.append((node.child_by_field_name("pattern") or node.child_by_field_name("name"), ""))
            case "mut_pattern" | "reference_pattern" | "ref_pattern" | "match_pattern":
                waiting += [(each, value) for each in node.named_children if each.type != "mutable_specifier"]
            case "scoped_identifier":
                walker.go_into((node,), scope)
            case _:
                waiting += [(each, "") for each in node.named_children]
