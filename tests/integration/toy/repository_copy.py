"""A copy of the repository with the toy family in it, by the steps of CONTRIBUTING and no others."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[3]
LAST = '    "team",\n'
DOOR = '''"""The toy family over HTTP: /mcp/toy."""

from almanac.composition.aws import aws_handler

handler = aws_handler("toy")
'''


def install(copy: Path) -> None:
    """Its folder, one line in composition/families.py, and its door; `copy` is a folder that does not exist yet."""
    app = copy / "layers/app/almanac"
    shutil.copytree(ROOT / "layers/app/almanac", app, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(Path(__file__).parent / "family", app / "families/toy")
    families = app / "composition/families.py"
    text = families.read_text()
    assert text.count(LAST) == 1
    families.write_text(text.replace(LAST, f'{LAST}    "toy",\n'))
    door = copy / "functions/toy/handle_http.py"
    door.parent.mkdir(parents=True)
    door.write_text(DOOR)
