"""The chapters: one module each, with its parameters, its pictures and what its exercise asks.

A picture is a function of plain numbers and words that returns a figure with its facts: a page shows the one and tells
the others, and the Python that it offers is a call of the same function.
"""
