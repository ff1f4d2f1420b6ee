"""Code results, cut to the lines that the answer has room for."""

from collections.abc import Sequence

from almanac.families.code.core.codec import Part
from almanac.families.code.core.names import parts_of_name
from almanac.families.code.core.records import CodeFile
from almanac.families.code.core.snippets import LONGEST_LINE
from almanac.families.context.codesearch.kinds import contract_kind
from almanac.families.context.codesearch.results import CodeResult, CodeSymbol
from almanac.families.team.core.quoted_texts import TextQuoter
from codegraph import Definition

MOST_LINES = 60
FEWEST_LINES = 6
LINES_IN_ALL = 600


class CodeResultBuilder:
    """Builder for one answer with up to `count` results. Without `content` no source is shown."""

    def __init__(self, count: int, *, content: bool) -> None:
        self._most = max(FEWEST_LINES, min(MOST_LINES, LINES_IN_ALL // max(1, count)))
        self._content = content

    def definition(
        self, file: CodeFile, lines: Sequence[str], definition: Definition, similarity: float | None = None
    ) -> CodeResult:
        quoting = TextQuoter()
        symbol = CodeSymbol(
            name=quoting.text("name", definition.name),
            kind=contract_kind(definition.kind),
            signature=quoting.text("signature", definition.signature),
            line_start=definition.start_line,
            line_end=definition.end_line,
            doc_comment=quoting.text("docComment", definition.doc),
            qualified_name=quoting.text("qualifiedName", definition.qualified)
            if definition.qualified != definition.name
            else "",
            exported=definition.exported,
        )
        span = (definition.start_line, definition.end_line)
        return self._result(file, lines, span, quoting, symbol=symbol, similarity=similarity)

    def part(self, file: CodeFile, lines: Sequence[str], part: Part, similarity: float | None) -> CodeResult:
        """Return the result for a part without a definition, or whose file could not be read again."""
        quoting = TextQuoter()
        symbol = None
        if part.symbol and part.kind not in ("section", "text"):
            symbol = CodeSymbol(
                name=quoting.text("name", (parts_of_name(part.symbol) or (part.symbol,))[-1]),
                kind=part.kind,
                signature="",
                line_start=part.start,
                line_end=part.end,
                qualified_name=quoting.text("qualifiedName", part.symbol),
            )
        return self._result(file, lines, (part.start, part.end), quoting, symbol=symbol, similarity=similarity)

    def lines(self, file: CodeFile, lines: Sequence[str], span: tuple[int, int], numbers: Sequence[int]) -> CodeResult:
        """Return the result for the matching lines `numbers`, with the lines around them."""
        return self._result(file, lines, span, TextQuoter(), numbers=tuple(numbers))

    def _result(
        self,
        file: CodeFile,
        lines: Sequence[str],
        span: tuple[int, int],
        quoting: TextQuoter,
        *,
        symbol: CodeSymbol | None = None,
        similarity: float | None = None,
        numbers: tuple[int, ...] = (),
    ) -> CodeResult:
        first, end = span
        last = min(end, first + self._most - 1) if self._content else end
        content = "\n".join(map(_cut_line, lines[first - 1 : last])) if self._content else None
        return CodeResult(
            file_path=quoting.text("filePath", file.path),
            language=file.language,
            repo_id=file.repo_id,
            symbol=symbol,
            content=quoting.optional_text("content", content),
            line_start=first,
            line_end=last,
            similarity=None if similarity is None else round(similarity, 4),
            match_lines=numbers,
            cut=last < end,
            notes=quoting.notes,
        )


def _cut_line(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"
