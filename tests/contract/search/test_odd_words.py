"""Words that are no words elsewhere are found, and first; none of them is syntax to an index."""

import pytest

from almanac.kernel.caller import Scope
from almanac.search.analysis.derivation import Deriver
from almanac.search.port import Document, Profile
from tests.contract.search.settled_index import SettledIndex

ODD = [
    "rm -rf",
    "C++",
    "C#",
    "F#",
    ".NET",
    "src/auth/login.py",
    r"C:\Users\ann",
    "/etc/passwd",
    "user_id",
    "parseHTTPResponse",
    "v1.2.3-rc.1",
    "https://example.com/a?b=c&d=e",
    "ann@example.com",
    "#1234",
    "--no-verify",
    "東京",
    "寿司が好き",
    "한국어",
    "☕",
    "👩‍💻",
    '"quoted words"',
    "NOT tea",
    "AND OR NEAR(",
    "title:secret",
    "naïve café",
    "'; DROP TABLE documents; --",
    "100%_*?",
]
_DERIVER = Deriver(None)


@pytest.mark.parametrize("profile", ["talk", "documents", "code"])
def test_each_odd_word_is_found_first(search_index: SettledIndex, scope: Scope, profile: Profile):
    search_index.write(scope, *(_DERIVER.entry(_document(str(at), profile, word)) for at, word in enumerate(ODD)))
    found = {word: _first(search_index, scope, profile, word) for word in ODD}
    assert found == {word: {str(at)} for at, word in enumerate(ODD)}


def _document(id: str, profile: Profile, word: str) -> Document:
    return Document(id=id, kind="note", profile=profile, version=1, text=f"we spoke of {word} for long")


def _first(searched: SettledIndex, scope: Scope, profile: Profile, word: str) -> set[str]:
    question = _DERIVER.parse_question(word, profile).question
    return searched.search_ids(scope, question, profile=profile, legs=["words"], size=1)
