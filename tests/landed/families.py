"""The part of a sample that belongs to families younger than memory: knowledge, code, context and skills."""

from base64 import b64encode
from collections.abc import Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from almanac.kernel.clock import FixedClock
from tests.codegraph.precise.indexes import document, occurrence, symbol
from tests.landed.landed_app import ANN, KEI, OLE, Json, LandedApp

REPOSITORY = "acme/shop"

CART = """\
LIMIT = 40


class Cart:
    def __init__(self) -> None:
        self.prices: list[int] = []

    def total(self) -> int:
        return sum(self.prices[:LIMIT])


class Basket:
    def total(self) -> int:
        return 0
"""
CHECKOUT = """\
from shop.cart import Cart

ACCESS_KEY = "AKIAQ3EGRVZ7JPWL2TMX"


def checkout(cart: Cart) -> int:
    return cart.total()


def owed(things) -> int:
    return things.total()
"""
STOCK = """\
package stock

// Left says how many of an article are left.
func Left(article string) int {
	return counted(article)
}
"""
COUNTING = """\
package stock

func counted(article string) int {
	return len(article)
}
"""
FILES = {
    "shop/cart.py": CART,
    "shop/checkout.py": CHECKOUT,
    "shop/gone.py": "def gone(): ...\n",
    "stock/counting.go": COUNTING,
    "stock/stock.go": STOCK,
}
"""`owed` may call either `total`; only a precise index knows which."""

_TOTAL = symbol("shop/cart/Cart#total().")
_PRECISE = document("shop/cart.py", occurrence(8, 8, _TOTAL, 1)) + document(
    "shop/checkout.py", occurrence(11, 18, _TOTAL)
)

STYLE, DOT = "references/style.md", "assets/dot.bin"
DOT_BYTES = b64encode(bytes(range(8))).decode()
SCRIPT = "git log --oneline\n"

DECISION: Json = {
    "type": "decision",
    "content": "We charge when the parcel leaves.",
    "metadata": {
        "title": "Charging",
        "tags": ["checkout"],
        "weight": 5,
        "ticket": 7,
        "projectPath": "/srv/shop",
        "fileContext": {"path": "shop/checkout.py", "lineStart": 6, "lineEnd": 7},
    },
}
ERROR: Json = {
    "type": "error_occurred",
    "payload": {"error": "KeyError: 'price'", "file": "shop/cart.py", "line": 9},
    "sessionId": "s1",
    "cliType": "claude-code",
}


def fill_families(app: LandedApp, clock: FixedClock) -> None:
    _knowledge(app, clock)
    _edges(app)
    _code(app)
    _context(app, clock)
    _skills(app)


@contextmanager
def _days_ago(clock: FixedClock, days: int) -> Generator[None]:
    now = clock.instant
    clock.instant = now - timedelta(days=days)
    try:
        yield
    finally:
        clock.instant = now


def _knowledge(app: LandedApp, clock: FixedClock) -> None:
    def say(subject: str, predicate: str, what: str, since: str, **more: Any) -> str:
        given = {"subject": subject, "predicate": predicate, "object": what, "valid_from": f"{since}T00:00:00Z"}
        return app.do(ANN, "record_fact", **given, **more)["fact"]["fact_id"]

    with _days_ago(clock, 5):
        say("Ann", "works_at", "Acme", "2020-02-01", cardinality="one")
        say("Bob", "lived_in", "Oslo", "2015-01-01", valid_to="2019-01-01T00:00:00Z")
        say("Robert", "speaks", "Norwegian", "2010-01-01")
        misspelt = say("Ann", "speaks", "Finish", "2010-01-01")
    with _days_ago(clock, 3):
        heard = {"confidence": 0.9, "metadata": {"heard": "at lunch"}, "tool": "claude-code"}
        say("Ann", "works_at", "Globex", "2026-03-01", **heard)
        say("Ann", "speaks", "Finnish", "2010-01-01", corrects=misspelt)
        say("Billing", "uses", "Postgres", "2025-01-01", cardinality="many")
        say("Billing", "uses", "Redis", "2025-01-01")
        say("Deploy", "happens_on", "Tuesday", "2026-01-01", cardinality="one")
        say("Deploy", "happens_on", "Friday", "2026-01-01")
        owned = say("Billing", "owned_by", "Kei", "2026-06-01")
    with _days_ago(clock, 1):
        app.do(KEI, "invalidate_fact", fact_id=owned, at="2026-11-01T00:00:00Z", reason="He moved on.")


def _edges(app: LandedApp) -> None:
    older = app.do(ANN, "extract_semantic", content="Carts are kept in Postgres.", derived_from_turn_ids=[])
    newer = app.do(KEI, "extract_semantic", content="Carts are kept in Redis.", derived_from_turn_ids=[])
    ends = {"src_id": newer["memory"]["id"], "dst_id": older["memory"]["id"]}
    app.do(KEI, "create_edge", **ends, kind="supersedes", confidence=0.8, metadata={"because": "faster"})
    app.do(ANN, "create_edge", src_id="subject:Bob", dst_id="subject:Robert", kind="same_as")
    [redis] = app.do(ANN, "query_facts", object="Redis")["facts"]
    [plan] = app.do(ANN, "notes_search", q="cake")["notes"]
    app.do(ANN, "create_edge", src_id=redis["fact_id"], dst_id=plan["id"], kind="derives_from")


def _code(app: LandedApp) -> None:
    files = [{"path": path, "content": content} for path, content in FILES.items()]
    of = {"commit": "c0ffee1", "url": "https://git.example.org/acme/shop"}
    app.do(ANN, "index_files", repo_id=REPOSITORY, files=files, **of)
    precise = {"scip": b64encode(_PRECISE).decode()}
    app.do(ANN, "index_files", repo_id=REPOSITORY, removed=["shop/gone.py"], precise=precise, complete=True, **of)


def _context(app: LandedApp, clock: FixedClock) -> None:
    with _days_ago(clock, 40):
        for said in ("The old shop runs on Perl.", "The old shop reads prices at night."):
            app.do(ANN, "context_store", type="decision", content=said, metadata={"projectPath": "/srv/old"})
    app.do(ANN, "context_summarize", options={"targetTokens": 200}, projectPath="/srv/old")

    app.do(ANN, "context_store", type="scratchpad", content="Trying the new checkout.", sessionId="s1", ttl=86_400)
    app.do(ANN, "context_store", **DECISION)
    app.do(KEI, "context_store", type="bug_fix", content="Left counted parcels; now it counts articles.")
    block = {"title": "Retry", "codeBlock": {"code": "for pause in pauses: ...", "language": "python"}}
    app.do(KEI, "context_store", type="code_pattern", content="Try again after a growing pause.", metadata=block)
    app.do(OLE, "context_store", type="convention", content="Times are stored in UTC.", metadata={"tags": ["global"]})

    promoted = app.do(ANN, "context_store", type="scratchpad", content="Carts end at 40 articles.", sessionId="s1")
    app.do(ANN, "context_update", memoryId=promoted["id"], targetLayer=2, tags=["cart"])
    deleted = app.do(ANN, "context_store", type="decision", content="We charge at once.")
    app.do(ANN, "context_delete", memoryId=deleted["id"])
    app.do(ANN, "context_reportEvent", event={**ERROR, "type": "session_start", "payload": {}})
    app.do(ANN, "context_reportEvent", event=ERROR)
    app.do(ANN, "context_orient", projectPath="/srv/shop")


def skill_md(body: str, declared: str, name: str = "release-notes") -> str:
    says = "Writes release notes. Use before a release."
    return f'---\nname: {name}\ndescription: {says}\nmetadata:\n  version: "{declared}"\n---\n{body}\n'


def _skills(app: LandedApp) -> None:
    dot = {DOT: {"base64": DOT_BYTES}}
    files = {STYLE: "Short sentences.\n", **dot}
    app.do(ANN, "install_skill", skill_md=skill_md("Read the log.", "1.0"), files=files, folder="release-notes")
    files = {STYLE: "Short main clauses.\n", **dot}
    since = skill_md("Read the log since the last tag.", "1.1")
    app.do(KEI, "install_skill", skill_md=since, files=files, folder="release-notes")
    app.do(ANN, "install_skill", skill_md=skill_md("Fax them.", "0.1", "old-habits"))
    app.do(ANN, "remove_skill", name="old-habits")
    app.do(ANN, "install_skill", upload_only=True, files={"scripts/notes.sh": SCRIPT})
