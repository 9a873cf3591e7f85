"""A field for a file of the visitor's, in the visitor's language."""

import json
from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ui.language.words import _


def ask_file(
    label: str, key: str, *, types: Sequence[str] = (), megabytes: int | None = None, help: str | None = None
) -> UploadedFile | None:
    """Draw a field for one file and return what was brought, if anything.

    `types` are the ends of names that are taken, all where there is none; without `megabytes` the server says how large
    a file may be. The words of Streamlit's own button and limits are English: the page's style shows these in their
    place, also to who listens.
    """
    most = megabytes or int(st.get_option("server.maxUploadSize"))
    limits = " • ".join([_(f"At most {most} MB"), *(one.upper() for one in types)])
    shown = {"upload": _("Upload"), "limits": limits}
    rules = "; ".join(f"--{name}: {json.dumps(words, ensure_ascii=False)}" for name, words in shown.items())
    st.html(f"<style>.st-key-{key} {{ {rules} }}</style>")
    return st.file_uploader(label, type=list(types) or None, key=key, max_upload_size=megabytes, help=help)
