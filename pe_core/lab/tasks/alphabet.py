"""The alphabet of the tasks: digits, the signs that stand in and after a question, and small and capital letters."""

DIGITS = tuple("0123456789")
ANSWER, PLUS = "=", "+"
SMALL, CAPITAL = tuple("ab"), tuple("AB")
SYMBOLS = (*DIGITS, ANSWER, PLUS, *SMALL, *CAPITAL)
