"""Detection of text that addresses a language model instead of its reader.

The text is read as written, with disguised letters undone, and with encoded parts decoded. Ordinary business text
passes: `ignore my previous email`, `System: down`, `please act as host`. Findings are notes, because words mean many
things. Only text that fakes the frame of a conversation, or that people cannot see, is severe. Rules find certain
cases, and a small model (`injections/`) reads the texts in which they find nothing.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from almanac.content.disguised_letters import latin, plain, squeeze, undo_leet
from almanac.content.encoded_texts import encoded_texts, escaped_texts, smuggled_texts, turned_texts
from almanac.content.exfiltration import SECRETS, STEERING
from almanac.content.injection_commands import ORDERS
from almanac.content.injection_probes import PROBES
from almanac.content.injections.score import most_suspect
from almanac.content.invisible_characters import visible
from almanac.content.languages import LATIN_LANGUAGES, OTHER_SCRIPTS
from almanac.content.links import LINKS
from almanac.content.markers import MARKERS
from almanac.content.overrides import OVERRIDES, PERSONAS, SQUEEZED
from almanac.content.rules import RuleSet
from almanac.content.verdicts import EXCERPT_LENGTH, InjectionFinding, Kind, Verdict

MAX_LENGTH = 100_000
MAX_FINDINGS = 12
_TOGETHER = 4_000
_SEAM = 300
_COPIED = 3

_PHRASES = RuleSet(*OVERRIDES, *PERSONAS, *SECRETS, *STEERING, *PROBES, *ORDERS)
_AS_WRITTEN = RuleSet(*MARKERS, *LINKS, *ORDERS, *OVERRIDES, *PERSONAS, *SECRETS, *STEERING, *PROBES, *LATIN_LANGUAGES)
_OTHER_SCRIPTS = RuleSet(*OTHER_SCRIPTS)
_SQUEEZED = RuleSet(*SQUEEZED)
_SPACES = re.compile(r"\s+")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, slots=True)
class _TextForm:
    """One reading of the text. `where` names the disguise, and is empty for the text as written."""

    text: str
    rules: RuleSet
    where: str = ""


def judge(text: str) -> Verdict:
    """Return at most 12 findings in `text`, none for ordinary text. Takes linear time and never raises.

    Text beyond 100,000 characters is not read, and that is a severe finding itself.
    """
    findings: dict[tuple[Kind, str], InjectionFinding] = {}
    for finding in _findings_in(text[:MAX_LENGTH]):
        # A reading without disguises repeats what is in plain sight, so one finding is enough.
        if (finding.kind, "") not in findings:
            findings[finding.kind, "" if finding.where.startswith("character") else finding.where] = finding
        if len(findings) == MAX_FINDINGS:
            break
    if len(text) > MAX_LENGTH:
        findings[Kind.TOO_LONG, ""] = InjectionFinding(
            Kind.TOO_LONG, True, f"{len(text)} characters", f"after {MAX_LENGTH}"
        )
    return Verdict(tuple(findings.values()))


def judge_together(texts: Sequence[str]) -> Verdict:
    """Return findings that appear only when the texts are read one after another. An order may be split over a record's
    fields.

    Short texts are read whole, and of long ones only the parts around the seams.
    """
    present = [text for text in texts if text]
    if len(present) < 2:
        return Verdict()
    whole = " ".join(present)
    if len(whole) > _TOGETHER:
        whole = "\n".join(f"{one[-_SEAM:]} {other[:_SEAM]}" for one, other in pairwise(present))[:_TOGETHER]
    together = judge(whole).findings
    if not together:
        return Verdict()
    alone = {finding.kind for text in present for finding in judge(_ends(text)).findings}
    return Verdict(tuple(finding for finding in together if finding.kind not in alone))


def _ends(text: str) -> str:
    return text if len(text) <= _TOGETHER else f"{text[:_SEAM]}\n{text[-_SEAM:]}"


def _findings_in(text: str) -> Iterator[InjectionFinding]:
    found = False
    for finding in _judge_by_rules(text):
        found = True
        yield finding
    # A finding by a rule is enough. The model reads only texts that no rule recognises.
    if not found:
        yield from _judge_by_model(text)


def _judge_by_model(text: str) -> Iterator[InjectionFinding]:
    folded = latin(plain(visible(text)))
    suspect = most_suspect(folded)
    if suspect is not None and suspect.score > 0:
        excerpt = _excerpt(folded[suspect.start : suspect.end])
        yield InjectionFinding(Kind.ORDER_TO_MODEL, False, excerpt, f"character {suspect.start}")


def _judge_by_rules(text: str) -> Iterator[InjectionFinding]:
    seen = visible(text)
    written = list(_match_rules(_readings(seen)))
    yield from _mark_disguised(text, written) if seen != text else written
    for encoding, escaped in escaped_texts(seen):
        yield from _match_rules([_decoded_form(escaped, encoding)])
    yield from _findings_in_hidden(encoded_texts(seen))
    if seen != text:
        for encoding, smuggled in smuggled_texts(text):
            yield InjectionFinding(Kind.HIDDEN_TEXT, True, _excerpt(smuggled), encoding)
            yield from _match_rules([_decoded_form(smuggled, encoding)])


def _mark_disguised(text: str, found: Sequence[InjectionFinding]) -> Iterator[InjectionFinding]:
    """Yield findings, and mark those as severe that show only after invisible characters are removed: they were meant
    to escape a check."""
    raw = plain(text)
    in_sight = [_TextForm(latin(raw), _AS_WRITTEN), _TextForm(raw, _OTHER_SCRIPTS)]
    open_kinds = {finding.kind for finding in _match_rules(in_sight)}
    # Copied texts often contain one or two invisible characters between letters.
    many = len(text) - len(visible(text)) > _COPIED
    has_reversal = _TURNING.search(text) is not None
    for finding in found:
        is_turned = has_reversal and finding.where.startswith("reversed")
        is_plain = not finding.where or finding.where.startswith("character")
        if is_turned or (many and is_plain and finding.kind not in open_kinds):
            yield InjectionFinding(Kind.HIDDEN_TEXT, True, finding.excerpt, finding.where)
        yield finding


def _findings_in_hidden(texts: Iterable[tuple[str, str]]) -> Iterator[InjectionFinding]:
    """Yield findings in texts that people cannot read. Hiding an ordinary text is a finding as well."""
    for encoding, text in texts:
        found = list(_match_rules([_decoded_form(text, encoding)]))
        yield from found or [InjectionFinding(Kind.ENCODED_TEXT, False, _excerpt(text), encoding)]


def _decoded_form(text: str, encoding: str) -> _TextForm:
    return _TextForm(latin(plain(visible(text))), _AS_WRITTEN, encoding)


def _readings(seen: str) -> Iterator[_TextForm]:
    written = plain(seen)
    folded = latin(written)
    yield _TextForm(folded, _AS_WRITTEN)
    if folded is not written:
        yield _TextForm(written, _OTHER_SCRIPTS)
    unleet = undo_leet(folded)
    if unleet != folded:
        yield _TextForm(unleet, _PHRASES, "digits as letters")
    apart = squeeze(folded)
    if apart:
        yield _TextForm(apart, _SQUEEZED, "letters apart")
    for turn, turned in turned_texts(folded):
        yield _TextForm(turned, _PHRASES, turn)


def _match_rules(readings: Iterable[_TextForm]) -> Iterator[InjectionFinding]:
    for reading in readings:
        for rule, match in reading.rules.matches(reading.text):
            where = reading.where or f"character {match.start()}"
            yield InjectionFinding(rule.kind, rule.severe, _excerpt(match.group()), where)


def _excerpt(text: str) -> str:
    return _SPACES.sub(" ", text[: 2 * EXCERPT_LENGTH]).strip()[:EXCERPT_LENGTH]
