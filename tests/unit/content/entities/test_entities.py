"""Test the entities that are found in developers' texts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from almanac.content.entities import MAX_ENTITIES, Kind, entities
from tests.cpu_time import takes_under

texts = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                "src/app.py",
                "`git log`",
                "getUser",
                "(",
                ")",
                " ",
                "\n",
                "$ ",
                "E0277",
                "#12",
                ".",
                "::",
                "http://a.b/",
                "HTTP 503",
            ]
        ),
        max_size=20,
    ).map("".join),
)
many = settings(max_examples=200, deadline=None)


def normals_of(text: str, kind: Kind) -> list[str]:
    return [entity.normal for entity in entities(text) if entity.kind == kind]


@pytest.mark.parametrize(
    ("kind", "text", "normals"),
    [
        ("symbol", "call getUserById(x) twice", ["getuserbyid"]),
        ("symbol", "run() it", ["run"]),
        ("symbol", "os.path.join and Foo::bar and user->name", ["os.path.join", "foo::bar", "user->name"]),
        ("symbol", "set MAX_SIZE, my_value=2 and $elemMatch", ["max_size", "my_value", "elemmatch"]),
        ("symbol", "the HttpServer, __init__ and _private", ["httpserver", "__init__", "_private"]),
        ("symbol", "imagefs.write returns", ["imagefs.write"]),
        ("file", "see src/app/main.py:12:3, ./src/App.py and README", ["src/app/main.py", "src/app.py", "readme"]),
        ("file", r"C:\Users\ann\b.txt", ["c:/users/ann/b.txt"]),
        ("file", "edit ~/notes/todo, /etc/hosts and .gitignore", ["~/notes/todo", "/etc/hosts", ".gitignore"]),
        (
            "file",
            "the Makefile and docker-compose.yml (package.json)",
            ["makefile", "docker-compose.yml", "package.json"],
        ),
        ("error_code", "E0277, TS2345 and ORA-00942", ["e0277", "ts2345", "ora-00942"]),
        ("error_code", "connect ECONNREFUSED; ENOENT", ["econnrefused", "enoent"]),
        ("error_code", "got HTTP 503, then status code: 404", ["http 503", "http 404"]),
        ("error_code", "exit code 137 and errno 13", ["exit 137", "errno 13"]),
        ("error_code", "raise ValueError, java.lang.NullPointerException", ["valueerror", "nullpointerexception"]),
        ("error_code", "ERR_MODULE_NOT_FOUND", ["err_module_not_found"]),
        ("command", "try `git rebase -i  main` first", ["git rebase -i main"]),
        ("command", "so:\n$ sudo apt install jq\nann@h:~$ ls -la\n", ["apt install jq", "ls -la"]),
        ("url", "see https://Example.org/a?b=1). And www.example.org/x.", ["example.org/a?b=1", "example.org/x"]),
        ("ticket", "fixes ABC-123, #45 and foo/bar#7", ["abc-123", "#45", "foo/bar#7"]),
    ],
)
def test_a_name_is_found_by_its_form(kind: Kind, text: str, normals: list[str]):
    assert normals_of(text, kind) == normals


@pytest.mark.parametrize(
    "text",
    [
        "Plain words, with (parentheses) and a well-known hyphen.",
        "E.g. this, i.e. that; at 10 a.m. in the U.S. and/or later.",
        "GitHub, JavaScript and Node.js are products.",
        "UTF-8, SHA-256 and ISO-8601 are standards.",
        "Version 1.2.3 costs 4.50 and takes 12:30 hours.",
        "ann@example.com",
        "`make tea, not war`"[1:-1],
        "It returned 12 rows in 503 ms.",
    ],
)
def test_prose_names_nothing(text: str):
    assert entities(text) == []


def test_two_ways_to_write_a_name_are_one_entity_at_its_first_place():
    found = entities("getUser() then getUser, ./src/A.py:3 and src/a.py")

    assert [(each.kind, each.text, each.start) for each in found] == [
        ("symbol", "getUser", 0),
        ("file", "./src/A.py:3", 24),
    ]


def test_a_file_within_a_command_is_found_too():
    found = entities("`git add src/app.py`")

    assert [(each.kind, each.normal) for each in found] == [("command", "git add src/app.py"), ("file", "src/app.py")]


def test_what_a_url_holds_is_no_entity_of_its_own():
    assert {each.kind for each in entities("https://example.org/src/app.py#L3")} == {"url"}


@given(texts)
@many
def test_entities_stand_where_they_say(text: str):
    for entity in entities(text):
        assert text[entity.start : entity.end] == entity.text
        assert entity.normal
        assert entity.normal == entity.normal.casefold()


@given(texts)
@many
def test_the_same_text_gives_the_same_entities_once_each_in_the_order_of_reading(text: str):
    found = entities(text)

    assert found == entities(text)
    assert len({(each.kind, each.normal) for each in found}) == len(found)
    assert [each.start for each in found] == sorted(each.start for each in found)


def test_a_text_gives_no_more_than_its_bound():
    assert len(entities(" ".join(f"name_{place}" for place in range(MAX_ENTITIES + 9)))) == MAX_ENTITIES


@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "A",
        "AbC",
        "Error",
        "a.",
        "a::",
        "/",
        "a/",
        "_",
        "@",
        "`A=",
        "`git a` ",
        "$ git ",
        "HTTP  ",
        "http://",
        "\u200b",
        " ",
    ],
)
def test_no_text_costs_more_than_its_length(piece: str):
    text = piece * (300_000 // len(piece))
    assert takes_under(5, lambda: entities(text))
