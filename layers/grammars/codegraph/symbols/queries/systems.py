"""Go and Rust."""

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
