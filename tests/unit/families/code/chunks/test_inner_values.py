"""Test that values set within definitions are parts of their own."""

import pytest

from almanac.families.code.chunks.chunk import Chunk
from almanac.families.code.chunks.inner_values import LINES, MOST_INSIDE
from almanac.families.code.chunks.splitter import chunks_of
from codegraph import outline
from tests.cpu_time import takes_under


def every(path: str, text: str) -> list[Chunk]:
    return list(chunks_of(path, text, outline(path, text)).chunks)


def values(path: str, text: str) -> list[Chunk]:
    return [each for each in every(path, text) if each.kind == "values"]


@pytest.mark.parametrize(
    ("path", "text", "symbol", "names"),
    [
        ("a.py", "def f(a, b=3, *, c: str = 'x', d=None, e=OTHER):\n    pass\n", "f", ("b", "c")),
        ("a.py", "def f(\n    a,\n    wait: float = 0.5,\n):\n    pass\n", "f", ("wait",)),
        ("a.ts", "function f(a: number, b = 3, c: string = 'x') {}\n", "f", ("b", "c")),
        ("a.ts", "class A {\n  wait = 5\n  go(a = true) {}\n}\n", "A", ("wait",)),
        ("a.js", "const f = (a, b = 3) => {\n  return a\n}\n", "f", ("b",)),
        ("a.cpp", "int f(int a, int b = 3) { return a; }\n", "f", ("b",)),
        ("a.cs", "class A { void F(int a,\n  int b = 3) {} }\n", "A.F", ("b",)),
        ("a.rb", "def f(a, b = 3, c: 4)\n  a\nend\n", "f", ("b", "c")),
        ("a.py", "class A:\n    wait: int = 4\n    name = Column(80)\n    bare: str\n", "A", ("wait", "name")),
        ("a.java", "class A {\n  private static final int WAIT = 4;\n  int bare;\n}\n", "A", ("WAIT",)),
        ("a.py", 'def f():\n    return os.environ.get("A_KEY") or os.getenv("B_KEY", "x")\n', "f", ("A_KEY", "B_KEY")),
        ("a.py", 'def f():\n    return os.environ["A_KEY"]\n', "f", ("A_KEY",)),
        ("a.js", "function f() {\n  return process.env.A_KEY + process.env['B_KEY']\n}\n", "f", ("A_KEY", "B_KEY")),
        (
            "a.ts",
            "function f() {\n  return import.meta.env.A_KEY ?? Deno.env.get('B_KEY')\n}\n",
            "f",
            ("A_KEY", "B_KEY"),
        ),
        ("a.go", 'func f() string {\n\treturn os.Getenv("A_KEY")\n}\n', "f", ("A_KEY",)),
        ("a.go", 'func f() {\n\tv, ok := os.LookupEnv("A_KEY")\n}\n', "f", ("A_KEY",)),
        ("a.go", 'type A struct {\n\tPort int `env:"A_PORT"`\n}\n', "A", ("A_PORT",)),
        ("a.rs", 'fn f() {\n    std::env::var("A_KEY").unwrap();\n}\n', "f", ("A_KEY",)),
        ("a.java", 'class A {\n  String f() {\n    return System.getenv("A_KEY");\n  }\n}\n', "A.f", ("A_KEY",)),
        ("a.java", 'class A {\n  @Value("${server.port:80}")\n  int port;\n}\n', "A", ("server.port",)),
        (
            "a.cs",
            'class A { string F() {\n  return Environment.GetEnvironmentVariable("A_KEY");\n} }\n',
            "A.F",
            ("A_KEY",),
        ),
        ("a.rb", 'def f\n  ENV.fetch("A_KEY") + ENV["B_KEY"]\nend\n', "f", ("A_KEY", "B_KEY")),
        ("a.c", 'char *f(void) {\n  return getenv("A_KEY");\n}\n', "f", ("A_KEY",)),
        ("a.py", 'def f(p):\n    p.add_argument("-w", "--wait", type=int)\n', "f", ("wait",)),
        ("a.py", '@click.option("--wait", help="x")\ndef f(wait):\n    pass\n', "f", ("wait",)),
        ("a.py", '@click.option(\n    "-w",\n    "--wait",\n)\ndef f(wait):\n    pass\n', "f", ("wait",)),
        (
            "a.go",
            'func f() {\n\tn := flag.Int("wait", 4, "x")\n\tflag.StringVar(&s, "host", "", "x")\n}\n',
            "f",
            ("wait", "host"),
        ),
        ("a.js", "function f(p) {\n  p.option('-w, --wait <ms>', 'x')\n}\n", "f", ("wait",)),
        ("a.rb", 'def f(o)\n  o.on("-w", "--wait N") { }\nend\n', "f", ("wait",)),
        (
            "a.py",
            'def f(app):\n    app.config["SIZE"] = 4\n    app.config.setdefault("WAIT", 5)\n',
            "f",
            ("SIZE", "WAIT"),
        ),
        ("a.go", 'func f() {\n\tviper.SetDefault("wait", 4)\n}\n', "f", ("wait",)),
        ("a.go", 'func f() {\n\tdefaultPattern := "[a-z]"\n\tother := "x"\n}\n', "f", ("defaultPattern",)),
        ("a.go", "func f() *C {\n\treturn &C{\n\t\tReadTimeout: 30 * time.Second,\n\t}\n}\n", "f", ("ReadTimeout",)),
        ("a.py", "def f(self):\n    self.max_tries = 4\n    call(timeout=5, other=6)\n", "f", ("max_tries", "timeout")),
        ("a.js", "function f() {\n  return { retryLimit: 3, name: 'x' }\n}\n", "f", ("retryLimit",)),
    ],
)
def test_a_definition_has_the_values_that_it_sets(path: str, text: str, symbol: str, names: tuple[str, ...]) -> None:
    (only,) = [each for each in values(path, text) if each.symbol == symbol]
    assert only.sets == names


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(a, b=None):\n    minimal = 1\n    total = 0\n    return total == 3\n"),
        ("a.py", "def f():\n    # timeout = 3\n    pass\n"),
        ("a.py", 'def f():\n    """Say timeout=3.\n\n    limit = 4\n    """\n'),
        ("a.py", "def f(a):\n    return g(timeout=a, limit=LIMIT)\n"),
        ("a.py", 'def f(environ):\n    return environ["PATH_INFO"] + env["X"]\n'),
        ("a.py", "class Color(enum.Enum):\n    RED = 1\n"),
        ("a.py", "class A:\n    __slots__ = ('a',)\n    __hash__ = 3\n"),
        ("a.py", 'LIMITS = {\n    "max": 3,\n}\n'),
        ("a.go", "func f(limit int) bool {\n\treturn limit == 3 || limit >= 4\n}\n"),
        ("a.ts", "function f(limit: number): boolean {\n  return limit === 3\n}\n"),
    ],
)
def test_what_is_no_value_or_is_found_elsewhere(path: str, text: str) -> None:
    assert values(path, text) == []


def test_what_is_around_them_stays_as_it_is() -> None:
    text = "class A:\n    wait = 4\n\n    def f(self, b=3):\n        return b\n"
    rows = [(each.symbol, each.kind, each.start_line, each.end_line, each.text) for each in every("a.py", text)]
    assert rows == [
        ("A", "class", 1, 5, "class A:\n    wait = 4"),
        ("A.f", "method", 4, 5, "    def f(self, b=3):\n        return b"),
        ("A", "values", 2, 2, "    wait = 4"),
        ("A.f", "values", 4, 4, "    def f(self, b=3):"),
    ]


def test_they_come_with_what_is_said_of_them() -> None:
    text = (
        "def f(wait=3):\n"
        '    """Opens it.\n\n    Then more.\n\n    :param wait: seconds between two tries\n    """\n'
        "    # Where the spool is.\n"
        '    return os.getenv("SPOOL")\n'
    )
    (only,) = values("a.py", text)
    assert only.doc == "environment variable\nOpens it.\n:param wait: seconds between two tries"
    assert only.text == 'def f(wait=3):\n    # Where the spool is.\n    return os.getenv("SPOOL")'
    assert (only.start_line, only.end_line) == (1, 9)


def test_values_far_apart_are_told_apart_and_keep_their_ids() -> None:
    gap = "    step()\n" * LINES
    text = f"def f():\n    max_a = 1\n{gap}    max_b = 2\n"
    first, second = values("a.py", text)
    assert (first.sets, second.sets) == (("max_a",), ("max_b",))
    moved = values("a.py", f"import os\n\n\n{text}")
    assert [each.anchor for each in moved] == [first.anchor, second.anchor]
    assert first.anchor != second.anchor


def test_they_are_bounded_and_a_hostile_line_takes_no_time() -> None:
    text = "".join(f"def f{n}(a=1):\n    pass\n\n\n" for n in range(MOST_INSIDE + 9))
    found = every("a.py", text)
    assert [each.kind for each in found[-MOST_INSIDE:]] == ["values"] * MOST_INSIDE
    assert len(found) == 2 * MOST_INSIDE + 9
    odd = [
        "max" * 5_000,
        "a:" * 9_000,
        "a: b " * 9_000,
        "limit: " * 9_000,
        '"' * 9_000,
        "os.environ" * 5_000,
        "=" * 9_000,
    ]
    odd += ["-" * 9_000, "flag.X(&a." * 3_000, "(" * 9_000, ") " * 9_000]
    lines = "\n".join(odd * 20)
    texts = {"a.py": f"def f(\n{lines}\n):\n    pass\n", "a.go": f"func f() {{\n{lines}\n}}\n"}
    assert takes_under(3, lambda: [every(path, text) for path, text in texts.items()])
