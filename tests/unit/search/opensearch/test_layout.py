"""Test that OpenSearch keeps compared values apart, with any texts."""

from hypothesis import given
from hypothesis import strategies as st

from almanac.kernel.caller import Scope
from almanac.search.opensearch import layout

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(texts, texts, texts, texts)
def test_two_projects_share_no_key(tenant: str, project: str, other_tenant: str, other_project: str):
    one, other = Scope(tenant, project), Scope(other_tenant, other_project)
    assert (layout.scope_key(one) == layout.scope_key(other)) == (one == other)
    assert (layout.corpus_key(one, "talk") == layout.corpus_key(other, "talk")) == (one == other)
    assert layout.scope_key(one) != layout.corpus_key(other, "talk")


def test_where_tenant_and_project_meet_says_nothing():
    assert layout.corpus_key(Scope("a", "bc"), "talk") != layout.corpus_key(Scope("ab", "c"), "talk")
    assert layout.attribute("a", "bc") != layout.attribute("ab", "c")


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_a_term_is_one_token_for_an_analyzer_that_splits_at_blanks(term: str):
    token = layout.token(term)
    assert token
    assert token.split() == [token]
    assert len(token.encode()) < 1000


@given(st.lists(st.text(st.sampled_from("ab \u00a0\u3000\t\n\x1c#"), max_size=200), unique=True, max_size=20))
def test_different_terms_are_different_tokens(terms: list[str]):
    assert len({layout.token(term) for term in terms}) == len(terms)


def test_long_values_differ_behind_their_common_beginning():
    long = "x" * 40_000
    assert layout.exact(long) == layout.exact(long)
    assert layout.exact(long) != layout.exact(f"{long}y")
    assert len(layout.exact(long)) < 400


def test_every_id_fits_what_opensearch_takes():
    assert len(layout.document_key("corpus", "é" * 5000)) <= 512
