"""The package as a program uses it: by its public names, over files in memory."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

import codegraph
from codegraph import Edge, FileSummary, Modules, PreciseUse, Symbol, edges_of, language_of, outline, read_source, walk

README = Path(codegraph.__file__).with_name("README.md")


class Repository:
    """A `RepositoryIndex` over a dictionary of texts."""

    def __init__(self, files: Mapping[str, str], precise: Sequence[PreciseUse] = ()) -> None:
        self._summaries = {path: read_source(path, text).summary for path, text in files.items()}
        self._precise = precise
        self.modules = Modules(files, self._summaries.values())

    def summaries(self, paths: Iterable[str]) -> Mapping[str, FileSummary]:
        found = {path: self._summaries[path] for path in paths if path in self._summaries}
        return {path: self.modules.as_imported(each) for path, each in found.items() if each.facts is not None}

    def files_defining(self, name: str) -> Sequence[str]:
        return sorted(path for path, each in self._summaries.items() if name in each.defined())

    def using(self, name: str) -> Sequence[str]:
        return sorted(path for path, each in self._summaries.items() if name in each.names())

    def precise(self, paths: Iterable[str]) -> Sequence[PreciseUse]:
        wanted = set(paths)
        return [use for use in self._precise if use.path in wanted]

    def symbols(self, path: str) -> Sequence[Symbol]:
        return [each for one in self.summaries([path]).values() for each in self.modules.symbols(one)]


def calls(repository: Repository, path: str) -> set[tuple[str, str]]:
    return {(each.src, each.dst) for each in edges_of(repository, [path])[path].all if each.kind == "calls"}


@pytest.mark.parametrize(
    ("files", "caller", "called"),
    [
        (
            {"src/shop/__init__.py": "", "src/shop/cart.py": "from .price import total\ndef pay():\n    total()\n",
             "src/shop/price.py": "def total():\n    pass\n"},
            "src/shop/cart.py", ("shop.cart.pay", "shop.price.total"),
        ),
        (
            {"run/go.py": "import tool\ndef go():\n    tool.use()\n", "run/tool.py": "def use():\n    pass\n"},
            "run/go.py", ("run.go.go", "run.tool.use"),
        ),
        (
            {"web/a.ts": "import { total } from './b';\nexport function pay() { total(); }\n",
             "web/b.ts": "export function total() {}\n"},
            "web/a.ts", ("web.a.pay", "web.b.total"),
        ),
        (
            {"go.mod": "module example.com/shop\n",
             "cmd/main.go": 'package main\nimport "example.com/shop/price"\nfunc main() { price.Total() }\n',
             "price/price.go": "package price\nfunc Total() {}\n"},
            "cmd/main.go", ("example.com.shop.cmd.main", "example.com.shop.price.Total"),
        ),
        (
            {"Cargo.toml": '[package]\nname = "shop"\n',
             "src/lib.rs": "mod price;\nfn pay() { crate::price::total() }\n",
             "src/price.rs": "pub fn total() {}\n"},
            "src/lib.rs", ("shop.pay", "shop.price.total"),
        ),
        (
            {"p/A.java": "package p;\npublic class A { public static void total() {} }\n",
             "B.java": "import p.A;\nclass B { void pay() { A.total(); } }\n"},
            "B.java", ("B.B.pay", "p.A.total"),
        ),
    ],
)  # fmt: skip
def test_a_call_leads_to_the_definition_in_another_file(
    files: dict[str, str], caller: str, called: tuple[str, str]
) -> None:
    assert called in calls(Repository(files), caller)


def test_edges_of_a_large_repository_come_with_the_files_that_they_need() -> None:
    files = {f"other{number}.py": "def nothing():\n    pass\n" for number in range(90)}
    files |= {"a.py": "import b\ndef go():\n    b.use()\n", "b.py": "def use():\n    pass\n"}
    found = edges_of(Repository(files), ["a.py"])
    assert list(found) == ["a.py"]
    assert ("a.go", "b.use") in {(each.src, each.dst) for each in found["a.py"].all}


def test_a_name_that_one_file_of_those_read_defines_is_no_edge_where_others_define_it() -> None:
    files = {f"many{number}.ts": "export class M { onlyHere() {} }\n" for number in range(90)}
    files |= {"a.ts": "import './many1';\nexport function go(x) { x.onlyHere(); }\n"}
    [edge] = [each for each in edges_of(Repository(files), ["a.ts"])["a.ts"].all if each.kind == "calls"]
    assert (edge.how, edge.resolved, edge.dst.rpartition(".")[2]) == ("unresolved", False, "onlyHere")


def test_a_precise_index_wins_where_it_knows_a_place() -> None:
    files = {"a.py": "def go(x):\n    x.use()\n", "b.py": "class B:\n    def use(self):\n        pass\n"}
    known = PreciseUse("a.py", 2, 6, "B.use", "function", "b.py", 2)
    [edge] = [each for each in edges_of(Repository(files, [known]), ["a.py"])["a.py"].all if each.kind == "calls"]
    assert (edge.dst, edge.how, edge.confidence) == ("b.B.use", "precise", 1.0)


def test_a_walk_goes_along_the_edges_that_it_is_given() -> None:
    repository = Repository({"a.py": "def one():\n    two()\ndef two():\n    three()\ndef three():\n    pass\n"})
    found = edges_of(repository, ["a.py"])["a.py"]

    def supply(name: str, direction: str) -> Sequence[Edge]:
        return (found.by_src if direction == "out" else found.by_dst).get(name, ())

    walked = walk(supply, ["a.one"], hops=2, kinds={"calls"}, direction="out")
    assert [(node.name, node.distance) for node in walked.nodes] == [("a.one", 0), ("a.two", 1), ("a.three", 2)]


def test_the_outline_of_a_file_and_what_is_read_of_it_at_once_are_the_same() -> None:
    text = "class A:\n    def b(self):\n        pass\n"
    facts = read_source("a.py", text)
    assert facts.outline == outline("a.py", text)
    assert [each.qualified for each in facts.outline.definitions] == ["A", "A.b"]
    assert facts.unparsed is None


def test_a_broken_file_says_why_it_is_not_parsed() -> None:
    assert "syntax errors" in (read_source("a.py", "def g(:\n").unparsed or "")
    assert "too large" in (read_source("a.py", "(" * 3000).unparsed or "")
    assert read_source("a.md", "# Title (").unparsed is None
    assert language_of("a.unknown") == codegraph.TEXT


def test_the_readme_names_every_public_name() -> None:
    assert set(codegraph.__all__) <= set(re.findall(r"`(\w+)`", README.read_text("utf-8")))
    for name in codegraph.__all__:
        assert getattr(codegraph, name) is not None
    with pytest.raises(AttributeError):
        _ = codegraph.summarise_tree  # type: ignore[attr-defined] # pyright: ignore[reportAttributeAccessIssue]
