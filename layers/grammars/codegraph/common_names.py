"""Names whose meaning is known, or cannot be known, without a lookup."""

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
"""Names that so many types define that a single definition among the files proves nothing."""

GIVING = frozenset(
    (
        "get", "get_mut", "at", "pop", "shift", "first", "last", "next", "find", "peek", "remove", "unwrap",
        "expect", "unwrap_or", "unwrap_or_default", "unwrap_or_else", "orElse", "orElseThrow", "value", "Value",
        "Result", "First", "Last", "Single", "back", "front", "top", "ok_or", "ok",
    )
)  # fmt: skip
"""Members of collections, and of types that may hold a value, which return that value."""

KEEPING = frozenset(
    (
        "iter", "iter_mut", "into_iter", "values", "filter", "sort", "slice", "reverse", "clone", "as_ref",
        "as_mut", "stream", "drain",
    )
)  # fmt: skip
