"""A walk begins at the type that a name means, and names the files that could not be read for it."""

import pytest

from tests.cpu_time import takes_under
from tests.unit.families.code.traversal.graph_app import GraphApp

JAVA = {
    "src/com/acme/Gson.java": (
        "package com.acme;\npublic class Gson {\n  public Gson() { this(1); }\n  public Gson(int n) { }\n"
        '  public String toJson(Object o) { return ""; }\n}\n'
    ),
    "src/com/acme/Main.java": (
        "package com.acme;\nclass Main { String run() { Gson g = new Gson(); return g.toJson(this); } }\n"
    ),
}
CSHARP = {"Web/Cart.cs": "namespace Web { public class Cart { public Cart() { } public void Add() { } } }\n"}
STORE = """package store

type Store interface {
	Get(key string) string
	Put(key string)
}
"""
MEMORY = """package store

type memory struct{ data map[string]string }

func (m *memory) Get(key string) string { return m.data[key] }
"""
PUT = "package store\n\nfunc (m *memory) Put(key string) {}\n"
MAIN = """package main

import "example.com/m/store"

func handle(s store.Store) string { return s.Get("a") }
"""
GO = {
    "go.mod": "module example.com/m\n",
    "store/store.go": STORE,
    "store/memory.go": MEMORY,
    "store/put.go": PUT,
    "main.go": MAIN,
}
BROKEN = "export function sendMail( {{{ \n  const a = ((\n"


def test_a_class_comes_before_its_constructor_and_its_file(graph: GraphApp) -> None:
    graph.index(JAVA)
    answer = graph.traverse(symbol="Gson")
    assert answer["start"] == ["com.acme.Gson", "com.acme.Gson.Gson", "com.acme.Gson.toJson"]
    assert graph.callers("Gson") >= {"com.acme.Main.run"}
    assert graph.app.do("get_code_context", target="Gson")["target"]["symbol"] == "Gson"


def test_so_does_one_of_another_language(graph: GraphApp) -> None:
    graph.index(CSHARP)
    assert graph.traverse(symbol="Cart")["start"][0] == "Web.Cart"


def test_a_method_of_an_interface_comes_with_that_of_its_only_implementation(graph: GraphApp) -> None:
    graph.index(GO)
    answer = graph.traverse(symbol="Get")
    assert answer["start"] == ["example.com.m.store.Store.Get", "example.com.m.store.memory.Get"]
    assert graph.callers("Get") == {"example.com.m.handle"}


def test_an_interface_comes_before_the_only_type_that_implements_it(graph: GraphApp) -> None:
    other = MEMORY.replace("memory", "Store").replace("package store", "package inner")
    graph.index(
        GO
        | {
            "store/put.go": PUT.replace("memory", "file"),
            "inner/store.go": other + "\nfunc (m *Store) Put(key string) {}\n",
        }
    )
    answer = graph.traverse(symbol="Store")
    assert answer["start"][0] == "example.com.m.store.Store"
    assert any("example.com.m.inner.Store" in each for each in answer["cut"])


def test_of_several_implementations_none_is_chosen(graph: GraphApp) -> None:
    graph.index(GO | {"store/disk.go": MEMORY.replace("memory", "disk"), "store/d.go": PUT.replace("memory", "disk")})
    assert len(graph.traverse(symbol="Get")["candidates"]) == 3


def test_two_types_of_one_name_stay_ambiguous(graph: GraphApp) -> None:
    graph.index({"a.ts": "export class Cart { one() {} }\n", "b.ts": "export class Cart { two() {} }\n"})
    assert len(graph.traverse(symbol="Cart")["candidates"]) == 2


@pytest.mark.parametrize("name", ["sendMail", "Mailer.sendMail"])
def test_where_nothing_is_called_so_files_that_were_not_parsed_are_named(graph: GraphApp, name: str) -> None:
    graph.index({"src/mail.ts": BROKEN, "src/other.ts": "const x = ((\n", "src/app.ts": "export const a = 1\n"})
    refusal = graph.refusal(symbol=name)
    assert "src/mail.ts" in refusal
    assert "src/other.ts" not in refusal


def test_a_walk_says_which_files_may_use_the_name_unseen(graph: GraphApp) -> None:
    graph.index(
        {"src/mail.ts": "import { take } from './stock'\n((take(\n", "src/stock.ts": "export function take() {}\n"}
    )
    [said] = [each for each in graph.traverse(symbol="take")["cut"] if "could not be parsed" in each]
    assert "src/mail.ts" in said


KOTLIN = "class Mailer {\n    fun sendMail(to: String) = post(to)\n}\n"
OTHERS = {
    "app/Mailer.kt": KOTLIN,
    "ios/Mail.swift": "func sendMail(_ to: String) {}\n",
    "core/mail.zig": "pub fn sendMail(to: []const u8) void {}\n",
    "nim/mail.nim": "proc sendMail(to: string) = discard\n",
    "bin/mail": '#!/bin/sh\nsendMail "$1"\n',
    "web/Mail.vue": "<script>export default { methods: { sendMail() {} } }</script>\n",
    "core/other.zig": "pub fn sendMailer() void {}\n",
}


@pytest.mark.parametrize("name", ["sendMail", "Mailer.sendMail", "Mailer::sendMail"])
def test_where_nothing_is_called_so_files_without_a_call_graph_are_named(graph: GraphApp, name: str) -> None:
    prose = {"README.md": "Call sendMail.\n", "notes.txt": "sendMail\n", "a.json": '{"a": "sendMail"}\n'}
    graph.index(OTHERS | prose | {"src/mail.ts": BROKEN, "src/app.ts": "export const a = 1\n"})
    refusal = graph.refusal(symbol=name)
    assert "6 files contain this name in languages that have no call graph" in refusal
    assert "app/Mailer.kt, bin/mail, core/mail.zig, ios/Mail.swift, nim/mail.nim and 1 more" in refusal
    assert "1 file contains this name and could not be parsed whole: src/mail.ts" in refusal
    assert "other.zig" not in refusal


def test_a_walk_says_nothing_of_files_in_other_languages(graph: GraphApp) -> None:
    graph.index(OTHERS | {"src/mail.ts": "export function sendMail() {}\n"})
    assert not [each for each in graph.traverse(symbol="sendMail")["cut"] if "Mailer.kt" in each]


def test_files_without_a_call_graph_are_read_for_a_bounded_time(graph: GraphApp) -> None:
    for start in range(0, 400, 50):
        graph.index({f"a/{number:04}.kt": f"// {number}\n" * 400 for number in range(start, start + 50)})
    graph.index({"z.kt": KOTLIN})
    assert "not all of them were read" in graph.refusal(symbol="sendMail")
    assert takes_under(1.5, lambda: graph.refusal(symbol="other"))
