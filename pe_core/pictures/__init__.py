"""The pictures of the pages as functions of plain numbers and words: one module per chapter.

A page shows what these return, and the Python that it offers with a picture is a call of the same function.
"""
