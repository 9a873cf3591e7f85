"""The cases by hand of criteria and claims, as the tests have them, beside what comes out.

Modules of tests are imported when they are asked for: pytest has to be the first to read them.
"""

import ast
import re
from pathlib import Path

from pe_core.claims import CLAIMS, VERDICTS
from pe_core.measures.criteria import CRITERIA

TESTS = Path(__file__).parents[1]
CRITERIA_CASES = TESTS / "measures" / "test_criteria_cases.py"


def table(columns, rows):
    """Return a table; bars within a cell are escaped, and its lines joined."""
    cells = [[re.sub(r"(?<!\\)\|", r"\\|", " ".join(cell.split())) for cell in row] for row in (columns, *rows)]
    lines = [f"| {' | '.join(row)} |" for row in cells]
    return "\n".join([lines[0], "|" + "---|" * len(columns), *lines[1:]])


def criteria():
    """Return the table of the scorecard's criteria: every case by hand, what it must give, and what it gives.

    Raises `ValueError` for a criterion that lacks a case where it is good or one where it is bad.
    """
    from tests.measures.handmade import SHAPE
    from tests.measures.test_criteria_cases import BAD, GOOD

    code, rows, judged = written(), [], {"good": set(), "bad": set()}
    for side, cases in (("good", GOOD), ("bad", BAD)):
        for place, (key, encoding, expected) in enumerate(cases):
            number = CRITERIA[key].measure(encoding, SHAPE)
            must = "above 0.1" if expected is None else f"{expected:.4g}"
            rows.append(
                (key, [f"{CRITERIA[key].title}<br>`{key}`", side, f"`{code[side][place]}`", must, f"{number:.4g}"])
            )
            judged[side].add(key)
    for side, keys in judged.items():
        if keys != set(CRITERIA):
            raise ValueError(
                f"every criterion must have a case where it is {side}, got none for {set(CRITERIA) - keys}"
            )
    rows.sort(key=lambda row: list(CRITERIA).index(row[0]))
    columns = ["Criterion", "Case where it is", "Encoding by hand", "Must be", "Is"]
    file = f"[`{CRITERIA_CASES.name}`](../tests/measures/{CRITERIA_CASES.name})"
    told = f"Encodings made by hand, for which the number is known, measured anew for this page: {file}."
    return f"## Criteria of the scorecard\n\n{told}\n\n{table(columns, [row for _, row in rows])}"


def written():
    """Return the Python of each encoding in the lists of cases, a name of the file replaced by what it stands for."""
    assigned = {
        node.targets[0].id: node.value
        for node in ast.parse(CRITERIA_CASES.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }

    def code(node):
        return ast.unparse(assigned.get(node.id, node) if isinstance(node, ast.Name) else node)

    return {
        side: [code(case.elts[1]) for case in assigned[name].elts] for side, name in (("good", "GOOD"), ("bad", "BAD"))
    }


def claims():
    """Return the table of claims: the verdict on the kept run, and the cases in which each verdict comes out.

    Raises `ValueError` for a claim without a case.
    """
    from tests.claims.runs import KEPT
    from tests.claims.test_rules import CASES

    rows = []
    for key, claim in CLAIMS.items():
        cases = {verdict: [] for verdict in VERDICTS}
        for case in CASES:
            if case.values[0] == key:
                why = case.id.removeprefix(f"{key}-{case.values[1]}-")
                cases[case.values[1]].append("as it stands" if why == "{}" else why.strip("{}").replace("'", ""))
        if not any(cases.values()):
            raise ValueError(f"claim {key} must have a case, got none")
        verdict = claim.settle({}, KEPT).verdict
        rows.append([f"{claim.title}<br>`{key}`", claim.summary, verdict, *("; ".join(cases[one]) for one in VERDICTS)])
    columns = ["Claim", "As it is repeated", "Verdict", *(f"Cases: {verdict}" for verdict in VERDICTS)]
    told = (
        "The verdict with the default settings and the run that the project keeps, and cases in which each verdict"
        " comes out: other settings, another run, or a part replaced by hand. Each case is a test of"
        " [`test_rules.py`](../tests/claims/test_rules.py)."
    )
    return f"## Claims\n\n{told}\n\n{table(columns, rows)}"
