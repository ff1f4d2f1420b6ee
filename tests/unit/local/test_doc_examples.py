"""The examples on the pages of tools are answers, and the same with every run."""

import json

from almanac.composition.families import families_for_docs
from tools.documents.examples import CALLS, examples
from tools.documents.main import page


def test_two_runs_show_the_same() -> None:
    first = examples()
    examples.cache_clear()
    assert examples() == first


def test_an_event_a_card_a_note_and_an_overview_are_shown_as_they_look() -> None:
    shown = {tool: json.loads(answer) for tool, (_, answer) in examples().items()}
    event = shown["calendar_create_event"]["data"]
    assert (event["title"], event["start"]) == ("Review the plan", "2026-03-17T14:00:00-04:00")
    listed = shown["calendar_list_events"]["data"]["events"]
    assert event["id"] in [each["id"] for each in listed]
    assert shown["kanban_create_card"]["data"]["title"] == "Write the page"
    assert shown["notes_create"]["data"]["title"] == "Plan"
    assert {item["title"] for item in shown["daily_overview"]["data"]["items"]} >= {"Review the plan", "Write the page"}


def test_every_example_stands_on_the_page_of_its_family() -> None:
    pages = "\n".join(map(page, families_for_docs()))
    for tool, _ in CALLS:
        assert f"```json\n{examples()[tool][1]}\n```" in pages
