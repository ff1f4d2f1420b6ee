"""Imports, and calls from one file into another."""

import pytest

from tests.codegraph.python.graphs import calls_of, edge, edges_of

LIBRARY = "def go(): pass\ndef _hidden(): pass\nclass Tool:\n    def work(self): pass\n"
CASES = {
    "import": ({"app.py": "import lib\nlib.go()"}, {"app > lib.go"}),
    "import as": ({"app.py": "import lib as l\nl.go()"}, {"app > lib.go"}),
    "from import as": ({"app.py": "from lib import go as g\ng()"}, {"app > lib.go"}),
    "a method of an imported class": ({"app.py": "from lib import Tool\nTool().work()"}, {"app > lib.Tool.work"}),
    "a star": ({"app.py": "from lib import *\ngo()\n_hidden()"}, {"app > lib.go"}),
    "a star within __all__": (
        {
            "app.py": "from more import *\none()\ntwo()",
            "more.py": "def one(): pass\ndef two(): pass\n__all__ = ['two']",
        },
        {"app > more.two"},
    ),
    "a star of a star": (
        {"app.py": "from more import *\ngo()", "more.py": "from lib import *"},
        {"app > lib.go"},
    ),
    "stars in a circle": (
        {"app.py": "from one import *\ngo()", "one.py": "from two import *", "two.py": "from one import *"},
        set[str](),
    ),
    "a name that a package passes on": (
        {"app.py": "from pkg import go\ngo()", "pkg/__init__.py": "from .inner import go", "pkg/inner.py": LIBRARY},
        {"app > pkg.inner.go"},
    ),
    "a module of a package": (
        {"app.py": "import pkg.inner\npkg.inner.go()", "pkg/__init__.py": "", "pkg/inner.py": LIBRARY},
        {"app > pkg.inner.go"},
    ),
    "a module of a package without __init__": (
        {"app.py": "from pkg import inner\ninner.go()", "pkg/inner.py": LIBRARY},
        {"app > pkg.inner.go"},
    ),
    "relative imports": (
        {
            "pkg/__init__.py": "",
            "pkg/a.py": "from . import b\nfrom .sub import c\nb.go()\nc.run()",
            "pkg/b.py": LIBRARY,
            "pkg/sub/__init__.py": "",
            "pkg/sub/c.py": "from ..b import go\ndef run(): go()",
        },
        {"pkg.a > pkg.b.go", "pkg.a > pkg.sub.c.run", "pkg.sub.c.run > pkg.b.go"},
    ),
    "a package that imports its own module by its full name": (
        {"pkg/__init__.py": "from pkg import inner\ninner.go()", "pkg/inner.py": LIBRARY},
        {"pkg > pkg.inner.go"},
    ),
    "files that import each other": (
        {"a.py": "import b\ndef one(): b.two()", "b.py": "import a\ndef two(): a.one()"},
        {"a.one > b.two", "b.two > a.one"},
    ),
    "an import within a function": (
        {"app.py": "def run():\n    from lib import go\n    go()"},
        {"app.run > lib.go"},
    ),
    "an import that may fail": (
        {"app.py": "try:\n    from lib import go\nexcept ImportError:\n    from other import go\ngo()"},
        {"app > lib.go"},
    ),
    "an import after a first version": (
        {
            "app.py": "from state import current\ncurrent()",
            "state.py": "from lib import *\ncurrent = None\ncurrent = go",
        },
        {"app > lib.go"},
    ),
    "a constant from elsewhere as a key": (
        {"app.py": "from names import KEY\nfrom lib import go\n{'k': go, 'l': print}[KEY]()", "names.py": "KEY = 'k'"},
        {"app > lib.go"},
    ),
    "a function given to another file": (
        {"app.py": "from more import run\ndef task(): pass\nrun(task)", "more.py": "def run(f): f()"},
        {"app > more.run", "more.run > app.task"},
    ),
    "an attribute that is set on a module": (
        {"app.py": "import lib\nimport more\nlib.extra = more.task\nlib.extra()", "more.py": "def task(): pass"},
        {"app > more.task"},
    ),
}


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_calls_between_files(files: dict[str, str], expected: set[str]) -> None:
    assert calls_of({"lib.py": LIBRARY} | files) == expected


def test_an_import_leads_to_the_module_and_to_the_definition() -> None:
    files = {"app.py": "from pkg import go", "pkg/__init__.py": "from .inner import go", "pkg/inner.py": LIBRARY}
    found = {(each.src, each.dst) for each in edges_of(files) if each.kind == "imports" and each.resolved}
    assert found == {("app", "pkg"), ("app", "pkg.inner.go"), ("pkg", "pkg.inner"), ("pkg", "pkg.inner.go")}


def test_an_import_from_outside_is_a_leaf() -> None:
    found = edge("import os.path", "os.path", "imports")
    assert (found.resolved, found.how, found.line) == (False, "import", 1)


def test_a_name_that_a_module_does_not_have_is_not_resolved() -> None:
    found = edge({"app.py": "from lib import nothing", "lib.py": LIBRARY}, "lib.nothing", "imports")
    assert (found.resolved, found.how) == (False, "unresolved")


def test_a_method_of_a_base_outside_has_its_name() -> None:
    source = "from ext import Base\nclass A(Base):\n    def go(self):\n        self.helper()\n        super().go()"
    assert not edge(source, "ext.Base.helper").resolved
    assert not edge(source, "ext.Base.go").resolved


def test_a_function_of_a_base_outside_has_its_name() -> None:
    assert not edge("from ext import Base\nclass A(Base): pass\nA.build()", "ext.Base.build").resolved


def test_an_object_of_a_class_outside_has_methods_of_that_name() -> None:
    assert not edge("import ext\ndef run(f): f()\nrun(ext.Client().send)", "ext.Client.send").resolved
