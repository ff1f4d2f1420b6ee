"""Whether a command failed, and when two errors are the same."""

import pytest

from almanac.families.context.reports.errors import has_failed, looks_failed, same_error
from tests.cpu_time import takes_under


@pytest.mark.parametrize(
    "output",
    [
        "Traceback (most recent call last):\n  File 'x'",
        "TypeError: Cannot read properties of undefined",
        "java.lang.NullPointerException\n\tat App.main",
        "error[E0308]: mismatched types",
        "src/a.c:4:2: error: expected ';'",
        "error TS2322: Type 'x' is not assignable",
        "fatal: not a git repository",
        "npm ERR! code ELIFECYCLE",
        "thread 'main' panicked at src/main.rs:2",
        "bash: foo: command not found",
        "open: ENOENT, no such file",
        "FAIL src/a.test.ts",
        "Tests: 2 failed, 4 passed",
        "Found 3 errors in 2 files",
        "process exited with code 1",
        "Error: Cannot find module 'x'",
    ],
)
def test_output_of_a_failure_looks_like_one(output: str) -> None:
    assert looks_failed(output)


@pytest.mark.parametrize(
    "output",
    [
        "Found 0 errors. Watching for file changes.",
        "12 passed, 0 failed",
        "no error handling was changed",
        "compiled errors.ts and ErrorBoundary.tsx",
        "exited with code 0",
        "All tests passed",
        "",
    ],
)
def test_output_that_only_speaks_of_errors_does_not(output: str) -> None:
    assert not looks_failed(output)


@pytest.mark.parametrize(
    ("code", "ok", "output", "stderr", "expected"),
    [
        (0, None, "TypeError: in a log line", "", False),
        (0, None, "", "a warning", False),
        (1, None, "", "", False),
        (1, None, "< a\n> b", "", False),
        (1, None, "FAIL a.test.ts", "", True),
        (2, None, "", "make: *** no rule", True),
        (130, None, "KeyboardInterrupt: x", "^C", False),
        (None, None, "all good", "", False),
        (None, None, "", "fatal: bad", True),
        (None, False, "", "it broke", True),
        (None, True, "error: in a log", "", False),
        (1, True, "error: x", "", True),
    ],
)
def test_a_command_failed_by_its_exit_code_and_its_words(
    code: float | None, ok: bool | None, output: str, stderr: str, expected: bool
) -> None:
    assert has_failed(code, ok, output, stderr) is expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Timeout after 5000 ms at 10:02:03", "timeout after 31000 ms  at 11:55:40"),
        ("at 0x7ffe12 in free()", "at 0xdeadbeef in free()"),
        ("Cannot open /home/ann/app/src/a.ts:12:4", "Cannot open C:\\work\\app\\src\\a.ts:98:1"),
        (
            "no row 0b7f9c3e-1111-4222-8333-123456789abc in users",
            "no row 9a9a9a9a-4444-4555-8666-abcdef012345 in users",
        ),
        ("bad object 3f786850e387550fdab836ed7e6dc881de23001b", "bad object 89e6c98d92887913cadf06b2adb97f26cde4849b"),
    ],
)
def test_errors_that_differ_from_run_to_run_are_the_same(one: str, other: str) -> None:
    assert same_error(one, "/a/src/users.ts") == same_error(other, "C:\\b\\src\\Users.ts")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("Cannot read 'email'", "a.ts"), ("Cannot read 'phone'", "a.ts")),
        (("Cannot read 'email'", "a.ts"), ("Cannot read 'email'", "b.ts")),
        (("Cannot find ./foo", None), ("Cannot find ./bar", None)),
    ],
)
def test_other_errors_and_errors_elsewhere_are_not(one: tuple[str, str | None], other: tuple[str, str | None]) -> None:
    assert same_error(*one) != same_error(*other)


@pytest.mark.parametrize("unit", ["\n", " ", "A", "a/", "0x", "error ", "E1 ", "[", "1.", "./", "Aa", "f0", "-\n \n"])
def test_judging_takes_time_in_line_with_the_length(unit: str) -> None:
    text = (unit * 20_000)[:20_000]
    assert takes_under(1, lambda: (looks_failed(text), same_error(text, None)))
