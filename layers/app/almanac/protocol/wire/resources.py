"""Resources, prompts and completion: everything a family offers besides its tools."""

import re
from collections.abc import Mapping, Sequence

import msgspec

from almanac.protocol.content import ResourceContents
from almanac.protocol.elicitation import Elicitation, InputRequired
from almanac.protocol.family import Prompt
from almanac.protocol.message.rpc import INVALID_PARAMS, Json, RpcError
from almanac.protocol.skills import SKILL_TEMPLATE
from almanac.protocol.toolset import View
from almanac.protocol.wire.params import PartialArgument, PromptReference, TemplateReference

MAX_COMPLETIONS = 100

_BRACES = r"\{([A-Za-z_][A-Za-z0-9_]*)\}"
_ARGUMENTS = r"\{\+?([A-Za-z_][A-Za-z0-9_]*)\}"


class NoSuchResource(Exception):
    """Raised when no page of the view has the address."""


def read_resource(view: View, uri: str) -> ResourceContents:
    """Return the page at `uri`. NoSuchResource if there is none."""
    for resource in view.resources:
        if resource.uri == uri:
            return resource.read()
    for drawn in view.chat_views:
        if drawn.uri == uri:
            # A page without a content policy of its own may load nothing from other hosts.
            return ResourceContents(uri, drawn.mime_type, text=drawn.read(), meta={"ui": {"prefersBorder": True}})
    for template in view.resource_templates:
        if (values := match_template(template.uri_template, uri)) is not None:
            return template.read(values)
    raise NoSuchResource


def match_template(uri_template: str, uri: str) -> dict[str, str] | None:
    """Return the values of the template's braces in `uri`, percent-decoded; None if it does not match.

    A value never contains a `/` before decoding.
    """
    from urllib.parse import unquote  # noqa: PLC0415 - a tenth of the cold start, for templates only

    pieces = re.split(_BRACES, uri_template)
    pattern = "".join(f"(?P<{piece}>[^/]+)" if i % 2 else re.escape(piece) for i, piece in enumerate(pieces))
    match = re.fullmatch(pattern, uri)
    return {name: unquote(value) for name, value in match.groupdict().items()} if match else None


def get_prompt(view: View, name: str, arguments: Mapping[str, str], elicitation: Elicitation) -> Json:
    """Return the rendered prompt as MCP's GetPromptResult.

    RpcError for an unknown name or a missing or unknown argument. InputRequired while its questions are unanswered.
    """
    prompt = _prompt(view, name)
    known = {argument.name for argument in prompt.arguments}
    if missing := sorted(a.name for a in prompt.arguments if a.required and a.name not in arguments):
        raise RpcError(INVALID_PARAMS, f"The prompt {name} needs the arguments {', '.join(missing)}.")
    if unknown := sorted(set(arguments) - known):
        raise RpcError(INVALID_PARAMS, f"The prompt {name} takes no argument {unknown[0][:60]}.")
    messages = prompt.render({**arguments, **_collect_answers(prompt, elicitation)})
    return {"description": prompt.description, "messages": msgspec.to_builtins(list(messages))}


def _collect_answers(prompt: Prompt, elicitation: Elicitation) -> dict[str, str]:
    """Return the answers of the person, by field. Raises InputRequired while questions are unanswered."""
    open_questions = {key: one for key, one in prompt.questions.items() if key not in elicitation.answers}
    if open_questions:
        raise InputRequired(open_questions)
    filled: dict[str, str] = {}
    for key in prompt.questions:
        content = elicitation.accepted_form(key)
        if content is None:
            raise RpcError(INVALID_PARAMS, f"The prompt {prompt.name} cannot go on: its question was declined.")
        filled |= {field: str(value) for field, value in content.items()}
    return filled


def complete(view: View, ref: PromptReference | TemplateReference, argument: PartialArgument) -> Json:
    """Return MCP's CompleteResult: at most 100 values, best first, and their total number."""
    if isinstance(ref, PromptReference):
        prompt = _prompt(view, ref.name)
        completer, names = prompt.complete, [one.name for one in prompt.arguments]
    else:
        templates = {
            resource_template.uri_template: resource_template.complete for resource_template in view.resource_templates
        }
        if view.skills is not None:
            templates[SKILL_TEMPLATE] = None
        if ref.uri not in templates:
            raise RpcError(INVALID_PARAMS, "No resource template has that uri. resources/templates/list has them all.")
        completer, names = templates[ref.uri], re.findall(_ARGUMENTS, ref.uri)
    if argument.name not in names:
        raise RpcError(
            INVALID_PARAMS, f"There is no argument {argument.name[:60]}. Known: {', '.join(names) or 'none'}."
        )
    values: Sequence[str] = completer(argument.name, argument.value) if completer else ()
    listed = list(values[:MAX_COMPLETIONS])
    return {"completion": {"values": listed, "total": len(values), "hasMore": len(values) > len(listed)}}


def _prompt(view: View, name: str) -> Prompt:
    for prompt in view.prompts:
        if prompt.name == name:
            return prompt
    raise RpcError(INVALID_PARAMS, f"No prompt is called {name[:60]}. prompts/list has them all.")
