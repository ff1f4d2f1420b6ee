"""Shrink what a walk gathered: drop scopes and references that lead nowhere."""

from codegraph.extraction.summary import (
    MARK_LINKS,
    NAMED,
    UNKNOWN,
    Summary,
    Use,
)
from codegraph.extraction.walker import Walker

MARKS = frozenset((*MARK_LINKS, UNKNOWN, "this", "super", "Self", "crate"))


def finish(walker: Walker, path: str, language: str, *, errors: bool) -> Summary:
    walker.set_results()
    local = _locals(walker)
    _without_empty_blocks(walker)
    uses = list(dict.fromkeys(_key(use) for use in walker.uses if not _leads_nowhere(walker, local, use)))
    kept = [Use(*use) for use in uses]
    modules = {each.module for each in walker.imported} | {each.module for each in walker.exported if each.module}
    return Summary(
        path=path,
        language=language,
        package=walker.package,
        scopes=walker.scopes,
        bindings=walker.bindings,
        imported=walker.imported,
        exported=walker.exported,
        uses=kept,
        names_defined=sorted({each.name for each in walker.bindings if each.kind in NAMED and each.name[:1] != "<"}),
        names_used=sorted({name for use in kept if (name := last_of(use.chain))}),
        imports=sorted(modules),
        errors=errors,
        cut=walker.cut,
    )


def last_of(chain: str) -> str:
    """Return the last name of a chain, or an empty text if the chain has none."""
    last = next((link for link in reversed(chain.split(".")) if link not in MARKS), "")
    return last if last[:1] not in ("<", "") else ""


def _key(use: Use) -> tuple[int, int, str, bool]:
    return use.scope, use.line, use.chain, use.call


def _locals(walker: Walker) -> dict[int, dict[str, bool]]:
    """Return the variables and parameters of each scope. A name maps to true if something is known about its value."""
    found: dict[int, dict[str, bool]] = {}
    for each in walker.bindings:
        inside = each.kind in ("variable", "parameter", "type_parameter")
        known = not inside or (bool(each.value) and UNKNOWN not in each.value.split(".")[:1])
        names = found.setdefault(each.scope, {})
        names[each.name] = names.get(each.name, False) or known
    return found


def _leads_nowhere(walker: Walker, local: dict[int, dict[str, bool]], use: Use) -> bool:
    """Tell whether a reference starts at a local name about which nothing is known."""
    if use.call:
        return False
    head = use.chain.partition(".")[0]
    if head == UNKNOWN:
        return True
    scope = use.scope
    while scope >= 0:
        known = local.get(scope, {}).get(head)
        if known is not None:
            return not known
        scope = walker.scopes[scope].parent
    return False


def _without_empty_blocks(walker: Walker) -> None:
    """Replace each block that binds nothing by the scope around it."""
    holding = {each.scope for each in walker.bindings} | {each.scope for each in walker.imported}
    kept: list[int] = []
    new: list[int] = []
    for at, scope in enumerate(walker.scopes):
        if scope.kind == "block" and at not in holding:
            new.append(new[scope.parent])
            continue
        new.append(len(kept))
        kept.append(at)
    walker.scopes = [walker.scopes[at] for at in kept]
    for scope in walker.scopes:
        scope.parent = new[scope.parent] if scope.parent >= 0 else -1
    for binding in walker.bindings:
        binding.scope = new[binding.scope]
        binding.opens = new[binding.opens] if binding.opens >= 0 else -1
        binding.at = new[binding.at] if binding.at >= 0 else -1
    for imported in walker.imported:
        imported.scope = new[imported.scope]
    for use in walker.uses:
        use.scope = new[use.scope]
