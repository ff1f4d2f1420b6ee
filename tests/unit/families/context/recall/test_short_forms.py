"""Short and long forms of a word find each other, on words that had no part in making the table."""

import pytest

from almanac.search.analysis.short_forms import other_forms
from almanac.search.analysis.stems import stem
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.context.storage.store_app import store_memory

OTHERS = ("The billing service retries failed payments three times", "Lunch is at noon on Fridays")
PAIRS = [
    ("Creds rotate every 90 days", "credentials rotation"),
    ("The k8s cluster runs in Frankfurt", "kubernetes cluster"),
    ("Reqs above 1 MB are refused", "requests"),
    ("Each impl lives beside its interface", "implementation"),
    ("Avg latency is 40 ms", "average latency"),
    ("cmd history is stored per user", "command history"),
    ("Spec files end in .spec.ts", "specification"),
    ("perms are checked in the gateway", "permissions"),
    ("Stack traces go to the dir named logs", "directory of stack traces"),
    ("The scheduler config is in cron.yml", "configuration of the scheduler"),
    ("We chose PostgreSQL 16", "pg"),
    ("Functions stay below forty lines", "fn"),
    ("Dependencies are pinned with hashes", "deps"),
    ("Timezones are IANA names", "tz"),
    ("The repository holds all services", "repo"),
    ("Utilities go into one package", "utils"),
]


@pytest.mark.parametrize(("content", "query"), PAIRS)
def test_either_form_finds_the_other(app: ProjectApp, content: str, query: str) -> None:
    for other in OTHERS:
        store_memory(app, other)
    wanted = store_memory(app, content)

    fresh = app.do("context_recall", query=query, threshold=0.5)["results"]
    app.follow()
    indexed = app.do("context_recall", query=query, threshold=0.5)["results"]

    assert [hit["memory"]["id"] for hit in fresh] == [wanted]
    assert [hit["memory"]["id"] for hit in indexed] == [wanted]


def test_a_word_finds_itself_and_its_other_form(app: ProjectApp) -> None:
    other = store_memory(app, "Users sign in through the auth gateway")
    same = store_memory(app, "Users sign in through the authentication gateway")

    found = app.do("context_recall", query="authentication", threshold=0)["results"]

    assert {hit["memory"]["id"] for hit in found} == {same, other}


def test_long_forms_of_one_short_form_do_not_find_each_other(app: ProjectApp) -> None:
    store_memory(app, "Authorization is checked for every tool")

    assert app.do("context_recall", query="authentication", threshold=0)["results"] == []


def test_the_example_of_the_contract_is_found_by_words_alone(app: ProjectApp) -> None:
    content = "Fixed auth token refresh race condition by adding a mutex lock around the refresh call"
    fixed = store_memory(app, content, type="bug_fix", metadata={"tags": ["auth", "race-condition"]})
    for other in OTHERS:
        store_memory(app, other)

    narrowed: Json = {"types": ["bug_fix"], "layers": [2, 3], "tags": ["auth"]}
    found = app.do("context_recall", query="authentication error handling", threshold=0.3, limit=5, filter=narrowed)

    assert [hit["memory"]["id"] for hit in found["results"]] == [fixed]


def test_forms_go_both_ways_and_never_to_themselves() -> None:
    assert set(other_forms("auth")) >= {stem("authentication"), stem("authorization")}
    assert "auth" in other_forms(stem("authentication"))
    assert stem("authorization") not in other_forms(stem("authentication"))
    assert other_forms("zebra") == ()
