"""The verdict on a text, with its findings."""

from dataclasses import dataclass
from enum import StrEnum

EXCERPT_LENGTH = 80


class Kind(StrEnum):
    """Kind of a finding; each kind has its own advice."""

    ROLE_MARKER = "role_marker"
    OVERRIDE = "instruction_override"
    PERSONA = "persona_change"
    SECRET_REQUEST = "secret_request"  # noqa: S105
    EXFILTRATION = "exfiltration"
    ACTIVE_LINK = "active_link"
    STEERED_REPLY = "steered_reply"
    ENCODED_TEXT = "encoded_text"
    HIDDEN_TEXT = "hidden_text"
    TOOL_REQUEST = "tool_request"
    COMMAND = "shell_command"
    MADE_UP_TURN = "made_up_turn"
    ORDER_TO_MODEL = "order_to_model"
    TOO_LONG = "too_long"


_MEANING: dict[Kind, tuple[str, str]] = {
    Kind.ROLE_MARKER: (
        "holds markup of a conversation with a language model",
        "Leave out chat and tool-call markup and write who said what in plain words, e.g. 'Ada said: ...'.",
    ),
    Kind.OVERRIDE: (
        "tells a language model to drop its instructions",
        "Say what has changed instead of what to ignore, e.g. 'The room has changed to 4B'.",
    ),
    Kind.PERSONA: (
        "tells a language model what to be",
        "Describe the matter itself, without telling a model what to be or which mode to enter.",
    ),
    Kind.SECRET_REQUEST: (
        "asks the reader for a secret",
        "Leave out requests for passwords, keys or prompts; name the person to ask instead.",
    ),
    Kind.EXFILTRATION: (
        "asks to send data along with a link or message",
        "Use a plain link without placeholders, and do not ask to send data along.",
    ),
    Kind.ACTIVE_LINK: (
        "holds a link or markup that runs code",
        "Use an https link; data: and javascript: links and scripts are not kept.",
    ),
    Kind.STEERED_REPLY: (
        "tells a language model how to word its reply",
        "Leave out how an assistant should word its reply.",
    ),
    Kind.ENCODED_TEXT: ("hides text in an encoding", "Write the text itself, in ordinary letters."),
    Kind.HIDDEN_TEXT: (
        "hides text in characters that nobody sees",
        "Write what is to be read in visible characters, and leave out the rest.",
    ),
    Kind.TOOL_REQUEST: (
        "asks a language model to use its tools",
        "Say what people are to do; tools are used when their user asks for it.",
    ),
    Kind.COMMAND: (
        "holds a command that loads and runs code or destroys data",
        "Link to the page that explains the command instead.",
    ),
    Kind.MADE_UP_TURN: (
        "reads like a conversation with a language model",
        "Write who said what in plain words, e.g. 'Ada said: ...'.",
    ),
    Kind.ORDER_TO_MODEL: (
        "reads like an order to a language model",
        "Say what people are to do, and leave out what an assistant should do, send or keep quiet.",
    ),
    Kind.TOO_LONG: ("is too long to be checked", "Shorten the text, or split it."),
}


@dataclass(frozen=True, slots=True)
class InjectionFinding:
    """One finding in a text.

    `excerpt` is one line of at most 80 characters, with disguises undone. `where` is its position, e.g. `character 12`
    or `base64`. A `severe` finding rejects the text, because it fakes the frame of a conversation or hides a text from
    people. Other findings are only noted, since words mean many things.
    """

    kind: Kind
    severe: bool
    excerpt: str
    where: str

    @property
    def predicate(self) -> str:
        """Predicate that describes the text: `tells a language model what to be`."""
        return _MEANING[self.kind][0]

    @property
    def advice(self) -> str:
        """Advice on how to rewrite the text so that it passes."""
        return _MEANING[self.kind][1]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Findings in a text, in reading order; none for ordinary text."""

    findings: tuple[InjectionFinding, ...] = ()

    @property
    def severe(self) -> tuple[InjectionFinding, ...]:
        return tuple(finding for finding in self.findings if finding.severe)
