"""The tools that a skill asks to use without being asked back: `allowed-tools`, in the forms that people write."""

from almanac.families.skills.format.yaml_reading import Value

MAX_TOOLS = 200
MAX_TOOL = 500


def granted(value: Value | None) -> tuple[tuple[str, ...], str]:
    """The tools of a value, one each, and what its form is where it is not the specification's ("" where it is).

    The specification's is one text with spaces; spaces and commas within parentheses belong to a tool:
    `Bash(git add:*) Read`."""
    if value is None or value == "":
        return (), ""
    if isinstance(value, str):
        tools, commas = _split(value)
        form = "a list with commas" if commas else ""
    elif isinstance(value, list):
        tools = [each.strip() for each in value if isinstance(each, str) and each.strip()]
        form = "a list"
    else:
        return (), "an object, which grants nothing"
    kept = tuple(dict.fromkeys(tool for tool in tools if len(tool) <= MAX_TOOL))
    if len(kept) > MAX_TOOLS:
        return kept[:MAX_TOOLS], f"too long, and cut after {MAX_TOOLS} tools"
    return kept, form


def _split(text: str) -> tuple[list[str], bool]:
    """Parts between spaces and commas outside parentheses, and whether there was such a comma."""
    parts, start, depth, commas = list[str](), 0, 0, False
    for place, each in enumerate(text):
        depth += (each == "(") - (each == ")" and depth > 0)
        if depth == 0 and (each == "," or each.isspace()):
            commas = commas or each == ","
            parts.append(text[start:place])
            start = place + 1
    return [part for part in [*parts, text[start:]] if part], commas
