"""Test calls of methods: receivers, inheritance, `super()`, properties, and implicit calls by Python."""

import pytest

from tests.codegraph.python.graphs import calls_of

CASES = {
    "a method of an instance": (
        """
        class Tool:
            def go(self): self.stop()
            def stop(self): pass
        Tool().go()
        """,
        {"app > app.Tool.go", "app.Tool.go > app.Tool.stop"},
    ),
    "a class is called through its __init__": (
        """
        class Tool:
            def __init__(self): pass
        class Hammer(Tool): pass
        Hammer()
        """,
        {"app > app.Tool.__init__"},
    ),
    "__new__ and __call__": (
        """
        class Tool:
            def __new__(cls): return super().__new__(cls)
            def __call__(self): pass
        Tool()()
        """,
        {"app > app.Tool.__new__", "app > app.Tool.__call__"},
    ),
    "an attribute of self holds a function": (
        """
        class Tool:
            def __init__(self, task): self.task = task
            def go(self): self.task()
        def a(): pass
        Tool(a).go()
        """,
        {"app > app.Tool.__init__", "app > app.Tool.go", "app.Tool.go > app.a"},
    ),
    "an attribute of self holds an object": (
        """
        class Engine:
            def start(self): pass
        class Car:
            def __init__(self): self.engine = Engine()
            def drive(self): self.engine.start()
        """,
        {"app.Car.drive > app.Engine.start"},
    ),
    "a bound method keeps its receiver": (
        """
        class Tool:
            def go(self): self.stop()
            def stop(self): pass
        go = Tool().go
        go()
        """,
        {"app > app.Tool.go", "app.Tool.go > app.Tool.stop"},
    ),
    "a method of the class needs its receiver given": (
        """
        class Tool:
            def go(self, task): task()
        def a(): pass
        Tool.go(Tool(), a)
        """,
        {"app > app.Tool.go", "app.Tool.go > app.a"},
    ),
    "the first base that has the method": (
        """
        class A:
            def go(self): pass
        class B(A): pass
        class C(A):
            def go(self): pass
        class D(B, C): pass
        D().go()
        """,
        {"app > app.C.go"},
    ),
    "super is the next of the order": (
        """
        class A:
            def go(self): pass
        class B(A):
            def go(self): super().go()
        class C(A):
            def go(self): super(C, self).go()
        class D(B, C):
            def go(self): super().go()
        D().go()
        """,
        {
            "app > app.D.go",
            "app.D.go > app.B.go",
            "app.B.go > app.C.go",
            "app.B.go > app.A.go",
            "app.C.go > app.A.go",
        },
    ),
    "a base calls the method of the class below": (
        """
        class Base:
            def run(self): self.step()
        class Child(Base):
            def step(self): pass
        Child().run()
        """,
        {"app > app.Base.run", "app.Base.run > app.Child.step"},
    ),
    "an attribute that a base sets": (
        """
        class Base:
            def __init__(self): self.task = a
        class Child(Base):
            def go(self): self.task()
        def a(): pass
        """,
        {"app.Child.go > app.a"},
    ),
    "static and class methods": (
        """
        class Tool:
            @staticmethod
            def make(task): task()
            @classmethod
            def build(cls): return cls()
            def go(self): pass
        def a(): pass
        Tool.make(a)
        Tool.build().go()
        """,
        {"app > app.Tool.make", "app.Tool.make > app.a", "app > app.Tool.build", "app > app.Tool.go"},
    ),
    "a class method makes the class that it is called on": (
        """
        class Tool:
            @classmethod
            def build(cls): return cls()
        class Hammer(Tool):
            def hit(self): pass
        Hammer.build().hit()
        """,
        {"app > app.Tool.build", "app > app.Hammer.hit"},
    ),
    "an attribute of the class holds a function": (
        """
        def a(self): pass
        class Tool:
            go = a
        Tool().go()
        """,
        {"app > app.a"},
    ),
    "an attribute that is set on the class": (
        """
        class Tool: pass
        def a(self): pass
        Tool.go = a
        Tool().go()
        """,
        {"app > app.a"},
    ),
    "a property is called by its name": (
        """
        class Tool:
            @property
            def task(self): return a
            @task.setter
            def task(self, value): pass
        def a(): pass
        Tool().task()
        """,
        {"app > app.Tool.task", "app > app.a"},
    ),
    "a property is called wherever it is read": (
        """
        class Tool:
            @property
            def task(self): return a
        def a(): pass
        def one(tool): tool.task()
        def two(tool): tool.task()
        one(Tool())
        two(Tool())
        """,
        {
            "app > app.one",
            "app > app.two",
            "app.one > app.Tool.task",
            "app.two > app.Tool.task",
            "app.one > app.a",
            "app.two > app.a",
        },
    ),
    "a method that returns self chains": (
        """
        class Query:
            def where(self): return self
            def limit(self): return self
        Query().where().limit()
        """,
        {"app > app.Query.where", "app > app.Query.limit"},
    ),
    "a loop calls __iter__ and __next__": (
        """
        class Bag:
            def __iter__(self): return self
            def __next__(self): return a
        def a(): pass
        for each in Bag():
            each()
        """,
        {"app > app.Bag.__iter__", "app > app.Bag.__next__", "app > app.a"},
    ),
    "__iter__ may give another, or generate": (
        """
        class One:
            def __next__(self): return a
        class Bag:
            def __iter__(self): return One()
        class Source:
            def __iter__(self): yield b
        def a(): pass
        def b(): pass
        for each in Bag():
            each()
        for each in Source():
            each()
        """,
        {
            "app > app.Bag.__iter__",
            "app > app.One.__next__",
            "app > app.a",
            "app > app.Source.__iter__",
            "app > app.b",
        },
    ),
    "no loop, no __iter__": (
        """
        class Bag:
            def __iter__(self): return self
        Bag()
        """,
        set[str](),
    ),
    "with calls __enter__ and __exit__": (
        """
        class Lock:
            def __enter__(self): return a
            def __exit__(self, *_): pass
        def a(): pass
        with Lock() as held:
            held()
        """,
        {"app > app.Lock.__enter__", "app > app.Lock.__exit__", "app > app.a"},
    ),
    "a context manager that is a generator": (
        """
        from contextlib import contextmanager
        @contextmanager
        def opened(): yield a
        def a(): pass
        with opened() as found:
            found()
        """,
        {"app > app.opened", "app > app.a"},
    ),
    "items and operators of a class": (
        """
        class Grid:
            def __getitem__(self, key): return a
            def __setitem__(self, key, value): pass
            def __add__(self, other): return other
        def a(): pass
        g = Grid()
        g[1]()
        g[1] = 2
        (g + a)()
        """,
        {"app > app.Grid.__getitem__", "app > app.Grid.__setitem__", "app > app.Grid.__add__", "app > app.a"},
    ),
    "a raised class is called": (
        """
        class Broken(Exception):
            def __init__(self): pass
        def one(): raise Broken
        def two(): raise Broken()
        """,
        {"app.one > app.Broken.__init__", "app.two > app.Broken.__init__"},
    ),
    "a caught exception is an instance": (
        """
        class Broken(Exception):
            def tell(self): pass
        try:
            work()
        except (Broken, ValueError) as error:
            error.tell()
        """,
        {"app > app.Broken.tell"},
    ),
    "fields of a dataclass": (
        """
        from dataclasses import dataclass
        @dataclass
        class Job:
            name: str
            task: object
        def a(): pass
        Job("x", a).task()
        """,
        {"app > app.a"},
    ),
    "fields of a dataclass by name": (
        """
        import dataclasses
        @dataclasses.dataclass(frozen=True)
        class Job:
            name: str
            task: object
        def a(): pass
        Job(task=a, name="x").task()
        """,
        {"app > app.a"},
    ),
    "nested classes": (
        """
        class Outer:
            class Inner:
                def go(self): pass
            def make(self): return self.Inner()
        Outer().make().go()
        """,
        {"app > app.Outer.make", "app > app.Outer.Inner.go"},
    ),
    "names of a class are not seen by its methods": (
        """
        def go(): pass
        class Tool:
            def go(self): go()
        """,
        {"app.Tool.go > app.go"},
    ),
    "a class that a function makes": (
        """
        def make():
            class Tool:
                def go(self): pass
            return Tool
        class Hammer(make()):
            pass
        Hammer().go()
        """,
        {"app > app.make", "app > app.make.Tool.go"},
    ),
    "classes that inherit from each other": (
        """
        class A(B): pass
        class B(A):
            def go(self): pass
        A().go()
        """,
        {"app > app.B.go"},
    ),
    "type gives the class": (
        """
        class Tool:
            def go(self): type(self)().stop()
            def stop(self): pass
        """,
        {"app.Tool.go > app.Tool.stop"},
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.values(), ids=CASES.keys())
def test_calls_of_methods(source: str, expected: set[str]) -> None:
    assert calls_of(source) == expected
