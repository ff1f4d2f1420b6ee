"""What a turn is made of before it is recorded."""

from typing import Any

import pytest
from msgspec import convert

from almanac.families.memory.turns.turn_input import AHEAD_MS, Gate, TurnInput, validate_turn
from almanac.families.team.claims.requirement import Requirement
from almanac.kernel.errors import InvalidInput

NOW = 1_771_425_000_000
SECRET = "AKIAZ7Q3MNPLX4RW2TUV"


def validated_turn(**given: Any):
    return validate_turn(convert({"content": "x", **given}, TurnInput), NOW, int)


def test_findings_tell_where_each_secret_stood():
    turn = validated_turn(
        content=f"a {SECRET}", metadata={"env": {"key": SECRET}}, speaker=SECRET, tool=SECRET, tags=[SECRET]
    )

    assert {finding.path for finding in turn.findings} == {"content", "metadata.env.key", "speaker", "tool", "tags[0]"}
    assert turn.redacted_kinds == ("aws_access_key",)
    assert (turn.speaker, turn.tool) == ("[REDACTED:aws_access_key]", "[REDACTED:aws_access_key]")


def test_a_turn_without_secrets_is_as_it_was_given():
    turn = validated_turn(content=" a\n", metadata={"b": [1, "c"]}, tags=["t", "u", "t"], speaker="Ann")

    assert (turn.texts.content, turn.texts.metadata, turn.texts.tags) == (" a\n", {"b": [1, "c"]}, ("t", "u"))
    assert (turn.findings, turn.redacted_kinds, turn.speaker, turn.at) == ((), (), "Ann", None)


def test_the_order_of_tags_and_of_metadata_makes_no_difference():
    one = validated_turn(tags=["a", "b"], metadata={"x": 1, "y": {"p": 1, "q": 2}})
    other = validated_turn(tags=["b", "a"], metadata={"y": {"q": 2, "p": 1}, "x": 1})

    assert one.digest == other.digest


def test_what_is_no_part_of_the_turn_makes_no_difference():
    more: dict[str, Any] = {"tool": "cli", "client_turn_id": "c", "requires_claim": "story:1", "claim_policy": "hard"}

    assert validated_turn(**more).digest == validated_turn().digest


def test_the_claim_that_it_requires_is_read_with_its_holder():
    turn = validated_turn(requires_claim="story:1", holder="h", claim_token=7, claim_policy="hard")

    assert turn.gate == Gate(Requirement("story:1", "h", 7), is_hard=True)
    assert validated_turn().gate is None


@pytest.mark.parametrize(("at", "taken"), [(0, True), (NOW + AHEAD_MS, True), (NOW + AHEAD_MS + 1, False)])
def test_it_happened_between_1970_and_a_year_from_now(at: int, taken: bool):
    if taken:
        assert validated_turn(occurred_at=at).at == at
    else:
        with pytest.raises(InvalidInput, match="occurred_at"):
            validated_turn(occurred_at=at)
