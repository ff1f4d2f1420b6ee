"""Arguments arrive from many clients: stringified parts are read, everything else that does not fit is refused well."""

import json
from typing import Annotated, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta

from almanac.kernel.errors import InvalidInput
from almanac.protocol.arguments.conversion import coerce, convert
from almanac.protocol.arguments.schema import of_arguments, of_result


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    depth: int = 1
    word: str = ""


class Arguments(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    name: Annotated[str, Meta(description="Who.", examples=["Ada"], min_length=1, max_length=10)]
    size: Annotated[int, Meta(ge=1, le=9)] = 3
    ratio: float = 0.5
    loud: bool = False
    mode: Literal["fast", "slow"] = "fast"
    inner: Inner | None = None
    inners: list[Inner] | None = None
    free: dict[str, Any] | None = None
    words: list[str] | None = None
    either: str | list[str] | None = None


def refusal_of(**arguments: Any) -> str:
    with pytest.raises(InvalidInput) as error:
        convert(arguments, Arguments)
    return str(error.value)


def test_what_fits_is_taken():
    assert convert({"name": "Ada", "inner": {"depth": 2}}, Arguments).inner == Inner(2)


def test_numbers_and_truths_that_arrive_as_strings_are_read():
    taken = convert({"name": "Ada", "size": "7", "ratio": "1.5", "loud": "true"}, Arguments)

    assert (taken.size, taken.ratio, taken.loud) == (7, 1.5, True)


def test_objects_and_lists_that_arrive_as_strings_are_read_at_any_depth():
    taken = convert(
        {"name": "Ada", "inner": '{"depth": "2"}', "inners": ['{"depth": 3}'], "free": '{"a": [1]}'}, Arguments
    )

    assert taken.inner == Inner(2)
    assert taken.inners == [Inner(3)]
    assert taken.free == {"a": [1]}


def test_a_genuine_string_is_left_alone_even_where_it_reads_as_json():
    taken = convert({"name": "12", "either": '["a"]', "inner": {"word": "{}"}, "inners": "[]"}, Arguments)

    assert (taken.name, taken.either, taken.inner, taken.inners) == ("12", '["a"]', Inner(word="{}"), [])


def test_a_null_for_an_optional_argument_means_that_it_was_left_out():
    assert convert({"name": "Ada", "size": None, "mode": None}, Arguments).size == 3


def test_a_missing_argument_is_named_with_its_purpose_and_an_example():
    assert refusal_of() == '"name" is required: Who. Example: "Ada".'


def test_an_unknown_argument_is_named_with_the_nearest_one():
    assert 'Unknown argument "sise". Did you mean "size"?' in refusal_of(name="Ada", sise=2)


def test_all_that_is_wrong_is_said_at_once_with_paths():
    said = refusal_of(name="", size=12, mode="quick", inners=[{"depth": 1}, {"depth": "deep"}])

    assert '"name" must not be empty. Example: "Ada".' in said
    assert '"size" must be from 1 to 9, but 12 was received.' in said
    assert '"mode" must be one of "fast", "slow", but "quick" was received.' in said
    assert '"inners[1].depth" must be a whole number, but "deep" was received.' in said


def test_a_choice_that_is_missing_or_of_another_type_is_refused_with_the_values_that_it_has():
    class ChoiceResult(msgspec.Struct):
        mode: Annotated[Literal["fast", "slow"], Meta(description="How to go.")]
        level: Literal[1, 2] = 1

    with pytest.raises(InvalidInput, match=r'"mode" is required: How to go\. One of "fast", "slow"\.'):
        convert({}, ChoiceResult)
    with pytest.raises(InvalidInput, match=r'"level" must be one of 1, 2, but true was received\.'):
        convert({"mode": "fast", "level": True}, ChoiceResult)
    assert '"mode" must be one of "fast", "slow", but 5 was received.' in refusal_of(name="Ada", mode=5)


def test_a_value_in_place_of_a_list_is_refused_with_the_list_to_write():
    assert refusal_of(name="Ada", words="a") == '"words" must be a list, but "a" was received. Example: ["a"].'
    assert refusal_of(name="Ada", words=5) == '"words" must be a list, but 5 was received.'


def test_a_value_in_place_of_an_object_is_refused_with_the_names_of_its_fields():
    said = refusal_of(name="Ada", inners=["deep"])

    assert said == '"inners[0]" must be an object, but "deep" was received. Its fields are depth, word.'


def test_true_is_no_number():
    assert '"size" must be a whole number, but true was received.' in refusal_of(name="Ada", size=True)


def test_a_long_value_is_cut_in_the_refusal():
    assert len(refusal_of(name="Ada", size="x" * 10_000)) < 200


def test_one_of_several_types_is_said_as_such():
    assert '"either" must be a list or a string, but 5 was received.' in refusal_of(name="Ada", either=5)


def test_arguments_that_are_no_object_are_refused():
    with pytest.raises(InvalidInput, match="must be an object"):
        convert([1], Arguments)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.slow
@given(st.dictionaries(st.sampled_from(list(Arguments.__struct_fields__)) | st.text(max_size=5), json_values))
def test_no_arguments_whatever_raise_anything_but_a_refusal(arguments: dict[str, Any]):
    try:
        convert(arguments, Arguments)
    except InvalidInput as refusal:
        assert refusal.message


@given(json_values)
def test_coercing_twice_changes_nothing_more(value: Any):
    schema = of_arguments(Arguments)
    once = coerce({"name": "Ada", "inner": value}, schema)

    assert repr(coerce(once, schema)) == repr(once)


@pytest.mark.parametrize("text", ["nan", "NaN", "inf", "-Infinity"])
def test_a_text_that_is_no_json_number_is_no_number(text: str):
    assert '"ratio" must be a number' in refusal_of(name="Ada", ratio=text)


def test_a_whole_number_may_be_written_with_a_fraction_of_zero():
    assert convert({"name": "Ada", "size": 5.0}, Arguments).size == 5
    assert convert({"name": "Ada", "size": "5.0"}, Arguments).size == 5


def test_an_enumeration_has_the_type_that_all_its_values_have():
    class Result(msgspec.Struct):
        done: Literal[True]
        level: Literal[1, 2]
        word: Literal["a", "b"] | None
        mixed: Literal[1, "a"]

    found = of_result(Result)["properties"]
    assert found["done"] == {"enum": [True], "type": "boolean"}
    assert found["level"] == {"enum": [1, 2], "type": "integer"}
    # Not said to be a text: a client would refuse the null, or the number.
    assert "string" not in json.dumps([found["mixed"], found["word"].get("type")])
