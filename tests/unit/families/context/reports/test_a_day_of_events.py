"""Test that a day's events leave layer 1 bounded, and only useful memories in layers 2 and 3."""

from random import Random

import pytest

from almanac.families.context.core.context import layer_of
from tests.project_app import ProjectApp
from tests.unit.families.context.reports.report_calls import SESSION, context_of, remembered_memories, report_event

ERRORS = [
    ("TypeError: Cannot read properties of undefined (reading 'email')", "src/users.ts"),
    ("connect ECONNREFUSED 127.0.0.1:{n}", "src/db.ts"),
    ("Timeout of {n}ms exceeded", "test/api.test.ts"),
    ("Module not found: './views/{n}'", None),
    ("KeyError: 'tenant'", "jobs/nightly.py"),
]
PATTERNS = [("Retry with jitter", "retry({n})"), ("Zod at the door", "z.object()"), ("Repository class", "class R")]
FEEDBACK = ["Shorter answers, please.", "Always run the tests."]
DECISIONS = ["Use Zod for validation.", "Keep one table.", "Release on Tuesdays."]


@pytest.mark.usefixtures("same_ids")
@pytest.mark.slow
def test_a_day_of_five_hundred_events_leaves_no_noise(app: ProjectApp) -> None:
    random = Random(7)
    report_event(app, "session_start", {})
    for number in range(500):
        app.wait(seconds=40)
        match random.choices(
            ("file", "command", "failure", "error", "pattern", "feedback", "decision"), (40, 30, 5, 12, 6, 3, 4)
        )[0]:
            case "file":
                report_event(app, "file_opened", {"path": f"src/module{random.randrange(250)}.ts"})
            case "command":
                report_event(app, "command_executed", {"command": f"npm run task{random.randrange(40)}", "exitCode": 0})
            case "failure":
                output = f"FAIL test {number}\nError: expected {number} to be 2"
                report_event(app, "command_executed", {"command": "npm test", "exitCode": 1, "output": output})
            case "error":
                text, file = random.choice(ERRORS)
                report_event(app, "error_occurred", {"error": text.format(n=number), "file": file, "line": number})
            case "pattern":
                name, code = random.choice(PATTERNS)
                report_event(app, "pattern_detected", {"name": name, "code": code.format(n=3)})
            case "feedback":
                report_event(app, "user_feedback", random.choice(FEEDBACK))
            case _:
                report_event(app, "decision_made", random.choice(DECISIONS))
    context = context_of(app)
    own = remembered_memories(context.memory)
    layers = [layer_of(context.memory, one) for one in own]
    assert len([one for one in own if one.kind == "working" and one.session == SESSION]) <= 100
    assert layers.count(1) <= 100
    assert context.memory.shared is not None
    assert len(remembered_memories(context.memory.shared)) == len(PATTERNS) + len(FEEDBACK)
    kept = [one for one in own if one.kind != "working"]
    assert len(kept) == len(ERRORS) + len(DECISIONS) + 1
    assert app.defects == []
