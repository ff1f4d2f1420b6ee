"""Files of before are read again whenever another analysis of the same text would be stored."""

from hashlib import sha256
from typing import Any

import msgspec

from almanac.families.code.core.codec import unpack
from almanac.families.code.core.records import ANALYSIS
from almanac.families.code.indexer.analysis import analyse

TEXTS = {
    "src/shop.py": (
        "import os\nfrom .core import Cart as Basket\n\nLIMIT = 5\n\n\nclass Shop(Basket):\n"
        '    """Sells things."""\n\n    def __init__(self, name: str) -> None:\n        self.name = name\n\n'
        "    def open(self, *doors: str) -> int:\n        return len(doors) + os.getpid() + LIMIT\n\n\n"
        "def main() -> None:\n    Shop('corner').open('front')\n"
    ),
    "src/shop.ts": (
        "import { Cart } from './cart';\nexport interface Door { width: number }\n"
        "export class Shop extends Cart {\n  open(door: Door): number { return this.total(door.width); }\n}\n"
        "export const main = () => new Shop().open({ width: 2 });\n"
    ),
    "src/Shop.java": (
        "package shop;\nimport java.util.List;\npublic class Shop implements Open {\n  private int doors = 2;\n"
        "  public Shop(int doors) { this.doors = doors; }\n  int open(List<String> names) { return names.size(); }\n}\n"
    ),
    "shop.go": (
        'package shop\n\nimport "fmt"\n\ntype Shop struct{ Doors int }\n\n'
        "func (s *Shop) Open() int { fmt.Println(s.Doors); return s.Doors }\n"
    ),
    "shop.rs": "pub struct Shop { doors: u8 }\nimpl Shop { pub fn open(&self) -> u8 { self.doors } }\n",
    "README.md": "# Shop\n\nSells things.\n\n## Opening\n\nAt nine.\n",
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["msgspec"]\n',
}
OF_VERSION = {ANALYSIS: "c523097c457f56f8"}
"""What was made of the texts: where that changes, raise ANALYSIS and put the new one here."""


def digest_of_analyses() -> str:
    made: list[Any] = []
    for path, text in TEXTS.items():
        found = analyse(path, text)
        made.append([path, found.language, found.parsed, found.symbols, sorted(found.names), sorted(found.defined)])
        made.append([list(found.parts), unpack(found.summary, object)])
    return sha256(msgspec.json.encode(made, order="deterministic")).hexdigest()[:16]


def test_another_analysis_has_another_version() -> None:
    assert {ANALYSIS: digest_of_analyses()} == OF_VERSION
