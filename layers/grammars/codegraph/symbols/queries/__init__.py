"""Queries of tree-sitter for definitions, a language each."""
