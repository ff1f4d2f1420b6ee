"""Rules for Ruby."""

from tree_sitter import Node

from codegraph.extraction.rules import block, element, leaf, refers, through, word
from codegraph.extraction.summary import CALL, INSTANCE, UNKNOWN, Kind
from codegraph.extraction.walker import WORD, Grammar, Link, Walker

REQUIRING = frozenset(("require", "require_relative", "load"))
MIXING = frozenset(("include", "extend", "prepend"))
ATTRIBUTES = frozenset(("attr_accessor", "attr_reader", "attr_writer"))


def constant_path(walker: Walker, node: Node | None) -> str:
    return walker.text(node).replace("::", ".").strip(".")


def class_(walker: Walker, node: Node, scope: int) -> None:
    name = constant_path(walker, node.child_by_field_name("name"))
    above = node.child_by_field_name("superclass")
    parent = constant_path(walker, above.named_children[0]) if above is not None and above.named_child_count else ""
    bases = tuple(
        each for each in (parent, *_mixed_in_modules(walker, node.child_by_field_name("body"))) if WORD.match(each)
    )
    kind: Kind = "class"
    inner = walker.open(scope, "class", name)
    walker.bind(scope, name.rpartition(".")[2], kind, node, opens=inner, bases=bases)
    walker.go_into((above, node.child_by_field_name("body")), inner)


def _mixed_in_modules(walker: Walker, body: Node | None) -> list[str]:
    found: list[str] = []
    for child in body.named_children if body is not None else ():
        if child.type == "call" and walker.text(child.child_by_field_name("method")) in MIXING:
            arguments = child.child_by_field_name("arguments")
            found += [
                constant_path(walker, each) for each in (arguments.named_children if arguments is not None else ())
            ]
    return found


def singleton(walker: Walker, node: Node, scope: int) -> None:
    """Walk `class << self`, whose methods belong to the class."""
    walker.go_into((node.child_by_field_name("body"),), scope)


def method(walker: Walker, node: Node, scope: int) -> None:
    name = walker.text(node.child_by_field_name("name"))
    outer = walker.named_scope(scope)
    kind: Kind = "method" if walker.scopes[outer].kind == "class" else "function"
    inner = walker.open(outer, "function", name)
    walker.bind(outer, name, kind, node, opens=inner)
    body = node.child_by_field_name("body")
    last = body.named_children[-1] if body is not None and body.named_child_count else None
    if last is not None:
        walker.gives(
            inner, walker.chain(last.named_children[0] if last.type == "return" and last.named_children else last)
        )
    parameters(walker, node.child_by_field_name("parameters"), inner)
    walker.go_into((body,), inner)


def parameters(walker: Walker, node: Node | None, scope: int) -> None:
    for each in node.named_children if node is not None else ():
        name = each.child_by_field_name("name")
        walker.bind(scope, walker.text(name if name is not None else each), "parameter", each)
        walker.go_into((each.child_by_field_name("value"),), scope)


def lambda_(walker: Walker, node: Node, scope: int) -> None:
    inner = walker.open_lambda(scope, node)
    parameters(walker, node.child_by_field_name("parameters"), inner)
    walker.go_into((node.child_by_field_name("body"),), inner)


def block_given(walker: Walker, node: Node, scope: int) -> None:
    """Walk the block of a call. Its calls count as calls of the method around it."""
    inner = walker.open(scope, "block")
    parameters(walker, node.child_by_field_name("parameters"), inner)
    walker.go_into((node.child_by_field_name("body"),), inner)


def call(walker: Walker, node: Node, scope: int) -> None:
    named = node.child_by_field_name("method")
    name, receiver = walker.text(named), node.child_by_field_name("receiver")
    arguments = node.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if receiver is None and name in REQUIRING and given and given[0].type == "string":
        path = walker.text(given[0]).strip("'\"")
        walker.take(scope, node, f"./{path}" if name == "require_relative" and path[:1] != "." else path, "*")
        return
    if receiver is None and name in ATTRIBUTES:
        for each in given:
            walker.bind(walker.named_scope(scope), walker.text(each).lstrip(":"), "field", each)
        return
    if receiver is not None and name == "new":
        walker.use(scope, named or node, walker.chain(receiver), call=True)
    elif receiver is None or named is not None:
        walker.use(scope, named or node, walker.chain(node).removesuffix(f".{CALL}"), call=True)
    walker.go_into((arguments, node.child_by_field_name("block")), scope)
    walker.go_down(receiver, scope)


def call_link(walker: Walker, node: Node) -> Link:
    name, receiver = walker.text(node.child_by_field_name("method")), node.child_by_field_name("receiver")
    if receiver is not None and name == "new":
        return (INSTANCE,), receiver
    if not name:
        return (CALL, CALL), receiver
    return (CALL, name if WORD.fullmatch(name) else UNKNOWN), receiver


def name(walker: Walker, node: Node, scope: int) -> None:
    """Record a bare name, which is a local variable or a call without arguments. Resolution decides."""
    walker.use(scope, node, walker.text(node), call=True)


def super_(walker: Walker, node: Node, scope: int) -> None:
    around = walker.function_scope(scope)
    walker.use(scope, node, f"super.{walker.scopes[around].name}", call=True)


def assignment(walker: Walker, node: Node, scope: int) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    chain = walker.chain(right)
    if left is None:
        return
    if left.type == "identifier":
        walker.bind(walker.named_scope(scope), walker.text(left), "variable", left, chain, at=scope)
    elif left.type == "constant":
        walker.bind(walker.named_scope(scope), walker.text(left), "constant", left, chain)
    elif left.type in ("instance_variable", "class_variable"):
        owner = walker.class_scope(scope)
        if owner is not None:
            walker.bind(owner, walker.text(left), "field", left, chain, at=scope)
    else:
        walker.go_into((left,), scope)
    walker.go_into((right,), scope)


def instance_variable(walker: Walker, node: Node) -> Link:
    return (walker.text(node), "this"), None


def scope_link(walker: Walker, node: Node) -> Link:
    return leaf(walker, node.child_by_field_name("name") or node)[0], node.child_by_field_name("scope")


RUBY = Grammar(
    visit={
        "class": class_,
        "module": class_,
        "singleton_class": singleton,
        "method": method,
        "singleton_method": method,
        "lambda": lambda_,
        "block": block_given,
        "do_block": block_given,
        "call": call,
        "super": super_,
        "identifier": name,
        "assignment": assignment,
        "scope_resolution": refers,
        "begin": block,
    },
    links={
        "identifier": leaf,
        "constant": leaf,
        "self": word("this"),
        "instance_variable": instance_variable,
        "class_variable": instance_variable,
        "scope_resolution": scope_link,
        "call": call_link,
        "element_reference": element("object"),
        "parenthesized_statements": through(),
    },
    references=frozenset(("constant",)),
    skipped=frozenset(("comment", "string", "simple_symbol", "regex", "heredoc_body")),
)
