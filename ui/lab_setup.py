"""The lab's controls: what to compare, the model, and the text."""

from collections.abc import Mapping

import streamlit as st

from pe_core.encodings import ENCODINGS
from pe_core.lab import corpus
from pe_core.lab.corpus import LEAST_CHARACTERS, MOST_BYTES, Corpus
from pe_core.lab.repair import REPAIRS
from pe_core.lab.training import PARAMETERS, RunConfig, parse_config
from pe_core.masks import MASKS
from pe_core.parameters import Parameter
from pe_core.positions import REMAPS
from pe_core.registry import Entry
from ui import lab
from ui.controls import choose_many, choose_one, control

ENTRIES: dict[str, Mapping[str, Entry]] = {"mask": MASKS, "remap": REMAPS}  # what a parameter chooses from

TEXT = Parameter(
    "text",
    "Text",
    "built-in",
    "What the models learn to continue, character by character.",
    choices=("built-in", "paste", "upload"),
)


def choose_config() -> RunConfig:
    """Draw the controls of a run and return its configuration; raise `ValueError` where nothing is chosen."""
    titles = {key: spec.title for key, spec in ENCODINGS.items()}
    encodings = choose_many("encodings", "Encodings", titles, RunConfig().encodings)
    columns = st.columns(3)
    texts = {}
    numbers = [parameter for name, parameter in PARAMETERS.items() if name not in ENTRIES]
    for number, parameter in enumerate(numbers):
        with columns[number % len(columns)]:
            texts[parameter.name] = str(control(parameter))
    for column, (name, entries) in zip(st.columns(len(ENTRIES)), ENTRIES.items(), strict=True):
        parameter = PARAMETERS[name]
        titles = {str(key): entries[str(key)].title for key in parameter.choices}
        with column:
            texts[name] = choose_one(name, parameter.label, titles, str(parameter.default))
            st.caption(entries[texts[name]].summary)
    return parse_config(encodings, texts, choose_repairs())


def choose_repairs() -> list[str]:
    """Draw the choice of what is changed about the trained models when they read longer texts, and return the keys."""
    titles = {key: repair.title for key, repair in REPAIRS.items()}
    alone, together = st.columns(2)
    with alone:
        repairs = choose_many("repairs", "Repairs, each alone", titles, ())
        st.caption("Changed at evaluation only; no weight is trained for it.")
    with together:
        joined = choose_many("repairs_together", "Repairs, all of these at once", titles, ())
    combined = "+".join(joined)
    return [*repairs, combined] if combined and combined not in repairs else repairs


def choose_corpus() -> Corpus | None:
    """Draw the controls of the text and return it; None while there is none; `ValueError` if it is not usable."""
    source = control(TEXT)
    if source == "built-in":
        built_in = corpus.built_in()
        st.caption(f"{built_in.name}: {len(built_in.train) + len(built_in.held_out):,} characters of English.")
        return built_in
    rule = f"At least {LEAST_CHARACTERS:,} characters, at most {MOST_BYTES // 1_000_000} MB in UTF-8."
    if source == "paste":
        text = st.text_area("Your text", key="pasted", help=rule, placeholder=rule, persist_state="session")
        return lab.pasted_corpus(text) if text else None
    file = st.file_uploader("Your text", key="uploaded", help=rule)
    return lab.uploaded_corpus(file.getvalue(), file.name) if file else None
