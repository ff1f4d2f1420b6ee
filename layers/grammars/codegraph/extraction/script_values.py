"""Rules for values of JavaScript and TypeScript, and for the names that hold them."""

from tree_sitter import Node

from codegraph.extraction.script_modules import take_required
from codegraph.extraction.summary import ELEMENT, INSTANCE, UNKNOWN, Kind, ScopeKind
from codegraph.extraction.walker import MOST_LINKS, Walker


def bind_pattern(walker: Walker, pattern: Node | None, scope: int, kind: Kind, chain: str) -> None:
    """Bind each name of a pattern to its part of the chain's value."""
    waiting = [(pattern, chain)]
    while waiting:
        node, value = waiting.pop()
        if node is None:
            continue
        if value.count(".") > MOST_LINKS:
            value = ""
        match node.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                name = walker.text(node)
                part = f"{value}.{name}" if value and node.type != "identifier" else value
                walker.bind(scope, name, kind, node, part)
            case "object_pattern" | "object_assignment_pattern":
                waiting += [(child, value) for child in reversed(node.named_children[: _most(node)])]
            case "pair_pattern":
                key = walker.text(node.child_by_field_name("key"))
                waiting.append((node.child_by_field_name("value"), f"{value}.{key}" if value else ""))
            case "assignment_pattern":
                walker.go_into((node.child_by_field_name("right"),), scope)
                waiting.append((node.child_by_field_name("left"), value))
            case "array_pattern":
                part = f"{value}.{ELEMENT}" if value else ""
                waiting += [(child, part) for child in reversed(node.named_children)]
            case "rest_pattern":
                waiting += [(child, "") for child in node.named_children]
            case _:
                pass


def _most(node: Node) -> int | None:
    """Return only the name of `{a = 1}`."""
    return 1 if node.type == "object_assignment_pattern" else None


FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function", "function"))


def bases(walker: Walker, node: Node) -> tuple[str, ...]:
    """Return the types that a class or an interface extends and implements."""
    found: list[str] = []
    for child in node.named_children:
        if child.type == "class_heritage":
            clauses = child.named_children
            found += [walker.chain(clauses[0])] if clauses and not clauses[0].type.endswith("_clause") else []
            for clause in clauses:
                if clause.type == "extends_clause":
                    found.append(walker.chain(clause.child_by_field_name("value")))
                elif clause.type == "implements_clause":
                    found += [walker.type_chain(each).removesuffix(f".{INSTANCE}") for each in clause.named_children]
        elif child.type == "extends_type_clause":
            found += [walker.type_chain(each).removesuffix(f".{INSTANCE}") for each in child.named_children]
    return tuple(each for each in found if each and UNKNOWN not in each.split("."))


def arrow(walker: Walker, node: Node, scope: int) -> None:
    given = walker.type_chain(node.child_by_field_name("return_type"))
    kind: ScopeKind = "lambda" if node.type == "arrow_function" else "function"
    open_function(walker, node, walker.open_lambda(scope, node, given, kind))


def open_function(walker: Walker, node: Node, inner: int) -> None:
    """Walk the parameters and the body of a function whose scope exists already."""
    alone = node.child_by_field_name("parameter")
    if alone is not None:
        walker.bind(inner, walker.text(alone), "parameter", alone)
    body = node.child_by_field_name("body")
    if body is not None and body.type != "statement_block":
        walker.gives(inner, walker.chain(body))
    walker.go_through(node, inner, "name", "parameter")


def hold(
    walker: Walker, where: int, name: str, kind: Kind, named: Node, node: Node, scope: int, stated: str = ""
) -> None:
    """Bind `name`, whose node is `named`, in the scope `where` to the value `node`, which is read in `scope`. A
    function or class takes the name, and an object becomes a scope with members."""
    if node.type in FUNCTIONS:
        inner = walker.open(where, "lambda" if node.type == "arrow_function" else "function", name)
        own: Kind = "method" if walker.scopes[where].kind in ("class", "object") else "function"
        gives = walker.type_chain(node.child_by_field_name("return_type"))
        walker.bind(where, name, own, named, gives, opens=inner, at=inner)
        open_function(walker, node, inner)
    elif node.type == "class":
        inner = walker.open(where, "class", name)
        walker.bind(where, name, "class", named, opens=inner, bases=bases(walker, node))
        walker.go_through(node, inner, "name")
    elif node.type == "object":
        inner = walker.open(where, "object", name)
        walker.bind(where, name, "constant", named, stated, opens=inner, at=scope)
        walker.go_through(node, inner)
    else:
        walker.bind(where, name, kind, named, stated or walker.chain(node), at=scope)
        walker.go_into((node,), scope)


def variable(walker: Walker, node: Node, scope: int) -> None:
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    if name is None or (value is not None and take_required(walker, name, value, scope)):
        return
    stated = walker.type_chain(node.child_by_field_name("type"))
    kind: Kind = "variable" if walker.scopes[scope].kind not in ("module", "namespace") else "constant"
    if name.type == "identifier" and value is not None:
        hold(walker, scope, walker.text(name), kind, name, value, scope, stated)
    else:
        bind_pattern(walker, name, scope, kind, stated or walker.chain(value))
        walker.go_into((value,), scope)
    walker.go_into((node.child_by_field_name("type"),), scope)


def parameter(walker: Walker, node: Node, scope: int) -> None:
    pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
    stated = walker.type_chain(node.child_by_field_name("type")) or walker.chain(value)
    if pattern is not None:
        bind_pattern(walker, pattern, scope, "parameter", stated)
        if any(child.type in ("accessibility_modifier", "readonly") for child in node.children):
            owner = walker.class_scope(scope)
            if owner is not None:
                walker.bind(owner, walker.text(pattern), "field", node, stated, at=scope)
    walker.go_into((node.child_by_field_name("type"), value), scope)


def parameters(walker: Walker, node: Node, scope: int) -> None:
    """Bind parameters. In JavaScript they are patterns without a node around them."""
    for child in node.named_children:
        if child.type in ("required_parameter", "optional_parameter"):
            parameter(walker, child, scope)
        elif child.type == "assignment_pattern":
            value = child.child_by_field_name("right")
            bind_pattern(walker, child.child_by_field_name("left"), scope, "parameter", walker.chain(value))
            walker.go_into((value,), scope)
        else:
            bind_pattern(walker, child, scope, "parameter", "")


def record_field(walker: Walker, node: Node, scope: int) -> None:
    """Record a field of a class or an interface, or a property of an object."""
    name = node.child_by_field_name("name") or node.child_by_field_name("property") or node.child_by_field_name("key")
    value, type_ = node.child_by_field_name("value"), node.child_by_field_name("type")
    text = walker.text(name).strip("'\"")
    stated = walker.type_chain(type_)
    if value is None:
        walker.bind(scope, text, "field", node, stated)
    else:
        hold(walker, scope, text, "field", node, value, scope, stated)
    walker.go_into((type_,), scope)


def shorthand(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node)
    walker.bind(scope, name, "field", node, name, at=walker.scopes[scope].parent)
    walker.use(walker.scopes[scope].parent, node, name, call=False)


def assignment(walker: Walker, node: Node, scope: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    links = walker.chain(left).split(".")
    owner = walker.class_scope(scope)
    where = walker.named_scope(scope)
    if links[:1] == ["this"] and len(links) == 2 and owner is not None:
        hold(walker, owner, links[1], "field", left, right, scope)
    elif (links[:2] == ["module", "exports"] and len(links) <= 3) or (links[:1] == ["exports"] and len(links) == 2):
        name = links[-1] if links[-1] != "exports" else "default"
        hold(walker, 0, name, "constant", left, right, scope)
        walker.export(name, name)
    elif len(links) == 3 and links[1] == "prototype":
        inner = walker.open(where, "extension", links[0], links[0])
        hold(walker, inner, links[2], "method", left, right, scope)
    elif len(links) == 2 and right.type in FUNCTIONS and UNKNOWN not in links and links[0] != "this":
        hold(walker, walker.open(where, "extension", links[0], links[0]), links[1], "method", left, right, scope)
    else:
        walker.go_into((left, right), scope)


def loop(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    over = walker.chain(node.child_by_field_name("right"))
    left = node.child_by_field_name("left")
    if left is not None and node.child_by_field_name("kind") is not None:
        bind_pattern(walker, left, inner, "variable", f"{over}.{ELEMENT}" if over else "")
    walker.go_through(node, inner, "left")


def catch(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open(scope, "block")
    bind_pattern(walker, node.child_by_field_name("parameter"), inner, "variable", "")
    walker.go_through(node, inner, "parameter")
