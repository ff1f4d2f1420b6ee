"""Paragraphs of ordinary text: documentation of this repository and of installed software, code, manuals, messages.

Half of the sources are for training, the other half for measuring how often ordinary text is marked. Which half a
source is in depends on the name of its package or page alone.
"""

import gettext
import gzip
import hashlib
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

LANGUAGES = ("de", "es", "fr")
_PROSE = frozenset((".md", ".rst", ".txt", ".py", ".pyi", ".js", ".toml", ".yaml", ".yml", ".json", ".html", ""))
_REPOSITORY = Path(__file__).parents[2]
_MANUALS = Path("/usr/share/man")
_DOCS = Path("/usr/share/doc")
_LOCALES = Path("/usr/share/locale")
_MOST_READ = 60_000
_SHORTEST, _LONGEST = 50, 1_500
_MACRO = re.compile(r"^\.(?:\\\"|[A-Z]{1,2}|[a-z]{2})\b ?(?=.)|^\.\S*$|^'\\\".*$", re.MULTILINE)
_ESCAPE = re.compile(r"\\f(?:[BIRPCW]|\(..|\[[^\]]*\])|\\[&|^,/%:]|\\s[-+]?\d|\\m\[[^\]]*\]")


@dataclass(frozen=True, slots=True)
class Ordinary:
    """A paragraph, with the kind of its source and whether it is for measuring."""

    text: str
    kind: str
    measuring: bool


def ordinary_texts() -> Iterator[Ordinary]:
    """Yield paragraphs of installed software, at most 60 of each package, manual page or table of messages."""
    seen: set[bytes] = set()
    for kind, source, files in _sources():
        measuring = hashlib.sha256(source.encode()).digest()[0] % 2 == 1
        drawn: list[tuple[bytes, str]] = []
        for path in files:
            for text in _paragraphs(_read(path)):
                mark = hashlib.sha256(text.encode()).digest()
                if mark not in seen:
                    seen.add(mark)
                    drawn.append((mark, text))
        # By their hashes: a sample that does not depend on the order of files.
        for _, text in sorted(drawn)[:60]:
            yield Ordinary(text, kind, measuring)


def _sources() -> Iterator[tuple[str, str, list[Path]]]:
    for page in sorted([*_REPOSITORY.glob("*.md"), *(_REPOSITORY / "docs").rglob("*.md")]):
        yield "own", page.name, [page]
    for package in sorted(Path(sysconfig.get_path("purelib")).iterdir()):
        if package.is_dir() and not package.name.startswith("_"):
            files = sorted(one for one in package.rglob("*") if one.suffix in _PROSE and one.is_file())
            name = package.name.split("-")[0].lower().replace(".", "_")
            for number in range(0, min(len(files), 240), 12):
                yield "package", name, files[number : number + 12]
    for folder in sorted(_DOCS.glob("*")):
        yield (
            "doc",
            folder.name,
            sorted(one for one in folder.rglob("*") if one.is_file() and "copyright" not in one.name),
        )
    for language in ("", *LANGUAGES):
        for page in sorted((_MANUALS / language).glob("man?/*.gz")):
            yield f"manual {language or 'en'}", page.name, [page]
    for language in LANGUAGES:
        for table in sorted((_LOCALES / language / "LC_MESSAGES").glob("*.mo")):
            yield f"messages {language}", table.name, [table]


def _read(path: Path) -> str:
    try:
        if path.suffix == ".mo":
            with path.open("rb") as file:
                table = cast("dict[str, str]", vars(gettext.GNUTranslations(file))["_catalog"])
            return "\n\n".join(str(told) for key, told in table.items() if key)
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
            text = file.read(_MOST_READ)
    except (OSError, EOFError, UnicodeDecodeError):
        return ""
    return _without_macros(text) if path.is_relative_to(_MANUALS) else text


def _without_macros(page: str) -> str:
    page = re.sub(r"^\.(?:PP|P|LP|TP|IP|SH|SS|HP|RE|RS|sp|br|Pp|Sh|It)\b.*$", "", page, flags=re.MULTILINE)
    page = page.replace(r"\(aq", "'").replace(r"\-", "-").replace(r"\(bu", "*").replace(r"\(co", "")
    return _ESCAPE.sub("", _MACRO.sub("", page)).replace("\\", "")


def _paragraphs(text: str) -> Iterator[str]:
    for one in re.split(r"\n[ \t]*\n", text):
        stripped = one.strip()
        if _SHORTEST <= len(stripped) <= _LONGEST and sum(map(str.isalpha, stripped)) > len(stripped) / 2:
            yield stripped
