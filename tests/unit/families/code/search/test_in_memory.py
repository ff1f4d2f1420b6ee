"""Test that search_memory finds code and names its place."""

from almanac.families.code.indexer.analysis import analyse
from tests.unit.families.code.repository import Repository

TEXT = "class Session:\n    def refresh_token(self, token):\n        return token\n"


def test_hits_of_code_say_their_path_lines_and_symbol(repository: Repository) -> None:
    repository.index({"src/auth.py": TEXT}, analyse=analyse)
    hit = repository.app.do("search_memory", query="refresh_token", mode="code")["hits"][0]
    assert hit["title"].startswith("src/auth.py:2-3 Session.refresh_token")
    assert (hit["kind"], hit["source"]) == ("code", {"mode": "code", "family": "code"})
    assert "return token" in hit["content"]


def test_code_stands_beside_what_was_said(repository: Repository) -> None:
    repository.index({"src/auth.py": TEXT}, analyse=analyse)
    repository.app.do("record_turn", role="user", content="refresh_token fails")
    hits = repository.app.do("search_memory", query="refresh_token", include=["code"])["hits"]
    assert {"turn", "code"} <= {hit["kind"] for hit in hits}
