"""Calls of functions: arguments, results, closures, lambdas, decorators."""

import pytest

from tests.codegraph.python.graphs import calls_of

CASES = {
    "an argument is called by who gets it": (
        """
        def run(task): task()
        def clean(): pass
        run(clean)
        """,
        {"app > app.run", "app.run > app.clean"},
    ),
    "an argument by keyword goes to the parameter of its name": (
        """
        def run(first, second): second()
        def a(): pass
        def b(): pass
        run(second=a, first=b)
        """,
        {"app > app.run", "app.run > app.a"},
    ),
    "a default is used only where a call leaves it out": (
        """
        def a(): pass
        def b(): pass
        def run(task=a): task()
        run(b)
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "a default is used where nobody calls": (
        """
        def a(): pass
        def run(task=a): task()
        """,
        {"app.run > app.a"},
    ),
    "what a function returns is called": (
        """
        def inner(): pass
        def outer():
            return inner
        outer()()
        """,
        {"app > app.outer", "app > app.inner"},
    ),
    "an argument that is returned belongs to its own call": (
        """
        def same(x): return x
        def a(): pass
        def b(): pass
        def one(): same(a)()
        def two(): same(b)()
        """,
        {"app.one > app.same", "app.one > app.a", "app.two > app.same", "app.two > app.b"},
    ),
    "positional arguments beyond the parameters are items of *args": (
        """
        def run(first, *rest): rest[1](first)
        def a(): pass
        def b(): pass
        def c(): pass
        run(a, b, c)
        """,
        {"app > app.run", "app.run > app.c"},
    ),
    "a spread tuple fills parameters in order": (
        """
        def run(first, second): second()
        def a(): pass
        def b(): pass
        both = (a, b)
        run(*both)
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "keywords beyond the parameters are items of **kwargs": (
        """
        def run(**tasks): tasks["late"]()
        def a(): pass
        def b(): pass
        run(early=a, late=b)
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "a spread dictionary fills parameters by name": (
        """
        def run(early, late): early()
        def a(): pass
        def b(): pass
        run(**{"early": a, "late": b})
        """,
        {"app > app.run", "app.run > app.a"},
    ),
    "a spread that begins before *args leaves the rest to it": (
        """
        def run(first, *rest): rest[0]()
        def a(): pass
        def b(): pass
        def c(): pass
        run(*[a, b, c])
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "a spread leaves to *args only what no parameter takes": (
        """
        def run(first, *rest):
            for each in rest: each()
        def a(): pass
        def b(): pass
        run(*[a, b])
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "what a spread fills does not have its default": (
        """
        def a(): pass
        def b(): pass
        def run(first, second=a): second()
        run(*[print, b])
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "a spread may fill what has a default": (
        """
        def run(first, second=None): second()
        def a(): pass
        def b(): pass
        run(*[a, b])
        """,
        {"app > app.run", "app.run > app.b"},
    ),
    "*args and **kwargs are passed on": (
        """
        def last(task, other=None): other()
        def middle(*args, **kwargs): return last(*args, **kwargs)
        def a(): pass
        def b(): pass
        middle(a, other=b)
        """,
        {"app > app.middle", "app.middle > app.last", "app.last > app.b"},
    ),
    "a closure sees what its surroundings hold when a decorator runs": (
        """
        def now(f): f()
        def a(): pass
        def b(): pass
        task = a
        @now
        def go(): task()
        task = b
        """,
        {"app > app.now", "app.now > app.go", "app.go > app.a", "app.go > app.b"},
    ),
    "a closure calls what its surroundings hold": (
        """
        def make(task):
            def go(): task()
            return go
        def a(): pass
        make(a)()
        """,
        {"app > app.make", "app > app.make.go", "app.make.go > app.a"},
    ),
    "a nested function hides one outside": (
        """
        def go(): pass
        def outer():
            def go(): pass
            go()
        """,
        {"app.outer > app.outer.go"},
    ),
    "nonlocal and global assign outside": (
        """
        def a(): pass
        def b(): pass
        current = a
        def outer():
            inner = a
            def change():
                global current
                nonlocal inner
                current = b
                inner = b
            change()
            inner()
        def later(): current()
        """,
        {"app.outer > app.outer.change", "app.outer > app.a", "app.later > app.a", "app.later > app.b"},
    ),
    "lambdas are named by their order in their scope": (
        """
        def run(task): task()
        def outer():
            run(lambda: a())
            run(lambda: b())
        def a(): pass
        def b(): pass
        """,
        {
            "app.outer > app.run",
            "app.run > app.outer.<lambda1>",
            "app.run > app.outer.<lambda2>",
            "app.outer.<lambda1> > app.a",
            "app.outer.<lambda2> > app.b",
        },
    ),
    "the default of a lambda is its parameter": (
        """
        def a(): pass
        go = lambda task=a: task()
        go()
        """,
        {"app > app.<lambda1>", "app.<lambda1> > app.a"},
    ),
    "a decorator is called, and what it returns takes the name": (
        """
        def log(f):
            def wrapped(*args): return f(*args)
            return wrapped
        @log
        def work(): pass
        work()
        """,
        {"app > app.log", "app > app.log.wrapped", "app.log.wrapped > app.work"},
    ),
    "a decorator with arguments is called, and so is its result": (
        """
        def route(path):
            def mark(f): return f
            return mark
        @route("/")
        def index(): pass
        index()
        """,
        {"app > app.route", "app > app.route.mark", "app > app.index"},
    ),
    "decorators are applied from below": (
        """
        def outer(f):
            def first(): f()
            return first
        def inner(f):
            def second(): f()
            return second
        @outer
        @inner
        def work(): pass
        work()
        """,
        {
            "app > app.outer",
            "app > app.inner",
            "app > app.outer.first",
            "app.outer.first > app.inner.second",
            "app.inner.second > app.work",
        },
    ),
    "functools.wraps leaves the wrapper": (
        """
        import functools
        def log(f):
            @functools.wraps(f)
            def wrapped(): return f()
            return wrapped
        @log
        def work(): pass
        work()
        """,
        {"app > app.log", "app > app.log.wrapped", "app.log.wrapped > app.work"},
    ),
    "a decorator from outside leaves the function": (
        """
        from functools import lru_cache
        @lru_cache(maxsize=None)
        def work(): pass
        work()
        """,
        {"app > app.work"},
    ),
    "a partial calls its function": (
        """
        from functools import partial
        def work(x): pass
        go = partial(work, 1)
        go()
        """,
        {"app > app.work"},
    ),
    "recursion ends": (
        """
        def down(f, n): return f(f, n - 1)
        down(down, 3)
        """,
        {"app > app.down", "app.down > app.down"},
    ),
    "an awaited coroutine gives its result": (
        """
        async def load(): return work
        def work(): pass
        async def go():
            found = await load()
            found()
        """,
        {"app.go > app.load", "app.go > app.work"},
    ),
    "map, filter, sorted and max call what they are given": (
        """
        def a(x): return b
        def b(): pass
        def c(x): pass
        def d(x): pass
        def e(x): pass
        for each in map(a, [1, 2]):
            each()
        filter(c, [1])
        sorted([1], key=d)
        max([1], key=e)
        """,
        {"app > app.a", "app > app.b", "app > app.c", "app > app.d", "app > app.e"},
    ),
    "getattr with a constant is an attribute": (
        """
        class Tool:
            def go(self): pass
        getattr(Tool(), "go")()
        """,
        {"app > app.Tool.go"},
    ),
    "eval of a constant is the expression in it": (
        """
        def work(): pass
        eval("work()")
        """,
        {"app > app.work"},
    ),
    "an annotation tells the class of a parameter that nobody gives": (
        """
        class Tool:
            def go(self): pass
        def one(tool: Tool): tool.go()
        def two(tool: "Tool | None" = None): tool.go()
        """,
        {"app.one > app.Tool.go", "app.two > app.Tool.go"},
    ),
    "an annotation tells the class of a result that nobody knows": (
        """
        import outside
        class Tool:
            def go(self): pass
        def make() -> Tool: return outside.make()
        make().go()
        """,
        {"app > app.make", "app > app.Tool.go"},
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_calls_of_functions(source: str, expected: set[str]) -> None:
    assert calls_of(source) == expected
