"""Names of which the meaning is known, or nothing is, without looking them up."""

COMMON = frozenset(
    (
        "get", "set", "add", "has", "delete", "remove", "push", "pop", "map", "filter", "find", "forEach", "reduce",
        "some", "every", "join", "split", "slice", "concat", "indexOf", "includes", "keys", "values", "entries",
        "then", "catch", "finally", "call", "apply", "bind", "toString", "valueOf", "equals", "hashCode",
        "compareTo", "length", "size", "clear", "close", "open", "read", "write", "run", "start", "stop", "next",
        "send", "init", "new", "clone", "iter", "into", "from", "as_ref", "unwrap", "expect", "len", "cap",
        "append", "copy", "print", "printf", "println", "format", "log", "error", "warn", "info", "debug", "parse",
        "match", "test", "exec", "replace", "trim", "sort", "on", "off", "emit", "once", "update", "create",
        "build", "apply_to", "toJSON", "String", "Error", "Write", "Read", "Close", "Len", "name", "value", "type",
        "id", "index", "main", "is_empty", "contains", "insert", "extend", "collect", "to_string", "each", "first",
        "last", "count", "select", "puts", "raise", "require", "send",
    )
)  # fmt: skip
"""Names that so many types have that one definition of them says nothing."""

GIVING = frozenset(
    (
        "get", "get_mut", "at", "pop", "shift", "first", "last", "next", "find", "peek", "remove", "unwrap",
        "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "orElse", "orElseThrow", "value", "Value",
        "Result", "First", "Last", "Single", "back", "front", "top", "ok_or", "ok",
    )
)  # fmt: skip
"""Names in a collection, or in what may hold a thing, that give the thing itself."""

KEEPING = frozenset(
    (
        "iter", "iter_mut", "into_iter", "values", "filter", "sort", "slice", "reverse", "clone", "as_ref",
        "as_mut", "stream", "drain",
    )
)  # fmt: skip
