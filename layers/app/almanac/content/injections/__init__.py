"""The model of injections: a linear score of each window of a text, over hashed words and over concepts.

    most_suspect(text) -> the window that reads most like an order to a language model; a positive score is a mark

It knows nothing but the words of a window. `tools/injection_model` trains it; docs/decisions/0045 has the figures.
"""
