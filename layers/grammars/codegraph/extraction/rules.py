"""Rules that several languages share, built for the field names of each."""

from collections.abc import Callable

from tree_sitter import Node

from codegraph.extraction.summary import (
    CALL,
    ELEMENT,
    INSTANCE,
    UNKNOWN,
    UNWRAPPED,
    Kind,
)
from codegraph.extraction.walker import WORD, Link, Step, Visit, Walker

Bases = Callable[[Walker, Node], tuple[str, ...]]


def no_bases(_walker: Walker, _node: Node) -> tuple[str, ...]:
    return ()


def defines_type(kind: Kind, *, bases: Bases = no_bases) -> Visit:
    """Return a rule for a class, interface or enum that has the fields `name` and `body`."""

    def visit(walker: Walker, node: Node, scope: int) -> None:
        name = walker.text(node.child_by_field_name("name"))
        inner = walker.open(scope, "class", name)
        walker.bind(scope, name, kind, node, opens=inner, bases=bases(walker, node))
        walker.go_through(node, inner, "name")

    return visit


def defines_function(kind: Kind = "function", *, gives: str = "return_type") -> Visit:
    """Return a rule for a function with the field `name`. In a class it is a method. `gives` is the field with the type
    of its result."""

    def visit(walker: Walker, node: Node, scope: int) -> None:
        name = walker.text(node.child_by_field_name("name"))
        inner = walker.open(scope, "function", name)
        stated = walker.type_chain(node.child_by_field_name(gives))
        outer = walker.named_scope(scope)
        own: Kind = "method" if walker.scopes[outer].kind in ("class", "extension", "object") else kind
        walker.bind(scope, name, own, node, stated, opens=inner, at=inner)
        walker.go_through(node, inner, "name")

    return visit


def block(walker: Walker, node: Node, scope: int) -> None:
    walker.go_through(node, walker.open(scope, "block"))


def function_without_name(walker: Walker, node: Node, scope: int) -> None:
    walker.go_through(node, walker.open_lambda(scope, node))


def calls(function: str = "function") -> Visit:
    def visit(walker: Walker, node: Node, scope: int) -> None:
        callee = node.child_by_field_name(function)
        walker.use(scope, node if callee is None else last_name(callee), walker.chain(callee), call=True)
        walker.go_through(node, scope, function)
        walker.go_down(callee, scope)

    return visit


def last_name(callee: Node) -> Node:
    """Return the node of the name that is called. A call in a chain over several lines counts as on the line of that
    name."""
    for field in ("property", "field", "name"):
        name = callee.child_by_field_name(field)
        if name is not None:
            return name
    return callee


def refers(walker: Walker, node: Node, scope: int) -> None:
    """Record a chain that is named but not called."""
    walker.use(scope, last_name(node), walker.chain(node), call=False)
    _, before = walker.grammar.links[node.type](walker, node)
    walker.go_down(before, scope)


def makes(walker: Walker, node: Node, scope: int) -> None:
    """Record `new Foo(…)` as a call of the type."""
    made = constructor_of(walker.type_chain(node.child_by_field_name("type")))
    walker.use(scope, node, made, call=True)
    walker.go_through(node, scope, "type")


def returns(walker: Walker, node: Node, scope: int) -> None:
    """Record what a function returns, for functions whose text states no type."""
    walker.gives(scope, walker.chain(node.named_children[0]) if node.named_child_count else "")
    walker.go_through(node, scope)


def leaf(walker: Walker, node: Node) -> Link:
    text = walker.text(node)
    return (text if WORD.fullmatch(text) else UNKNOWN,), None


def word(link: str) -> Step:
    return lambda _walker, _node: ((link,), None)


def member(before: str, name: str) -> Step:
    def step(walker: Walker, node: Node) -> Link:
        after = node.child_by_field_name(name)
        text = walker.text(after)
        return (text if WORD.fullmatch(text) else UNKNOWN,), node.child_by_field_name(before)

    return step


def call_step(function: str = "function") -> Step:
    return lambda _walker, node: ((CALL,), node.child_by_field_name(function))


def element(before: str) -> Step:
    return lambda _walker, node: ((ELEMENT,), node.child_by_field_name(before))


def through(field: str = "") -> Step:
    """Return a step that ignores brackets or a mark and continues with the field, or with the first node."""

    def step(_walker: Walker, node: Node) -> Link:
        inner = node.child_by_field_name(field) if field else (node.named_children or [None])[0]
        return (() if inner is not None else (UNKNOWN,)), inner

    return step


def unwrap_step() -> Step:
    inner = through()

    def step(walker: Walker, node: Node) -> Link:
        links, before = inner(walker, node)
        return (UNWRAPPED, *links), before

    return step


def of_type(field: str = "type") -> Step:
    """Return a step for an expression that states its own type: `new Foo()`, `x as Foo`, `Foo{}`."""

    def step(walker: Walker, node: Node) -> Link:
        stated = walker.type_chain(node.child_by_field_name(field))
        return (tuple(reversed(stated.split("."))) if stated else (UNKNOWN,)), None

    return step


def constructor_of(stated: str) -> str:
    """Return the chain of a type, made from the chain of its instance."""
    return stated.removesuffix(f".{INSTANCE}")
