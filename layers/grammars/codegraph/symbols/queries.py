"""Queries of tree-sitter that find the definitions of each language; see `grammars` for their captures."""

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

JAVA = """
(class_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(annotation_type_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_constant name: (_) @name) @constant
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(compact_constructor_declaration name: (_) @name) @method
(annotation_type_element_declaration name: (_) @name) @method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @field))
(ERROR) @error
"""

CSHARP = """
(namespace_declaration name: (_) @name) @module
(class_declaration name: (_) @name) @class
(struct_declaration name: (_) @name) @class
(record_declaration name: (_) @name) @class
(interface_declaration name: (_) @name) @interface
(enum_declaration name: (_) @name) @enum
(enum_member_declaration name: (_) @name) @constant
(delegate_declaration name: (_) @name) @type
(method_declaration name: (_) @name) @method
(constructor_declaration name: (_) @name) @method
(destructor_declaration name: (_) @name) @method
(local_function_statement name: (_) @name) @function
(property_declaration name: (_) @name) @field
(event_declaration name: (_) @name) @field
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @field
(indexer_declaration "this" @name) @method
(operator_declaration operator: _ @name) @method
(ERROR) @error
"""

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

GO = """
(function_declaration name: (identifier) @name) @function
(method_declaration receiver: (parameter_list) @owner name: (field_identifier) @name) @method
(type_spec name: (type_identifier) @name type: (struct_type)) @class
(type_spec name: (type_identifier) @name type: (interface_type)) @interface
(type_spec name: (type_identifier) @name) @type
(type_alias name: (type_identifier) @name) @type
(const_spec name: (identifier) @name) @constant
(source_file (var_declaration (var_spec name: (identifier) @name) @variable))
(source_file (var_declaration (var_spec_list (var_spec name: (identifier) @name) @variable)))
(type_spec type: (struct_type (field_declaration_list (field_declaration name: (field_identifier) @name) @field)))
(field_declaration !name type: (type_identifier) @name) @field
(field_declaration !name type: (qualified_type name: (type_identifier) @name)) @field
(field_declaration !name type: (generic_type type: (type_identifier) @name)) @field
(method_elem name: (field_identifier) @name) @method
(ERROR) @error
"""

RUST = """
(function_item name: (_) @name) @function
(function_signature_item name: (_) @name) @function
(struct_item name: (_) @name) @class
(union_item name: (_) @name) @class
(enum_item name: (_) @name) @enum
(enum_variant name: (_) @name) @constant
(trait_item name: (_) @name) @interface
(type_item name: (_) @name) @type
(associated_type name: (_) @name) @type
(const_item name: (_) @name) @constant
(static_item name: (_) @name) @variable
(mod_item name: (_) @name) @module
(macro_definition name: (_) @name) @macro
(field_declaration name: (_) @name) @field
(impl_item type: (_) @name) @scope
(ERROR) @error
"""
