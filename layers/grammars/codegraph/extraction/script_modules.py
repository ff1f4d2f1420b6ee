"""Rules for imports and exports of JavaScript and TypeScript."""

from tree_sitter import Node

from codegraph.extraction.walker import Walker


def unquote(walker: Walker, node: Node | None) -> str:
    return walker.text(node).strip("'\"`")


def import_(walker: Walker, node: Node, scope: int) -> None:
    module = unquote(walker, node.child_by_field_name("source"))
    before = len(walker.imported)
    for clause in node.named_children:
        if clause.type == "import_require_clause":
            required_module = unquote(walker, clause.child_by_field_name("source"))
            walker.take(scope, node, required_module, "=", walker.text(clause.named_children[0]))
        for child in clause.named_children if clause.type == "import_clause" else ():
            if child.type == "identifier":
                walker.take(scope, node, module, "default", walker.text(child))
            elif child.type == "namespace_import":
                walker.take(scope, node, module, "", walker.text(child.named_children[0]))
            else:
                _record_imports(walker, child, scope, module)
    if len(walker.imported) == before:
        walker.take(scope, node, module)


def _record_imports(walker: Walker, node: Node, scope: int, module: str) -> None:
    for each in node.named_children:
        name = unquote(walker, each.child_by_field_name("name"))
        alias = walker.text(each.child_by_field_name("alias"))
        if name:
            walker.take(scope, each, module, name, alias or name)


def export(walker: Walker, node: Node, scope: int) -> None:
    module = unquote(walker, node.child_by_field_name("source"))
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    default = any(child.type == "default" for child in node.children)
    if module:
        walker.take(scope, node, module)
    for child in node.named_children:
        if child.type == "export_clause":
            _record_exports(walker, child, module)
        elif child.type == "namespace_export":
            walker.export(walker.text(child.named_children[0]), "", module)
            return
    if module and not any(child.type == "export_clause" for child in node.named_children):
        walker.export("*", "", module)
    elif default and declared is not None:
        name = walker.text(declared.child_by_field_name("name"))
        walker.export("default", name)
        walker.go_into((declared,), scope)
    elif declared is not None:
        walker.go_into((declared,), scope)
    elif value is not None:
        _default_value(walker, value, scope)


def _record_exports(walker: Walker, clause: Node, module: str) -> None:
    for each in clause.named_children:
        name = unquote(walker, each.child_by_field_name("name"))
        alias = unquote(walker, each.child_by_field_name("alias"))
        if name:
            walker.export(alias or name, name, module)


def _default_value(walker: Walker, value: Node, scope: int) -> None:
    if value.type in ("identifier", "member_expression"):
        walker.export("default", walker.chain(value))
        walker.go_into((value,), scope)
        return
    walker.export("default", "default")
    if value.type == "class":
        inner = walker.open(scope, "class", "default")
        walker.bind(scope, "default", "class", value, opens=inner)
        walker.go_through(value, inner)
    elif value.type in ("arrow_function", "function_expression", "object"):
        inner = walker.open(scope, "object" if value.type == "object" else "function", "default")
        kind = "constant" if value.type == "object" else "function"
        walker.bind(scope, "default", kind, value, opens=inner, at=inner)
        walker.go_through(value, inner)
    else:
        walker.bind(scope, "default", "constant", value, walker.chain(value))
        walker.go_into((value,), scope)


def take_required(walker: Walker, name: Node, value: Node, scope: int) -> bool:
    """Record `const x = require("m")`, `const {a, b: c} = require("m")` or `const x = require("m").y`."""
    taken = ""
    if value.type == "member_expression":
        taken = walker.text(value.child_by_field_name("property"))
        value = value.child_by_field_name("object") or value
    if value.type != "call_expression" or walker.text(value.child_by_field_name("function")) != "require":
        return False
    arguments = value.child_by_field_name("arguments")
    given = arguments.named_children if arguments is not None else []
    if not given or given[0].type != "string":
        return False
    module = unquote(walker, given[0])
    if name.type == "identifier":
        walker.take(scope, value, module, taken or "=", walker.text(name))
    for each in name.named_children if name.type == "object_pattern" and not taken else ():
        key = walker.text(each.child_by_field_name("key") or each)
        bound = walker.text(each.child_by_field_name("value") or each)
        walker.take(scope, value, module, key, bound)
    return True
