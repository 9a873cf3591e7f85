"""The registry of questions with numbers: drawn from a seed, answered by computation."""

from pe_core.quiz.base import QuestionSpec, QuizQuestion, number_in
from pe_core.quiz.questions import QUESTIONS

__all__ = ["QUESTIONS", "QuestionSpec", "QuizQuestion", "kind_of", "number_in"]


def kind_of(seed: int) -> str:
    """Return the key of the kind that question number `seed` is of where all kinds are asked: they come in turn."""
    return list(QUESTIONS)[seed % len(QUESTIONS)]
