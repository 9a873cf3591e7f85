"""A field for a file of the visitor's, in the visitor's language."""

import json
from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from pe_core.translation import ENGLISH
from ui.language.words import _, language

# Streamlit's own words are not displayed, so that who listens does not hear them either; a box around them says ours.
_STYLE = """<style>
.st-key-{key} [data-testid="stFileUploaderDropzone"] > span p {{ display: none }}
.st-key-{key} [data-testid="stFileUploaderDropzone"] > span [data-testid="stMarkdownContainer"]::after {{
    content: {upload};
}}
.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] > div > span {{ display: none }}
.st-key-{key} [data-testid="stFileUploaderDropzoneInstructions"] > div::after {{
    content: {limits}; font-size: 0.875rem; opacity: 0.75;
}}
</style>"""


def ask_file(
    label: str, key: str, *, types: Sequence[str] = (), megabytes: int | None = None, help: str | None = None
) -> UploadedFile | None:
    """Draw a field for one file and return what was brought, if anything.

    `types` are the ends of names that are taken, all where there is none; without `megabytes` the server says how large
    a file may be. Streamlit's words on button and limits are English, which other languages put theirs in place of.
    """
    if language() != ENGLISH:
        most = megabytes or int(st.get_option("server.maxUploadSize"))
        limits = " • ".join([_(f"At most {most} MB"), *(one.upper() for one in types)])
        upload, limits = (json.dumps(words, ensure_ascii=False) for words in (_("Upload"), limits))
        st.html(_STYLE.format(key=key, upload=upload, limits=limits))
    return st.file_uploader(label, type=list(types) or None, key=key, max_upload_size=megabytes, help=help)
