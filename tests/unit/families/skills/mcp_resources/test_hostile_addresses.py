"""Test that an address or cursor leads to a file of this project's skills or to a refusal."""

import random
from pathlib import Path

import pytest

from almanac.kernel.caller import Caller, Scope
from almanac.kernel.errors import NotFound
from almanac.protocol.message.revisions import HANDSHAKE
from almanac.protocol.progress import NoProgress
from almanac.protocol.tool import Call
from tests.doubles.skill_server import ANN, CLOCK, SCOPE, SkillServer, open_store, skill_md

FILES = {"references/a.md": b"a", "a%20b.txt": b"percent", "a b.txt": b"space", "%2e%2e.txt": b"dots"}
SECRET = "the other tenant's text"

HOSTILE = [
    "",
    "/",
    "skill:",
    "skill:/",
    "skill://",
    "skill:///",
    "skill:///SKILL.md",
    "skill://pdf/",
    "skill://pdf//",
    "skill://pdf//SKILL.md",
    "skill://pdf/SKILL.md/",
    "skill://pdf/SKILL.md/..",
    "skill://pdf/./SKILL.md",
    "skill://pdf/../pdf/SKILL.md",
    "skill://pdf/references/../SKILL.md",
    "skill://pdf/references/%2e%2e/SKILL.md",
    "skill://pdf/..%2fother/SKILL.md",
    "skill://pdf/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
    "skill://pdf/%252e%252e/SKILL.md",
    "skill://pdf/..\\other\\SKILL.md",
    "skill://pdf/%53KILL.md",
    "skill://pdf/skill.md",
    "skill://pdf/SKILL.md ",
    " skill://pdf/SKILL.md",
    "skill://pdf/SKILL.md\n",
    "skill://pdf/SKILL.md\x00",
    "skill://pdf/SKILL.md?x=1",
    "skill://pdf/SKILL.md#top",
    "skill://pdf?/SKILL.md",
    "SKILL://pdf/SKILL.md",
    "Skill://pdf/SKILL.md",
    "skill://PDF/SKILL.md",
    "skill://pdf@other/SKILL.md",
    "skill://pdf:80/SKILL.md",
    "skill://pdf%2Fx/SKILL.md",
    "skill://../pdf/SKILL.md",
    "skill://%2e%2e/SKILL.md",
    "skill://./SKILL.md",
    "skill://p\u0501f/SKILL.md",
    "skill://p\u200bdf/SKILL.md",
    "skill://\uff50\uff44\uff46/SKILL.md",
    "skill://pdf/\uff33\uff2b\uff29\uff2c\uff2c.md",
    "skill://pdf/SKILL\u2024md",
    "skill://pdf/\u202eSKILL.md",
    "skill://pdf/\ud800",
    "skill://pdf\ud800/SKILL.md",
    "skill://pdf/references",
    "skill://pdf/references/",
    "skill://pdf/references/a.md/b",
    "skill://-pdf/SKILL.md",
    "skill://pdf-/SKILL.md",
    "skill://p--df/SKILL.md",
    "skill://P#stranger#project#skills/SKILL.md",
    "skill://stranger/project/secret/SKILL.md",
    "skill://secret/SKILL.md",
    "skill://gone/SKILL.md",
    "file:///etc/passwd",
    "file://skill://pdf/SKILL.md",
    "http://pdf/SKILL.md",
    "skill://" + "a" * 65 + "/SKILL.md",
    "skill://pdf/" + "a" * 100_000,
    "skill://pdf/" + "../" * 10_000 + "SKILL.md",
    "skill://pdf/" + "%2e%2e%2f" * 10_000,
    "skill://" + "a/" * 50_000,
    "skill://" + "e\u0301" * 50_000,
    "skill://pdf/" + "\U000e0041" * 200,
    "skill://{name}/{+path}",
    "skill://*/SKILL.md",
]


@pytest.fixture
def server(tmp_path: Path) -> SkillServer:
    server = SkillServer(open_store(tmp_path))
    server.install(skill_md("pdf"), FILES)
    server.install(skill_md("gone", SECRET), removed=True)
    server.install(skill_md("secret", SECRET), {"a.txt": SECRET.encode()}, scope=Scope("stranger", "project"))
    server.install(skill_md("secret", SECRET), {"a.txt": SECRET.encode()}, scope=Scope("tenant", "other"))
    return server


@pytest.mark.parametrize("uri", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_address_leads_nowhere(server: SkillServer, uri: str) -> None:
    for method in ("resources/read", "skills/get", "resources/directory/read"):
        if method == "resources/read" and uri.encode(errors="replace") != uri.encode(errors="surrogatepass"):
            continue  # no header can say it
        error = server.answer(method, {"uri": uri}).get("error")
        assert error is not None or (method, uri) == ("resources/directory/read", "skill://pdf/references")
        if error is not None:
            assert error["code"] in (-32602, -32700)
            assert SECRET not in error["message"]
            assert len(error["message"]) < 1000
    assert server.defects == []


@pytest.mark.parametrize("uri", HOSTILE, ids=range(len(HOSTILE)))
def test_nor_does_it_in_older_revisions(server: SkillServer, uri: str) -> None:
    error = server.answer("resources/read", {"uri": uri}, revision=HANDSHAKE[-1])["error"]
    assert error["code"] in (-32002, -32602, -32700)
    assert server.defects == []


@pytest.mark.parametrize("uri", [None, 5, [], {}, True])
def test_an_address_that_is_no_text_is_refused(server: SkillServer, uri: object) -> None:
    for method in ("skills/get", "resources/directory/read"):
        assert server.error_of(method, uri=uri)[0] == -32602


@pytest.mark.parametrize("uri", HOSTILE, ids=range(len(HOSTILE)))
def test_the_family_itself_takes_any_text_that_python_has(server: SkillServer, uri: str) -> None:
    """Over stdio another reader of JSON stands before it, which takes halves of characters."""
    call = Call(ANN, CLOCK, NoProgress())
    for ask in (server.skills.entry, server.skills.read):
        with pytest.raises(NotFound):
            ask(call, uri)
    if uri != "skill://pdf/references":
        with pytest.raises(NotFound):
            server.skills.children(call, uri)


def test_nothing_in_an_address_is_decoded_twice(server: SkillServer) -> None:
    read = {
        uri: server.result("resources/read", uri=f"skill://pdf/{uri}")["contents"][0]["text"]
        for uri in ("a%20b.txt", "a%2520b.txt", "a b.txt", "%252e%252e.txt", "%2e%2e.txt")
    }
    assert read == {
        "a%20b.txt": "space",
        "a%2520b.txt": "percent",
        "a b.txt": "space",
        "%252e%252e.txt": "dots",
        "%2e%2e.txt": "dots",
    }


def test_addresses_at_random_lead_to_files_of_the_skill_or_nowhere(server: SkillServer) -> None:
    dice = random.Random(2640)
    parts = [
        "skill://",
        "pdf",
        "secret",
        "/",
        "..",
        ".",
        "%2e",
        "%2f",
        "%",
        "SKILL.md",
        "references",
        "a.md",
        "\\",
        " ",
    ]
    parts += ["\u2215", "é", "#", "?", "@", ":", "//", "\x00", "tenant"]
    served = {"skill://pdf/SKILL.md", "skill://pdf/references/a.md"}
    for _ in range(1500):
        uri = dice.choice(["", "skill://", "skill://pdf/"]) + "".join(dice.choices(parts, k=dice.randint(1, 5)))
        answer = server.answer("resources/read", {"uri": uri})
        assert ("result" in answer) is (uri in served), uri
    assert server.defects == []


def test_a_cursor_is_taken_by_the_list_and_the_project_that_gave_it(server: SkillServer) -> None:
    other = Caller(Scope("stranger", "project"), actor="eve", key_id="key")
    for number in range(60):
        server.install(skill_md(f"skill-{number}"))
        server.install(skill_md(f"skill-{number}"), scope=other.scope)
    mine = server.result("skills/list")["nextCursor"]
    theirs = server.result("skills/list", caller=other)["nextCursor"]
    assert server.result("skills/list", cursor=mine)["skills"]
    assert server.result("resources/list", cursor=mine)["resources"]
    bad = [theirs, mine[:-1], mine + "A", mine.lower(), "", "0", "é", "A" * 100_000, "skill-1", "../..", "\ud800"]
    for cursor in bad:
        for method in ("skills/list", "resources/list"):
            error = server.answer(method, {"cursor": cursor})["error"]
            assert error["code"] in (-32602, -32700)
    assert server.error_of("resources/directory/read", uri="skill://pdf", cursor=mine)[0] == -32602
    assert server.defects == []


def test_names_that_cannot_be_addresses_are_named_and_not_served(server: SkillServer) -> None:
    # The reference validator takes letters of all scripts; not every client does in the host of an address.
    for name in ("café", "My Skill", "a--b", "Caps"):
        server.install(skill_md(name), name=name)
    page = server.result("skills/list")
    assert [skill["frontmatter"]["name"] for skill in page["skills"]] == ["pdf"]
    assert page["_meta"]["io.modelcontextprotocol.skills/notServed"] == ["Caps", "My Skill", "a--b", "café"]
    for uri in ("skill://café/SKILL.md", "skill://caf%C3%A9/SKILL.md", "skill://My%20Skill/SKILL.md"):
        assert server.error_of("resources/read", uri=uri)[0] == -32602


def test_a_scope_of_another_project_of_the_tenant_is_as_strange(server: SkillServer) -> None:
    caller = Caller(Scope(SCOPE.tenant, "third"), actor="ann", key_id="key")
    assert server.names(caller) == []
    assert server.error_of("resources/read", caller=caller, uri="skill://pdf/SKILL.md")[0] == -32602
