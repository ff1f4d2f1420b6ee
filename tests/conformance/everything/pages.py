"""Resources, templates and prompts of the fixture family."""

import json
from collections.abc import Mapping, Sequence

from almanac.protocol.content import EmbeddedResource, ImageContent, PromptMessage, ResourceContents, TextContent
from almanac.protocol.family import Prompt, PromptArgument, Resource, ResourceTemplate
from tests.conformance.everything.media import PNG
from tests.conformance.everything.questions import ask_person

_WORDS = ("paris", "park", "party", "test", "testing")


def _page(name: str, contents: ResourceContents) -> Resource:
    return Resource(contents.uri, name, name, f"{name}, for tests.", lambda: contents, contents.mime_type)


RESOURCES = (
    _page("Static text", ResourceContents("test://static-text", text="The content of the static text resource.")),
    _page("Static binary", ResourceContents("test://static-binary", "image/png", blob=PNG)),
    _page("Watched", ResourceContents("test://watched-resource", text="Watched resource content")),
)


def _fill_template(values: Mapping[str, str]) -> ResourceContents:
    uri = f"test://template/{values['id']}/data"
    body = {"id": values["id"], "templateTest": True, "data": f"Data for ID: {values['id']}"}
    return ResourceContents(uri, "application/json", json.dumps(body))


def _suggest(_argument: str, typed: str) -> Sequence[str]:
    return [word for word in _WORDS if word.startswith(typed)]


TEMPLATES = (
    ResourceTemplate(
        "test://template/{id}/data",
        "Template",
        "Template",
        "A page by id.",
        _fill_template,
        "application/json",
        _suggest,
    ),
)


def _user_messages(*texts: str) -> Sequence[PromptMessage]:
    return [PromptMessage("user", TextContent(one)) for one in texts]


def _simple(_: Mapping[str, str]) -> Sequence[PromptMessage]:
    return _user_messages("This is a simple prompt for testing.")


def _with_arguments(given: Mapping[str, str]) -> Sequence[PromptMessage]:
    return _user_messages(f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'")


def _with_page(given: Mapping[str, str]) -> Sequence[PromptMessage]:
    page = ResourceContents(given["resourceUri"], text="Embedded resource content for testing.")
    return [
        PromptMessage("user", EmbeddedResource(page)),
        *_user_messages("Please process the embedded resource above."),
    ]


def _with_image(_: Mapping[str, str]) -> Sequence[PromptMessage]:
    return [PromptMessage("user", ImageContent(PNG, "image/png")), *_user_messages("Please analyze the image above.")]


def _with_context(given: Mapping[str, str]) -> Sequence[PromptMessage]:
    return _user_messages(f"Use this context: {given['context']}")


_CONTEXT_FORM = {"type": "object", "properties": {"context": {"type": "string"}}, "required": ["context"]}

PROMPTS = (
    Prompt("test_simple_prompt", "Simple", "A prompt without arguments.", _simple),
    Prompt(
        "test_prompt_with_arguments",
        "Arguments",
        "A prompt with two arguments.",
        _with_arguments,
        (PromptArgument("arg1", "The first.", required=True), PromptArgument("arg2", "The second.", required=True)),
        _suggest,
    ),
    Prompt(
        "test_prompt_with_embedded_resource",
        "Page",
        "A prompt with a page inside.",
        _with_page,
        (PromptArgument("resourceUri", "Which page.", required=True),),
    ),
    Prompt("test_prompt_with_image", "Image", "A prompt with an image inside.", _with_image),
    Prompt(
        "test_input_required_result_prompt",
        "Question",
        "A prompt that asks first.",
        _with_context,
        questions={"user_context": ask_person("What context should the prompt use?", _CONTEXT_FORM)},
    ),
)
