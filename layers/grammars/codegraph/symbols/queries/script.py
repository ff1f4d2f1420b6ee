"""JavaScript, and TypeScript with what it adds."""

_BOTH = """
(function_declaration name: (_) @name) @function
(generator_function_declaration name: (_) @name) @function
(class_declaration name: (_) @name) @class
(method_definition name: (_) @name) @method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @function
(variable_declarator name: (identifier) @name value: (class)) @class
(program (lexical_declaration "const" (variable_declarator name: (_) @pattern) @constant))
(program (lexical_declaration "let" (variable_declarator name: (_) @pattern) @variable))
(program (variable_declaration (variable_declarator name: (_) @pattern) @variable))
(program (export_statement (lexical_declaration "const" (variable_declarator name: (_) @pattern) @constant)))
(program (export_statement (lexical_declaration "let" (variable_declarator name: (_) @pattern) @variable)))
(program (export_statement (variable_declaration (variable_declarator name: (_) @pattern) @variable)))
(assignment_expression left: (member_expression object: (_) @owner property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (generator_function)]) @function
(export_statement "default" @name value: [(arrow_function) (function_expression) (class)]) @function
(export_statement declaration: (_) @exported)
(export_statement "default" value: (identifier) @export)
(export_specifier name: (identifier) @export)
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
  right: [(identifier) @export (object (shorthand_property_identifier) @export)]
  (#eq? @_module "module") (#eq? @_exports "exports"))
(ERROR) @error
"""

JAVASCRIPT = (
    _BOTH
    + """
(field_definition property: (_) @name) @field
"""
)

TYPESCRIPT = (
    _BOTH
    + """
(abstract_class_declaration name: (_) @name) @class
(function_signature name: (_) @name) @function
(interface_declaration name: (_) @name) @interface
(type_alias_declaration name: (_) @name) @type
(enum_declaration name: (_) @name) @enum
(enum_body name: (_) @name @constant)
(enum_assignment name: (_) @name) @constant
(internal_module name: (_) @name) @module
(module name: (_) @name) @module
(method_signature name: (_) @name) @method
(abstract_method_signature name: (_) @name) @method
(property_signature name: (_) @name) @field
(public_field_definition name: (_) @name) @field
(internal_module body: (statement_block (lexical_declaration (variable_declarator name: (_) @pattern) @constant)))
(internal_module body: (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (_) @pattern) @constant))))
(module body: (statement_block (lexical_declaration (variable_declarator name: (_) @pattern) @constant)))
(module body: (statement_block (export_statement
  (lexical_declaration (variable_declarator name: (_) @pattern) @constant))))
(ambient_declaration (lexical_declaration (variable_declarator name: (_) @pattern) @constant))
(ambient_declaration (variable_declaration (variable_declarator name: (_) @pattern) @variable))
"""
)
