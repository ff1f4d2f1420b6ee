"""Test the address of the search index and the signing of requests to it."""

import pytest

from almanac.composition.search_on_aws import address_of, open_opensearch
from almanac.composition.settings import read_settings
from almanac.kernel.errors import InvalidInput


@pytest.mark.parametrize(
    ("endpoint", "address"),
    [
        ("search-x.eu-central-1.es.amazonaws.com", "https://search-x.eu-central-1.es.amazonaws.com"),
        ("https://search.example.com/", "https://search.example.com"),
        ("127.0.0.1:9200", "http://127.0.0.1:9200"),
        ("http://localhost:9200", "http://localhost:9200"),
    ],
)
def test_an_endpoint_has_a_scheme_or_is_given_one(endpoint: str, address: str):
    assert address_of(endpoint) == address


def test_nothing_is_signed_to_an_unprotected_address():
    with pytest.raises(InvalidInput, match="http"):
        address_of("http://search.example.com")


def test_an_index_elsewhere_needs_a_region():
    with pytest.raises(InvalidInput, match="AWS_REGION is not set"):
        open_opensearch(read_settings({"ALMANAC_SEARCH_ENDPOINT": "search.example.com"}))


def test_an_index_elsewhere_needs_credentials(monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    settings = read_settings({"ALMANAC_SEARCH_ENDPOINT": "search.example.com", "AWS_REGION": "eu-central-1"})
    with pytest.raises(InvalidInput, match="credentials"):
        open_opensearch(settings)


def test_a_node_on_this_machine_needs_no_credentials():
    settings = read_settings({"ALMANAC_SEARCH_ENDPOINT": "127.0.0.1:9200", "AWS_REGION": "eu-central-1"})
    assert open_opensearch(settings).visible_after_ms > 0
