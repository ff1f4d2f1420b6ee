"""The content firewall: cleaning of text before it is stored, and marking of text from outside.

    clean(text)                   -> CleanText  without invisible characters, with a count of them by kind
    judge(text)                   -> Verdict    findings of text that addresses a language model instead of a reader
    judge_together(texts)         -> Verdict    findings that span the fields of one record
    admit(fields)                 -> fields     cleaned; raises InvalidInput (content_refused) for fake frames and for
                                                hidden text
    quote(text, source)           -> QuotedText foreign text, marked as data
    quote_fields(fields, source)  -> QuotedFields

Judging recognises known forms and misses others. The stronger protection is that cleaned text hides nothing, and that
text from outside stays marked as data.
"""

from typing import TYPE_CHECKING

from almanac.content.admission import admit
from almanac.content.invisible_characters import CleanText, RemovedCharacters, clean
from almanac.content.quoted_text import QuotedFields, QuotedText, quote, quote_fields

# The rules and the model of judging take longer to import than everything else. Admission and quoting load them for the
# first text.
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
    "quote",
    "quote_fields",
]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(name)
    from almanac.content import injection_check  # noqa: PLC0415 - as said above

    return getattr(injection_check, name)
