"""The folders of the package, as their modules import one another."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "layers/app/almanac"


def modules_of(package: Path) -> dict[str, Path]:
    """Every module of a package by its dotted name, a folder's `__init__` under the name of the folder."""
    names = {path: path.relative_to(package.parent).with_suffix("").parts for path in package.rglob("*.py")}
    return {".".join(name[:-1] if name[-1] == "__init__" else name): path for path, name in names.items()}


def imports_between_folders(package: Path) -> Iterator[tuple[str, str]]:
    """Pairs of folders of which the first imports from the second, imports for types included."""
    modules = modules_of(package)

    def folder(name: str) -> str:
        return name if modules[name].name == "__init__.py" else name.rpartition(".")[0]

    for name, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = [f"{node.module}.{alias.name}" for alias in node.names]
                imported = [each if each in modules else node.module for each in imported]
            elif isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            else:
                continue
            yield from ((folder(name), folder(each)) for each in imported if each in modules)


def circle_of_folders(package: Path) -> list[str]:
    """One circle of folders that import each other; empty where there is none."""
    graph: dict[str, set[str]] = {}
    for importer, imported in imports_between_folders(package):
        if importer != imported:
            graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as circle:
        return circle.args[1]
    return []


def test_no_two_folders_import_each_other_in_a_circle() -> None:
    assert circle_of_folders(PACKAGE) == []


def test_a_circle_through_a_third_folder_is_found(tmp_path: Path) -> None:
    for folder, text in {"": "import shop.till", "till": "from shop.shelf import goods", "shelf": ""}.items():
        (tmp_path / "shop" / folder).mkdir(exist_ok=True)
        (tmp_path / "shop" / folder / "__init__.py").write_text("")
        (tmp_path / "shop" / folder / "goods.py").write_text(text)
    assert circle_of_folders(tmp_path / "shop") == []
    (tmp_path / "shop/shelf/goods.py").write_text("def sell():\n    from shop import goods\n")
    assert sorted(set(circle_of_folders(tmp_path / "shop"))) == ["shop", "shop.shelf", "shop.till"]
