"""Listings to be mended: each has one function with one line that is wrong, of a kind that occurs in public code.

They are written for this exercise, and used by nothing else. What a function should return stands in its docstring;
which line is wrong stands in `pe_core.quiz.mending`.
"""
