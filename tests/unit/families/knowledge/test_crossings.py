"""Test the parts of knowledge together, through the tools."""

from almanac.composition.families import every_redactable
from tests.project_app import ProjectApp


def _objects(app: ProjectApp, subject: str, same_as: bool = False) -> list[str]:
    return sorted(one["object"] for one in app.do("query_facts", subject=subject, same_as=same_as)["facts"])


def test_names_that_an_edge_calls_the_same_are_asked_about_together_when_somebody_wants_that(app: ProjectApp) -> None:
    app.do("record_fact", subject="Bob", predicate="lives_in", object="Oslo")
    app.do("record_fact", subject="Robert", predicate="works_at", object="Acme")
    app.do("create_edge", src_id="subject:Bob", dst_id="subject:Robert", kind="same_as")
    assert _objects(app, subject="Bob") == ["Oslo"]
    assert _objects(app, subject="Bob", same_as=True) == ["Acme", "Oslo"]
    assert _objects(app, subject="Robert", same_as=True) == ["Acme", "Oslo"]
    app.do("create_edge", src_id="subject:Bob", dst_id="subject:Robert", kind="same_as", remove=True)
    assert _objects(app, subject="Bob", same_as=True) == ["Oslo"]


def test_a_scan_for_secrets_looks_at_facts_too() -> None:
    assert "fact" in {each.where for each in every_redactable()}
