"""Files beside a skill's own that tools and systems leave behind, and that are left out."""

_FOLDERS = frozenset({".git", ".hg", ".svn", ".jj", "CVS", "__pycache__", "__MACOSX", ".venv", "node_modules"})
_FILES = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def left_out(path: str) -> str | None:
    """The folder or file name for which a path is left out; None where it belongs to the skill."""
    *folders, name = path.split("/")
    if (folder := next((each for each in folders if each in _FOLDERS), None)) is not None:
        return folder
    return name if name in _FILES or name in _FOLDERS or name.startswith("._") else None
