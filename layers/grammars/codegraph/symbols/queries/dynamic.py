"""Python and Ruby."""

PYTHON = """
(function_definition name: (identifier) @name) @function
(class_definition name: (identifier) @name) @class
(type_alias_statement left: (type (identifier) @name)) @type
(decorated_definition) @outer
(module (expression_statement (assignment left: (identifier) @name) @variable))
(module (expression_statement (assignment left: (pattern_list (identifier) @name)) @variable))
(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @variable))))
(module (if_statement (else_clause (block (expression_statement (assignment left: (identifier) @name) @variable)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @variable))))
(module (try_statement (except_clause (block (expression_statement (assignment left: (identifier) @name) @variable)))))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @variable)))
(ERROR) @error
"""

RUBY = """
(method name: (_) @name) @method
(singleton_method name: (_) @name) @method
(class name: (_) @name) @class
(module name: (_) @name) @module
(assignment left: [(constant) (scope_resolution)] @name) @constant
(alias name: (_) @name) @method
(call method: (identifier) @_call arguments: (argument_list [(simple_symbol) (string)] @name)
  (#any-of? @_call "attr_accessor" "attr_reader" "attr_writer" "cattr_accessor" "mattr_accessor")) @field
(call method: (identifier) @_call arguments: (argument_list . [(simple_symbol) (string)] @name)
  (#any-of? @_call "define_method" "alias_method" "delegate" "scope")) @method
(ERROR) @error
"""
