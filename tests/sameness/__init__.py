"""Proof that a change of the code changes nothing for visitors: what every page shows is recorded and compared.

    python -m tests.sameness record BEFORE --root PATH_OF_THE_OLD_TREE
    python -m tests.sameness record AFTER
    python -m tests.sameness compare BEFORE AFTER --expected tests/sameness/expected.txt

It knows nothing of the code: only `app.py`, the files in `pages/`, and what Streamlit's `AppTest` gets to see. So it
can record any two versions of the app. A command and not a test: a recording takes minutes.
"""
