"""The benchmark: `run.py --date 2026-11-21 [--quick] [--only PART] [--build FOLDER] [--write]`.

Prints tables in Markdown; --write also puts them into docs/benchmarks.md. Exit status 1 where a budget is broken.
Needs .tools/bench, with requirements.lock of this folder installed, the repository on PYTHONPATH and, for --build,
.tools/ministack; chrono-node is left out where there is no Node, and the questions about code where their packages
cannot be fetched.
"""

import argparse
import sys
from pathlib import Path

import budgets
import calendar_speed
import calendar_tokens
import code_compared
import emulated_functions
import emulated_lambda
import emulated_limits
import engines_compared
import laptop
import package_sizes
import page
import search_speed
import servers_compared
from emulated_cloud import cloud
from fresh_process import ROOT


def main() -> int:
    chosen = _options()
    tables: list[page.Table] = []
    kept: list[budgets.Budget] = []
    if chosen.only in (None, "serving"):
        measure_serving(3 if chosen.quick else 11, tables, kept)
    if chosen.only in (None, "engines"):
        measure_engines(tables, kept)
    if chosen.only in (None, "calendar"):
        measure_calendar(3 if chosen.quick else 11, tables, kept)
    if chosen.only in (None, "laptop"):
        figures = laptop.measure(2 if chosen.quick else 6)
        tables.append(laptop.table(figures))
        kept += budgets.of_laptop(figures)
    if chosen.only in (None, "search"):
        searched = search_speed.measure()
        tables.append(search_speed.table(searched))
        kept += budgets.of_search(searched)
    if chosen.only in (None, "code"):
        measure_code(chosen.date, kept, write=chosen.write)
    counted: list[budgets.Budget] = []
    if chosen.build:
        counted = measure_counts(chosen.date, chosen.build.resolve(), write=chosen.write)
        if not chosen.only:
            measure_lambda(chosen.build.resolve(), tables, kept)
    text = page.figures([*tables, budgets.table(kept)], chosen.date)
    sys.stdout.write(f"{text}\n")
    if chosen.write and not chosen.only:
        page.write(ROOT / "docs/benchmarks.md", text)
    return 0 if all(one.is_kept for one in [*kept, *counted]) else 1


def _options() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--date", required=True, help="The day that the figures are labelled with.")
    options.add_argument("--quick", action="store_true", help="3 cold starts instead of 11.")
    options.add_argument("--only", choices=("serving", "engines", "calendar", "laptop", "search", "code", "counts"))
    options.add_argument("--build", type=Path, help="What `sam build` made for this machine's processor and Python.")
    options.add_argument("--write", action="store_true", help="Put the tables into docs/benchmarks.md.")
    chosen = options.parse_args()
    if chosen.write and (chosen.quick or chosen.only not in (None, "code", "counts")):
        options.error("--write takes the whole benchmark, --only code or --only counts, and no --quick.")
    if chosen.only == "counts" and not chosen.build:
        options.error("--only counts takes --build.")
    return chosen


def measure_serving(starts: int, tables: list[page.Table], kept: list[budgets.Budget]) -> None:
    cold = servers_compared.cold_starts(starts)
    warm = servers_compared.warm_calls(5)
    tables += [servers_compared.cold_table(cold, starts), servers_compared.warm_table(warm)]
    kept += budgets.serving_budgets(cold, warm)


def measure_engines(tables: list[page.Table], kept: list[budgets.Budget]) -> None:
    resolve = engines_compared.measure(engines_compared.PARSERS)
    if figures := engines_compared.chrono():
        resolve[engines_compared.CHRONO] = figures
    expand = engines_compared.measure(engines_compared.EXPAND)
    tables += [
        engines_compared.resolve_table(resolve),
        engines_compared.expand_table(expand),
        engines_compared.validate_table(engines_compared.measure(engines_compared.VALIDATE)),
    ]
    kept += budgets.of_engines(resolve, expand)


def measure_calendar(starts: int, tables: list[page.Table], kept: list[budgets.Budget]) -> None:
    figures = calendar_speed.measure(starts)
    tables.append(calendar_speed.speed_table(figures))
    kept += budgets.of_calendar(figures)


def measure_code(date: str, kept: list[budgets.Budget], *, write: bool) -> None:
    """A section of its own: its figures are of answers, which no machine's speed changes."""
    results = code_compared.measure()
    if isinstance(results, str):
        sys.stderr.write(f"Questions about code are left out: {results}\n")
        return
    text = f"Measured {date}.\n\n{code_compared.table(results).markdown()}"
    sys.stdout.write(f"{text}\n\n")
    if write:
        page.write(ROOT / "docs/benchmarks.md", text, "questions about code")
    kept += budgets.of_code(results)


def measure_counts(date: str, build: Path, *, write: bool) -> list[budgets.Budget]:
    """A section of its own: counts and sizes, and processor time beside another's, whatever else the machine does."""
    costs, tokens, weights = calendar_speed.costs(), calendar_tokens.measure(), package_sizes.measure(build)
    with cloud() as environment:
        subjects = emulated_functions.subjects(build, environment)
        titles = {emulated_functions.TIME, emulated_functions.SIGN_IN, emulated_functions.SESSIONS}
        timed = [each for each in subjects if each.function.title in titles | budgets.COLD_LIMITS.keys()]
        starts = emulated_lambda.least_cpu(timed)
    own = [*budgets.of_starts(starts), *budgets.of_counts(costs, tokens), *budgets.of_packages(weights)]
    tables = [
        emulated_lambda.starts_table(starts),
        calendar_speed.cost_table(costs),
        calendar_tokens.table(tokens),
        package_sizes.table(weights),
        budgets.table(own),
    ]
    text = page.figures(tables, date)
    sys.stdout.write(f"{text}\n\n")
    if write:
        page.write(ROOT / "docs/benchmarks.md", text, "counts")
    return own


def measure_lambda(build: Path, tables: list[page.Table], kept: list[budgets.Budget]) -> None:
    with cloud() as environment:
        figures = emulated_lambda.measure(emulated_functions.subjects(build, environment))
        limits = emulated_limits.table(build, environment)
    tables += [emulated_lambda.table(figures), limits]
    kept += budgets.of_lambda(figures)


if __name__ == "__main__":
    raise SystemExit(main())
