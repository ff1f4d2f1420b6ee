"""Test code that one agent indexes and another asks for: definitions, callers, and removed files."""

from tests.e2e.planner_agent import PlannerAgent

AUTH = """\
def check_password(user, password):
    \"\"\"Whether the password is the user's.\"\"\"
    return user.secret == password


def login(user, password):
    return check_password(user, password)
"""
PAGE = """\
from shop.auth import login


def front_page(user):
    return login(user, user.typed)
"""


def test_code_is_found_and_followed_and_forgotten(agents: tuple[PlannerAgent, PlannerAgent]) -> None:
    ann, ben = agents
    files = [{"path": "shop/auth.py", "content": AUTH}, {"path": "shop/page.py", "content": PAGE}]
    brought = ann.do("index_files", repo_id="shop", files=files, commit="abc", complete=True)
    assert (brought["indexed"], brought["complete"]) == (2, True)
    assert ann.do("index_files", repo_id="shop", files=files, commit="abc", complete=True)["unchanged"] == 2

    hit = ben.do("search_code", query="is the password right")["hits"][0]
    assert (hit["path"], hit["symbol"], hit["start_line"]) == ("shop/auth.py", "check_password", 1)

    callers = ben.do("traverse_code", symbol="check_password", direction="in", hops=2)
    assert {("shop.auth.login", "shop.auth.check_password"), ("shop.page.front_page", "shop.auth.login")} <= {
        (edge["src"], edge["dst"]) for edge in callers["edges"] if edge["kind"] == "calls"
    }

    ann.do("index_files", repo_id="shop", removed=["shop/page.py"])
    assert [file["path"] for file in ben.do("list_files", repo_id="shop")["files"]] == ["shop/auth.py"]
