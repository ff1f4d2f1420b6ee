"""SKILL.md texts of tests."""


def skill_md(*lines: str, body: str = "# Steps\n\nDo it.\n") -> str:
    """A SKILL.md with these lines of front matter."""
    return "\n".join(["---", *lines, "---", "", body])


def valid_with(*lines: str) -> str:
    """A valid SKILL.md of the folder `tidy-desk`, and more lines of front matter."""
    return skill_md("name: tidy-desk", "description: Tidies a desk. Use when papers pile up.", *lines)
