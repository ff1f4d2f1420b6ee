import pytest

from almanac.protocol.wire.resources import match_template


@pytest.mark.parametrize(
    ("template", "uri", "values"),
    [
        ("test://a/{id}/b", "test://a/7/b", {"id": "7"}),
        ("test://a/{id}/b", "test://a/caf%C3%A9%2Fx/b", {"id": "café/x"}),
        ("x://{one}/{two}", "x://1/2", {"one": "1", "two": "2"}),
        ("x://{name}.md", "x://read.me.md", {"name": "read.me"}),
        ("x://plain", "x://plain", {}),
    ],
)
def test_a_template_gives_the_values_of_its_braces(template: str, uri: str, values: dict[str, str]) -> None:
    assert match_template(template, uri) == values


@pytest.mark.parametrize(
    ("template", "uri"),
    [
        ("test://a/{id}/b", "test://a//b"),
        ("test://a/{id}/b", "test://a/1/2/b"),
        ("test://a/{id}/b", "test://a/1/bc"),
        ("x://{name}.md", "x://readmeXmd"),
        ("x://{name}", "x://a\nb/"),
    ],
)
def test_an_address_of_another_form_does_not_match(template: str, uri: str) -> None:
    assert match_template(template, uri) is None
