import pytest

from codegraph.edges import CONFIDENCE
from codegraph.resolution import resolve
from tests.codegraph.repositories import calls_of, edges_of, summaries_of

CASES = {
    "a function of the same file": (
        {"a.ts": "function f() {}\nfunction g() { f() }"},
        ("a.g", "a.f", "scope"),
    ),
    "a named import under another name": (
        {"lib/a.ts": "export function f() {}", "b.ts": "import {f as h} from './lib/a'\nexport const g = () => h()"},
        ("b.g", "lib.a.f", "import"),
    ),
    "a default import": (
        {"a.ts": "export default function f() {}", "b.ts": "import q from './a'\nq()"},
        ("b", "a.f", "import"),
    ),
    "a namespace import": (
        {"a.ts": "export const f = () => 1", "b.ts": "import * as ns from './a'\nns.f()"},
        ("b", "a.f", "import"),
    ),
    "a barrel over two files": (
        {
            "lib/f.ts": "export function f() {}",
            "lib/more.ts": "export {f as g} from './f'",
            "lib/index.ts": "export * from './more'",
            "b.ts": "import {g} from './lib'\ng()",
        },
        ("b", "lib.f.f", "import"),
    ),
    "what CommonJS requires": (
        {"a.js": "exports.f = function () {}", "b.js": "const {f} = require('./a')\nf()"},
        ("b", "a.f", "import"),
    ),
    "a member of a value that was made": (
        {"a.ts": "export class A { run() {} }", "b.ts": "import {A} from './a'\nconst x = new A()\nx.run()"},
        ("b", "a.A.run", "flow"),
    ),
    "a member of a parameter of a stated type": (
        {"a.ts": "class A { run() {} }\nfunction f(x: A | null) { x?.run() }"},
        ("a.f", "a.A.run", "flow"),
    ),
    "a member of an element of an array": (
        {"a.ts": "class A { run() {} }\nfunction f(xs: A[]) { for (const x of xs) { x.run() } }"},
        ("a.f", "a.A.run", "flow"),
    ),
    "an inherited member of this": (
        {"a.ts": "class B { run() {} }\nclass A extends B { go() { this.run() } }"},
        ("a.A.go", "a.B.run", "flow"),
    ),
    "a member of a field that a constructor fills": (
        {"a.js": "class B { run() {} }\nclass A { constructor() { this.b = new B() }\n go() { this.b.run() } }"},
        ("a.A.go", "a.B.run", "flow"),
    ),
    "a constructor": (
        {"a.ts": "class A { constructor() {} }\nfunction f() { new A() }"},
        ("a.f", "a.A.constructor", "scope"),
    ),
    "a function under another name": (
        {"a.ts": "function f() {}\nfunction g() { const h = f; h() }"},
        ("a.g", "a.f", "flow"),
    ),
    "a path of tsconfig": (
        {
            "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}, /* more */ }',
            "src/a.ts": "export function f() {}",
            "src/b/c.ts": "import {f} from '@/a'\nf()",
        },
        ("src.b.c", "src.a.f", "import"),
    ),
    "a package of a monorepo": (
        {
            "packages/core/package.json": '{"name": "@x/core", "exports": {".": {"import": "./dist/index.js"}}}',
            "packages/core/src/index.ts": "export function f() {}",
            "app/b.ts": "import {f} from '@x/core'\nf()",
        },
        ("app.b", "packages.core.src.f", "import"),
    ),
    "Go: a function of another file of the package": (
        {"go.mod": "module x.io/m", "p/a.go": "package p\nfunc F() {}", "p/b.go": "package p\nfunc G() { F() }"},
        ("x.io.m.p.G", "x.io.m.p.F", "scope"),
    ),
    "Go: a function of another package": (
        {
            "go.mod": "module x.io/m",
            "p/a.go": "package p\nfunc F() {}",
            "b.go": 'package m\nimport q "x.io/m/p"\nfunc G() { q.F() }',
        },
        ("x.io.m.G", "x.io.m.p.F", "import"),
    ),
    "Go: a method of an embedded struct": (
        {"a.go": "package a\ntype B struct{}\nfunc (b *B) Run() {}\ntype A struct{ *B }\nfunc (a *A) Go() { a.Run() }"},
        ("a.A.Go", "a.B.Run", "flow"),
    ),
    "Go: a method of a type that stands for a slice": (
        {"a.go": "package a\ntype A []string\nfunc (a A) Run() {}\nfunc f(a A) { a.Run() }"},
        ("a.f", "a.A.Run", "flow"),
    ),
    "Go: an element of a type that stands for a slice": (
        {"a.go": "package a\ntype B struct{}\nfunc (b B) Run() {}\ntype A []B\nfunc (a A) f() { a[0].Run() }"},
        ("a.A.f", "a.B.Run", "flow"),
    ),
    "Go: the first of several results": (
        {
            "a.go": "package a\ntype B struct{}\nfunc (b B) Run() {}\n"
            "func n() (*B, error)\nfunc f() { b, e := n(); b.Run() }"
        },
        ("a.f", "a.B.Run", "flow"),
    ),
    "Rust: a path from the crate": (
        {
            "Cargo.toml": '[package]\nname = "my-c"',
            "src/lib.rs": "mod a;\nmod b;",
            "src/a.rs": "pub fn f() {}",
            "src/b.rs": "use crate::a::f as h;\nfn g() { h() }",
        },
        ("my_c.b.g", "my_c.a.f", "import"),
    ),
    "Rust: what another module hands on": (
        {
            "src/lib.rs": "mod a;\npub use a::f;\nmod b;",
            "src/a.rs": "pub fn f() {}",
            "src/b.rs": "fn g() { crate::f() }",
        },
        ("crate.b.g", "crate.a.f", "import"),
    ),
    "Rust: a method of an impl behind an Option": (
        {"src/lib.rs": "struct A;\nimpl A { fn run(&self) {} }\nfn f(x: Option<A>) { if let Some(a) = x { a.run() } }"},
        ("crate.f", "crate.A.run", "flow"),
    ),
    "Rust: a method that a trait brings": (
        {"src/lib.rs": "trait T { fn run(&self) {} }\nstruct A;\nimpl T for A {}\nfn f(a: &A) { a.run() }"},
        ("crate.f", "crate.T.run", "flow"),
    ),
    "Rust: Self": (
        {"src/lib.rs": "struct A;\nimpl A { fn new() -> Self { A }\n fn f() { Self::new().g() }\n fn g(&self) {} }"},
        ("crate.A.f", "crate.A.g", "flow"),
    ),
    "Java: a static method by an import": (
        {
            "p/A.java": "package p; public class A { static void f() {} }",
            "q/B.java": "package q; import p.A; class B { void g() { A.f(); } }",
        },
        ("q.B.g", "p.A.f", "import"),
    ),
    "Java: a wildcard": (
        {
            "p/A.java": "package p; public class A { void f() {} }",
            "q/B.java": "package q; import p.*; class B { void g(A a) { a.f(); } }",
        },
        ("q.B.g", "p.A.f", "flow"),
    ),
    "Java: an inherited method without this": (
        {"p/A.java": "package p; class B { void f() {} }\nclass A extends B { void g() { f(); } }"},
        ("p.A.g", "p.B.f", "flow"),
    ),
    "C#: a class of a namespace in use": (
        {
            "a.cs": "namespace N.M { public class A { public static void F() {} } }",
            "b.cs": "using N.M;\nnamespace Q;\nclass B { void G() { A.F(); } }",
        },
        ("Q.B.G", "N.M.A.F", "import"),
    ),
    "C#: a field of a stated type": (
        {"a.cs": "class A { public void F() {} }\nclass B { private A _a; void G() { this._a.F(); _a?.F(); } }"},
        ("a.B.G", "a.A.F", "flow"),
    ),
    "Ruby: a method of a class of another file": (
        {
            "lib/a.rb": "module M\n class A\n  def run\n  end\n end\nend",
            "lib/b.rb": "require_relative 'a'\nmodule M\n class B\n  def go\n   A.new.run\n  end\n end\nend",
        },
        ("lib.b.M.B.go", "lib.a.M.A.run", "flow"),
    ),
    "C: what an included header declares": (
        {
            "inc/f.h": "int f(int a);",
            "src/f.c": '#include "../inc/f.h"\nint f(int a) { return a; }',
            "src/g.c": '#include "../inc/f.h"\nint g(void) { return f(1); }',
        },
        ("src.g.g", "src.f.f", "import"),
    ),
    "C++: a method that is defined outside of its class": (
        {
            "a.hpp": "namespace n { class A { public: void run(); }; }",
            "b.cc": '#include "a.hpp"\nvoid n::A::run() {}\nvoid g(n::A* a) { a->run(); }',
        },
        ("b.g", "b.n.A.run", "flow"),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_call_is_resolved_through(case: str) -> None:
    files, expected = CASES[case]
    assert expected in calls_of(files), calls_of(files)


def test_several_definitions_of_a_name_are_listed_and_none_is_chosen() -> None:
    files = {"a.ts": "class A { refresh() {} }\nclass B { refresh() {} }\nfunction f(x) { x.refresh() }"}
    (edge,) = (edge for edge in edges_of(files) if edge.kind == "calls")
    assert (edge.dst, edge.how, edge.resolved) == ("refresh", "ambiguous", False)
    assert edge.candidates == ("a.A.refresh", "a.B.refresh")
    assert edge.confidence == CONFIDENCE["ambiguous"]


def test_the_only_definition_of_an_uncommon_name_is_taken_for_it() -> None:
    files = {"a.ts": "class A { refresh() {}\n get() {} }\nfunction f(x) { x.refresh(); x.get() }"}
    assert calls_of(files) == {("a.f", "a.A.refresh", "unique_name"), ("a.f", "x.get", "unresolved")}


def test_what_comes_from_outside_stays_a_leaf_with_its_name() -> None:
    files = {"a.ts": "import {useState as u} from 'react'\nclass A { useState() {} }\nfunction f() { u(); parse(1) }"}
    assert calls_of(files) == {("a.f", "react.useState", "unresolved"), ("a.f", "parse", "unresolved")}


def test_a_local_name_hides_one_of_the_file() -> None:
    assert calls_of({"a.ts": "function f() {}\nfunction g(f) { f() }"}) == {("a.g", "f", "unresolved")}


def test_a_variable_is_what_it_was_last_given_before() -> None:
    types = "package a\ntype A struct{}\nfunc (a A) F() {}\ntype B struct{}\nfunc (b B) F() {}\n"
    text = types + "func g() {\nx := A{}\nx.F()\n{\nx := B{}\nx.F()\n}\n}"
    assert {("a.g", "a.A.F", "flow"), ("a.g", "a.B.F", "flow")} <= calls_of({"a.go": text})


def test_a_variable_that_is_bound_again_is_what_it_was_last_given() -> None:
    types = "struct A;\nimpl A { fn alpha(&self) {} }\nstruct B;\nimpl B { fn beta(&self) {} }\n"
    text = types + "fn f() {\nlet x = A {};\nx.alpha();\nlet x = B {};\nx.beta();\n}"
    assert calls_of({"src/lib.rs": text}) == {("crate.f", "crate.A.alpha", "flow"), ("crate.f", "crate.B.beta", "flow")}


def test_a_member_that_an_unknown_base_may_have_is_looked_for_by_its_name() -> None:
    text = "import {X} from 'x'\nclass A extends X {}\nclass B { special() {} }\nfunction f(a: A) { a.special() }"
    assert calls_of({"a.ts": text}) == {("a.f", "a.B.special", "unique_name")}


def test_super_is_the_member_of_the_base_and_not_the_own() -> None:
    text = "class B { run() {} }\nclass A extends B { run() { super.run() } }"
    assert calls_of({"a.ts": text}) == {("a.A.run", "a.B.run", "flow")}


def test_an_element_of_what_is_only_promised_is_not_the_thing() -> None:
    text = "class A { run() {} }\nfunction f(a: Promise<A>) { a[0].run() }\n"
    text += "async function g(a: Promise<A>) { (await a).run() }"
    assert ("a.g", "a.A.run", "flow") in calls_of({"a.ts": text})
    assert ("a.f", "a.A.run", "flow") not in calls_of({"a.ts": text})


def test_common_names_and_names_without_a_receiver_are_not_guessed() -> None:
    text = "class A { update() {}\n special() {} }\nfunction f(x) { x.update(); special() }"
    assert calls_of({"a.ts": text}) == {("a.f", "x.update", "unresolved"), ("a.f", "special", "unresolved")}


def test_calling_an_instance_is_not_calling_its_constructor() -> None:
    text = "class B { constructor() {} }\nclass A extends B {}\nfunction f(x: A) { x[0]; g(x)(); (x as A)() }"
    assert "a.B.constructor" not in {callee for _, callee, _ in calls_of({"a.ts": text})}


def test_this_of_a_function_within_a_method_is_unknown() -> None:
    text = "class A { alpha() {}\n beta() { return function () { this.alpha() } } }\nclass B { alpha() {} }"
    (edge,) = (edge for edge in edges_of({"a.ts": text}) if edge.kind == "calls")
    assert edge.how == "ambiguous"


def test_a_lambda_is_named_by_its_order_and_referred_to_from_where_it_stands() -> None:
    files = {"a.ts": "function f() {}\nfunction g(xs) { xs.a(() => 1); xs.b(() => f()) }"}
    assert ("a.g.<lambda2>", "a.f", "scope") in calls_of(files)
    assert ("a.g", "a.g.<lambda2>") in {(edge.src, edge.dst) for edge in edges_of(files) if edge.kind == "references"}


def test_names_are_referred_to_where_they_are_not_called() -> None:
    files = {"a.ts": "export class A {}\nexport function f() {}", "b.ts": "import {A, f} from './a'\nlet x: A\ng(f)"}
    told = {(edge.dst, edge.line) for edge in edges_of(files) if edge.kind == "references"}
    assert {("a.A", 2), ("a.f", 3)} <= told


def test_imports_lead_to_modules_and_to_names_outside() -> None:
    files = {"src/a.ts": "import './b'\nimport x from 'left-pad'", "src/b.ts": ""}
    told = {(edge.src, edge.dst, edge.resolved) for edge in edges_of(files) if edge.kind == "imports"}
    assert told == {("src.a", "src.b", True), ("src.a", "left-pad", False)}


def test_files_that_import_and_hand_on_each_other_come_to_an_end() -> None:
    files = {
        "a.ts": "export * from './b'\nexport {x} from './b'\nimport {x} from './b'\nx()",
        "b.ts": "export * from './a'\nexport {x} from './a'",
    }
    assert {how for _, _, how in calls_of(files)} == {"unresolved"}


def test_classes_that_inherit_from_each_other_come_to_an_end() -> None:
    text = "class A extends B { f() { this.absent() } }\nclass B extends A {}"
    assert calls_of({"a.ts": text}) == {("a.A.f", "a.A.absent", "unresolved")}


def test_the_order_of_files_changes_nothing() -> None:
    files = CASES["a barrel over two files"][0]
    assert edges_of(files) == edges_of(dict(reversed(files.items())))


def test_a_spent_budget_is_told_with_the_files_that_were_not_read() -> None:
    summaries = summaries_of({"a.ts": "function f() {}\nf()\n" * 20, "b.ts": "f()"})
    whole, cut = resolve(summaries), resolve(summaries, steps=30)
    assert (whole.cut, whole.unread) == (False, ())
    assert (cut.cut, cut.unread) == (True, ("a.ts", "b.ts"))
    assert len(cut.edges) < len(whole.edges)


def test_only_edges_of_the_files_asked_for_are_given() -> None:
    summaries = summaries_of({"a.ts": "export function f() {}\nf()", "b.ts": "import {f} from './a'\nf()"})
    assert {edge.path for edge in resolve(summaries, of=["b.ts"]).edges} == {"b.ts"}


def test_a_static_function_of_another_c_file_is_not_meant() -> None:
    files = {"a.c": "static int hidden(void) { return 1; }", "b.c": "int g(void) { return hidden(); }"}
    assert calls_of(files) == {("b.g", "hidden", "unresolved")}


def test_a_c_function_that_no_header_declares_is_known_by_its_one_definition_only() -> None:
    files = {"a.c": "int visible(void) { return 1; }", "b.c": "int g(void) { return visible(); }"}
    assert calls_of(files) == {("b.g", "a.visible", "unique_name")}


def test_a_member_that_a_known_type_lacks_is_not_looked_for_elsewhere() -> None:
    text = "class A {}\nclass B { special() {} }\nfunction f(a: A) { a.special() }"
    assert calls_of({"a.ts": text}) == {("a.f", "a.A.special", "unresolved")}
