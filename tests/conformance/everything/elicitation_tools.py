"""Tools that put questions to the client, in one round and in several."""

from typing import Any

from almanac.protocol.content import Content
from almanac.protocol.elicitation import Elicitation, InputRequired, Question, ask_model
from almanac.protocol.tool import Effect, tool
from tests.conformance.everything.content_tools import text
from tests.conformance.everything.questions import ask_person, ask_roots

Json = dict[str, Any]


def _form(field: str, kind: str = "string") -> Json:
    return {"type": "object", "properties": {field: {"type": kind}}, "required": [field]}


_NAME = ask_person("What is your name?", _form("name"))
_CONFIRM = ask_person("Please confirm", _form("ok", "boolean"))


@tool(title="Ask for a name", effect=Effect.READS)
def test_input_required_result_elicitation(*, elicitation: Elicitation) -> Content:
    """Ask a person, then greet."""
    filled = elicitation.accepted_form("user_name")
    if filled is None:
        raise InputRequired({"user_name": _NAME})
    return text(f"Hello, {filled.get('name')}!")


@tool(title="Ask a model", effect=Effect.READS)
def test_input_required_result_sampling(*, elicitation: Elicitation) -> Content:
    """Ask the client's model."""
    answer = elicitation.answers.get("capital_question")
    if answer is None:
        raise InputRequired({"capital_question": ask_model("What is the capital of France?", 100)})
    return text(f"The model said: {answer.get('content', {}).get('text', '')}")


@tool(title="Ask for folders", effect=Effect.READS)
def test_input_required_result_list_roots(*, elicitation: Elicitation) -> Content:
    """Ask which folders the client works in."""
    answer = elicitation.answers.get("client_roots")
    if answer is None:
        raise InputRequired({"client_roots": ask_roots()})
    return text(f"{len(answer.get('roots', []))} roots")


@tool(title="Keep state", effect=Effect.READS)
def test_input_required_result_request_state(*, elicitation: Elicitation) -> Content:
    """Ask, and find the state again."""
    if elicitation.state is None or elicitation.accepted_form("confirm") is None:
        raise InputRequired({"confirm": _CONFIRM}, state="waiting for confirmation")
    return text("state-ok")


@tool(title="Refuse forged state", effect=Effect.READS)
def test_input_required_result_tampered_state(*, elicitation: Elicitation) -> Content:
    """Ask, and accept the genuine state only."""
    if elicitation.state is None or elicitation.accepted_form("confirm") is None:
        raise InputRequired({"confirm": _CONFIRM}, state="genuine")
    return text("state-ok")


@tool(title="Ask three things", effect=Effect.READS)
def test_input_required_result_multiple_inputs(*, elicitation: Elicitation) -> Content:
    """Ask a person, a model and for folders at once."""
    wanted = {"user_name": _NAME, "greeting": ask_model("Generate a greeting", 50), "client_roots": ask_roots()}
    if elicitation.state is None or not wanted.keys() <= elicitation.answers.keys():
        raise InputRequired(wanted, state="waiting for all")
    return text("All answered.")


@tool(title="Ask twice", effect=Effect.READS)
def test_input_required_result_multi_round(*, elicitation: Elicitation) -> Content:
    """Ask for a name, then for a colour."""
    state: Json = elicitation.state or {}
    if (named := elicitation.accepted_form("step1")) is not None:
        state = {"name": named.get("name")}
    if "name" not in state:
        raise InputRequired({"step1": ask_person("Step 1: What is your name?", _form("name"))}, state={"step": 1})
    filled = elicitation.accepted_form("step2")
    if filled is None:
        raise InputRequired({"step2": ask_person("Step 2: What is your favorite color?", _form("color"))}, state=state)
    return text(f"{state['name']} likes {filled.get('color')}.")


@tool(title="Ask what can be asked", effect=Effect.READS)
def test_input_required_result_capabilities(*, elicitation: Elicitation) -> Content:
    """Ask only what the client declared."""
    offered: dict[str, Question] = {"user_name": _NAME, "greeting": ask_model("Generate a greeting", 50)}
    wanted = {
        key: one for key, one in offered.items() if elicitation.can(one.capability) and key not in elicitation.answers
    }
    if wanted:
        raise InputRequired(wanted)
    return text("Nothing to ask.")


@tool(title="Need a model", effect=Effect.READS)
def test_missing_capability(*, elicitation: Elicitation) -> Content:
    """Need what a client may not have declared."""
    if "completion" not in elicitation.answers:
        raise InputRequired({"completion": ask_model("Say something.", 20)})
    return text("Said.")


@tool(title="Ask on a stream", effect=Effect.READS)
def test_streaming_elicitation(*, elicitation: Elicitation) -> Content:
    """Ask a person; never as a request of its own."""
    if "user_name" not in elicitation.answers:
        raise InputRequired({"user_name": _NAME})
    return text("Answered.")
