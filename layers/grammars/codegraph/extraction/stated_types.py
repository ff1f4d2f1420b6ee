"""Convert types as written to chains: `*Foo` is `Foo.^`, `Option<Box<Foo>>` is `Foo.^.+~`, `[]Foo` is `Foo.^.+[]`."""

import re

from codegraph.extraction.summary import INSTANCE, MANY, MAYBE

LONGEST = 300
DEEPEST = 4

_LEAD = re.compile(
    r"(?:[:&*~(\s]|'\w+\s|(?:mut|dyn|impl|const|readonly|struct|class|enum|union|final|ref|out|params|volatile|static|keyof|"
    r"typename|asserts|\w+\s+is)\s+)+"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)*")
_ARRAY_BEFORE = re.compile(r"\[\d*\]|\[\.\.\.\]|chan\s|<-chan\s|\.\.\.")

_SAME = frozenset(
    (
        "Box", "Rc", "Arc", "Ref", "RefMut", "Cow", "Pin", "MutexGuard", "Readonly", "Required", "Partial",
        "NonNullable", "shared_ptr", "unique_ptr", "weak_ptr", "NotNull", "Nullable", "const",
    )
)  # fmt: skip
_LATER = frozenset(
    (
        "Option", "Result", "Promise", "PromiseLike", "Awaited", "Task", "ValueTask", "Future", "Optional",
        "CompletableFuture",
    )
)  # fmt: skip
_COLLECTIONS = frozenset(
    (
        "Array", "ReadonlyArray", "Vec", "VecDeque", "Set", "HashSet", "BTreeSet", "ReadonlySet", "List",
        "ArrayList", "LinkedList", "Collection", "Iterable", "Iterator", "IEnumerable", "IList", "ICollection",
        "IReadOnlyList", "Queue", "Deque", "Stack", "Stream", "vector", "list", "deque", "set", "unordered_set",
        "array", "span", "Map", "HashMap", "BTreeMap", "Record", "Dictionary", "IDictionary", "map",
        "unordered_map", "ConcurrentHashMap", "TreeMap",
    )
)  # fmt: skip
_NOTHING = frozenset(
    (
        "void", "any", "unknown", "never", "null", "undefined", "string", "number", "boolean", "bigint", "symbol",
        "object", "int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64", "byte",
        "rune", "float32", "float64", "bool", "error", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
        "u32", "u64", "u128", "usize", "f32", "f64", "char", "str", "long", "short", "double", "float", "var",
        "auto", "let", "unsigned", "signed", "size_t", "String", "Object", "dynamic", "decimal",
    )
)  # fmt: skip


def stated_type(text: str, depth: int = 0) -> str:
    """Return the chain of an instance of a type, or an empty text if the type cannot lead to a definition."""
    text = _LEAD.sub("", text[:LONGEST].strip(), count=1) if _LEAD.match(text.strip()) else text[:LONGEST].strip()
    text = text.rstrip(" ?!*&;)")
    if depth > DEEPEST or not text:
        return ""
    before = _ARRAY_BEFORE.match(text)
    if before:
        return _wrapped_type(text[before.end() :], MANY, depth)
    if text.startswith("map["):
        return _wrapped_type(text.partition("]")[2], MANY, depth)
    if text[0] == "[":
        return _wrapped_type(text.strip("[]").partition(";")[0], MANY, depth)
    if "|" in text and "<" not in text.partition("|")[0]:
        return _one_of(text.split("|"), depth)
    if text.endswith("[]"):
        return _wrapped_type(text[:-2], MANY, depth)
    return _named_type(text, depth)


def _one_of(parts: list[str], depth: int) -> str:
    """Return the one type of a union that remains without null and undefined, if only one remains."""
    stated = [part for part in parts if part.strip() not in ("null", "undefined", "")]
    return stated_type(stated[0], depth + 1) if len(stated) == 1 else ""


def _wrapped_type(text: str, link: str, depth: int) -> str:
    inner = stated_type(text, depth + 1)
    return f"{inner}.{link}" if inner else ""


def _named_type(text: str, depth: int) -> str:
    name = _NAME.match(text)
    if not name or name[0] in _NOTHING:
        return ""
    dotted = name[0].replace("::", ".")
    rest = text[name.end() :].strip()
    if rest and rest[0] not in "<[":
        return ""
    last = dotted.rpartition(".")[2]
    if rest[:1] == "<":
        arguments = split_arguments(rest[1:].rstrip("> ") if rest.endswith(">") else rest[1:])
        if last in _SAME:
            return stated_type(arguments[0], depth + 1)
        if last in _LATER:
            return _wrapped_type(arguments[0], MAYBE, depth)
        if last in _COLLECTIONS:
            return _wrapped_type(arguments[-1], MANY, depth)
    return f"{dotted}.{INSTANCE}"


def split_arguments(text: str) -> list[str]:
    """Return the parts between commas that are outside all brackets."""
    parts, depth, start = list[str](), 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "<([{") - (letter in ">)]}")
        if letter == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
