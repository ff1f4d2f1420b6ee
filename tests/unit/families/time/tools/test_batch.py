"""batch_datetime_operations as a caller sees it."""

from tests.unit.families.time.tools.answers import answer, refusal


def test_one_bad_item_fails_alone():
    ran = answer(
        "batch_datetime_operations",
        items=[
            {"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "America/New_York"},
            {"operation": "resolve", "local_datetime": "soon", "time_zone": "America/New_York"},
            {"operation": "convert", "instant_utc": "2026-06-15T15:00:00Z", "target_time_zone": "Europe/London"},
            {"operation": "fly"},
            "nonsense",
            {"operation": "convert", "instant_utc": "2026-06-15T15:00:00Z"},
            {"operation": "validate", "local_datetime": "2026-03-08T02:30:00", "time_zone": "Mars/Base"},
        ],
    )

    assert [result["index"] for result in ran["results"]] == list(range(7))
    assert [result["success"] for result in ran["results"]] == [True, False, True, False, False, False, True]
    assert (ran["total"], ran["succeeded"], ran["failed"]) == (7, 3, 4)
    assert ran["results"][0]["data"]["reason_code"] == "DST_GAP"
    assert {result["error"]["code"] for result in ran["results"] if "error" in result} == {"VALIDATION_FAILED"}
    assert ran["results"][6]["data"]["reason_code"] == "INVALID_TIMEZONE"


def test_policies_are_nested_and_a_refusal_carries_the_contracts_code():
    ran = answer(
        "batch_datetime_operations",
        items=[
            {
                "operation": "resolve",
                "local_datetime": "2026-11-01T01:30:00",
                "time_zone": "America/New_York",
                "resolution_policy": policy,
            }
            for policy in ({"ambiguous": "later"}, {"ambiguous": "reject"})
        ],
    )

    assert ran["results"][0]["data"]["instant_utc"] == "2026-11-01T06:30:00.000Z"
    assert ran["results"][1]["error"]["code"] == "DST_OVERLAP"


def test_from_1_to_100_items_are_taken_also_as_a_string():
    item = '{"operation": "validate", "local_datetime": "2026-01-01T00:00:00", "time_zone": "UTC"}'

    assert answer("batch_datetime_operations", items=f"[{item}]")["succeeded"] == 1
    assert answer("batch_datetime_operations", items=[item] * 100)["succeeded"] == 100
    assert "at most 100 entries" in refusal("batch_datetime_operations", items=[item] * 101)
    assert "must not be empty" in refusal("batch_datetime_operations", items=[])
