"""Java and C#."""

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
