import pytest

from codegraph.modules.import_paths import ImportPaths
from codegraph.modules.manifests import Manifest, read_manifest
from codegraph.modules.names import module_name
from tests.codegraph.repositories import manifests_of

GO = Manifest(kind="go", folder="srv", name="x.io/m")
CARGO = Manifest(kind="cargo", folder="crates/a", name="my_a")


@pytest.mark.parametrize(
    ("path", "language", "package", "name"),
    [
        ("src/pkg/mod.py", "python", "", "pkg.mod"),
        ("pkg/__init__.py", "python", "", "pkg"),
        ("src/a/index.ts", "typescript", "", "src.a"),
        ("src/a/b.test.tsx", "tsx", "", "src.a.b.test"),
        ("index.js", "javascript", "", "index"),
        ("srv/p/a.go", "go", "p", "x.io.m.p"),
        ("srv/a.go", "go", "m", "x.io.m"),
        ("other/a.go", "go", "other", "other"),
        ("crates/a/src/lib.rs", "rust", "", "my_a"),
        ("crates/a/src/x/mod.rs", "rust", "", "my_a.x"),
        ("crates/a/src/x/y.rs", "rust", "", "my_a.x.y"),
        ("crates/b-c/src/y.rs", "rust", "", "b_c.y"),
        ("src/com/x/A.java", "java", "com.x", "com.x.A"),
        ("a/B.cs", "csharp", "N.M", "N.M.B"),
        ("lib/a/b.rb", "ruby", "", "lib.a.b"),
        ("src/a.cc", "cpp", "", "src.a"),
    ],
)
def test_the_module_of_a_path_is_named_as_its_language_does(path: str, language: str, package: str, name: str) -> None:
    assert module_name(path, language, package, (GO, CARGO)) == name


FILES = {
    "go.mod": "module x.io/m\n",
    "p/a.go": "",
    "p/a_test.go": "",
    "src/a.ts": "",
    "src/b/index.tsx": "",
    "src/c.d.ts": "",
    "lib/r.rb": "",
    "lib/r/s.rb": "",
    "inc/h.h": "",
    "src/h.h": "",
    "k/package.json": '{"name": "@k/k", "exports": {"./x/*": {"types": "./src/x/*.ts"}}}',
    "k/src/x/y.ts": "",
    "tsconfig.json": '{"compilerOptions": {"baseUrl": "./src", "paths": {"~/*": ["*"]},}} // end',
}


@pytest.mark.parametrize(
    ("language", "path", "module", "found"),
    [
        ("typescript", "src/x.ts", "./a", ("src/a.ts",)),
        ("typescript", "src/x.ts", "./a.js", ("src/a.ts",)),
        ("typescript", "src/x.ts", "./b", ("src/b/index.tsx",)),
        ("typescript", "src/b/x.ts", "..", ()),
        ("typescript", "src/x.ts", "./c", ("src/c.d.ts",)),
        ("typescript", "x.ts", "~/a", ("src/a.ts",)),
        ("typescript", "x.ts", "a", ("src/a.ts",)),
        ("typescript", "x.ts", "@k/k/x/y", ("k/src/x/y.ts",)),
        ("typescript", "x.ts", "../../../etc/passwd", ()),
        ("go", "b.go", "x.io/m/p", ("p/a.go",)),
        ("go", "b.go", "fmt", ()),
        ("ruby", "lib/q.rb", "./r/s", ("lib/r/s.rb",)),
        ("ruby", "q.rb", "r", ("lib/r.rb",)),
        ("c", "src/x.c", "./h.h", ("src/h.h",)),
        ("c", "x.c", "h.h", ("src/h.h",)),
        ("cpp", "x.cc", "none.h", ()),
        ("java", "X.java", "p.A", ()),
    ],
)
def test_an_import_finds_its_files(language: str, path: str, module: str, found: tuple[str, ...]) -> None:
    paths = [each for each in FILES if each.rpartition(".")[2] in ("go", "ts", "tsx", "rb", "h")]
    assert ImportPaths(paths, manifests_of(FILES)).find(language, path, module) == found


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("package.json", "{"),
        ("package.json", "[]"),
        ("package.json", "[" * 100_000),
        ("package.json", '{"name": 1}'),
        ("Cargo.toml", "="),
        ("Cargo.toml", 'package = "x"'),
        ("go.mod", "// nothing"),
        ("tsconfig.json", '{"compilerOptions": {"paths": [1]}}'),
        ("package.json", '{"name": "' + "x" * 400_000 + '"}'),
        ("README.md", "module x"),
    ],
)
def test_what_is_no_manifest_is_none(path: str, text: str) -> None:
    assert read_manifest(path, text) is None


def test_manifests_say_names_and_targets() -> None:
    assert read_manifest("a/go.mod", "module x.io/m // main\n\ngo 1.22") == Manifest(
        kind="go", folder="a", name="x.io/m"
    )
    cargo = read_manifest("Cargo.toml", '[package]\nname = "a-b"\n[lib]\npath = "x/lib.rs"')
    assert cargo == Manifest(kind="cargo", folder="", name="a_b", targets=(("lib", "x/lib.rs"),))
    npm = read_manifest("p/package.json", '{"name": "p", "main": "./m.js", "exports": {"./a": "./b.js"}}')
    assert npm == Manifest(kind="npm", folder="p", name="p", targets=(("./a", "./b.js"), (".", "./m.js")))
