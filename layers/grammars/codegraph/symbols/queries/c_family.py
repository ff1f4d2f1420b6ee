"""C and C++."""

C = """
(function_definition declarator: (_) @declarator) @function
(declaration declarator: (_) @declarator) @variable
(field_declaration declarator: (_) @declarator) @field
(type_definition declarator: (_) @declarator) @type
(struct_specifier name: (_) @name body: (_)) @class
(union_specifier name: (_) @name body: (_)) @class
(enum_specifier name: (_) @name body: (_)) @enum
(enumerator name: (_) @name) @constant
(preproc_def name: (_) @name) @macro
(preproc_function_def name: (_) @name) @macro
(ERROR) @error
"""

CPP = (
    C
    + """
(class_specifier name: (_) @name body: (_)) @class
(namespace_definition name: (_) @name) @module
(alias_declaration name: (_) @name) @type
(concept_definition name: (_) @name) @type
"""
)
