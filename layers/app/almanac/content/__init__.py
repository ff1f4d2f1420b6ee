"""The content firewall: what happens to text before it is kept, and how text from outside is handed on.

    clean(text)                   -> Cleaned    without characters that nobody sees, and what they were
    judge(text)                   -> Verdict    what in it addresses a language model instead of a reader
    judge_together(texts)         -> Verdict    what does so only across the fields of one record
    admit(fields)                 -> fields     cleaned; raises InvalidInput (content_refused) for fake frames and for
                                                text that nobody sees
    quoted(text, source)          -> Quoted     text that the tool did not write, marked as data
    quoted_fields(fields, source) -> QuotedFields

Judging recognises known forms and will miss others. It is the smaller half: what holds is that stripped text hides
nothing and that text from outside stays marked as data.
"""

from typing import TYPE_CHECKING

from almanac.content.admission import admit
from almanac.content.invisible_characters import CleanText, RemovedCharacters, clean
from almanac.content.quoted_text import QuotedFields, QuotedText, quoted, quoted_fields

# Rules and model of judging take longer to import than all the rest: admission and quoting do so for the first text.
if TYPE_CHECKING:
    from almanac.content.injection_check import MAX_LENGTH, judge, judge_together
    from almanac.content.verdicts import InjectionFinding, Kind, Verdict

__all__ = [
    "MAX_LENGTH",
    "CleanText",
    "InjectionFinding",
    "Kind",
    "QuotedFields",
    "QuotedText",
    "RemovedCharacters",
    "Verdict",
    "admit",
    "clean",
    "judge",
    "judge_together",
    "quoted",
    "quoted_fields",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    from almanac.content import injection_check  # noqa: PLC0415 - as said above

    return getattr(injection_check, name)
