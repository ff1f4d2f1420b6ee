"""The search engine. New documents are found at once and indexed in the background. The index can be checked and
repaired.
"""
