"""Walk over the pages of the app: their names, their controls, what any state of theirs must be, and hostile links."""

import re

from tests.app.opened import ROOT, sentences, tables
from ui.widgets.controls import GROUP

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
HOSTILE = ("", "abc", "-1", "1e99", "99999999999999999999", "nan", "<script>alert(1)</script>", "🙂" * 200)
KINDS = ("slider", "number_input", "select_slider", "segmented_control", "selectbox", "multiselect")
SAID_ALONE = ("scorecard_encoding",)  # names one of them in a sentence; the catalogue shows their titles
LOOKS = ("_look", "topic")  # how the names of choices end that bring other controls
TYPED = {
    "sentence": "a b c",
    "img_parts": "text 2, image 2x2",
    "ins_text": "the sea",
    "own_text": "-7",
    "pasted": "A text of one's own. " * 100,
}


def controls(at):
    """All controls of the page that hold a value, by key, but the language."""
    found = [control for kind in (*KINDS, "text_input", "text_area") for control in getattr(at, kind)]
    assert all(control.key for control in found)
    return {control.key: control for control in found if control.key != "language"}


def looks(at):
    """The closer looks of the page, as the parameters of a link; none where a page has no such choice."""
    found = [one for one in at.segmented_control if one.key.endswith(LOOKS)]
    groups = [one for one in at.segmented_control if one.key.endswith(GROUP)]
    offered = [option for group in groups for option in group.options] or [None]
    links = []
    for option in offered:
        if option is not None:
            at.segmented_control(key=groups[0].key).set_value(option).run()
        links += [{one.key: word} for one in found for word in at.segmented_control(key=one.key).options]
    return links or [{}]


def lists(at):
    """The controls of the page by which one of some is chosen, by key."""
    return {
        one.key: one
        for one in (*at.segmented_control, *at.selectbox)
        if one.key not in ("language", *SAID_ALONE) and in_link(one.key)
    }


def choices(at, known):
    """Choose all that may be chosen from each list that is not known yet, while the other lists stay as they are."""
    for key, one in lists(at).items():
        if key in known or key.endswith(LOOKS):
            continue
        before = one.value
        for place, option in enumerate(one.options):
            if key not in lists(at):  # a title that was chosen has taken this list away
                break
            chosen = lists(at)[key]
            chosen = chosen.select_index(place) if chosen.type == "selectbox" else chosen.set_value(option)
            chosen.run()
            yield key, place
        else:
            lists(at)[key].set_value(before)  # with the next run


def in_link(key):
    """Whether the link names the value of a control: it does not for answers to a question and for long texts."""
    return "guess" not in key and "take_" not in key and not key.endswith(("_answer", "pasted", GROUP))


def end_of(control, end):
    """The least (0) or the largest (-1) value that the control may have, the first or the last option, or a text."""
    if control.type in ("slider", "number_input"):
        return (control.min, control.max)[end]
    if control.type in ("text_input", "text_area"):
        return TYPED.get(control.key, "7") if end else control.value
    if control.type == "multiselect":
        return control.options[:1] if end == 0 else control.options[:2]
    return control.options[end]


def set_all(at, done, end):
    """Set every control but those that are done to one end, at once, and then those that came with them."""
    while left := [control for key, control in controls(at).items() if key not in done and not key.endswith(GROUP)]:
        for control in left:
            control.set_value(end_of(control, end))
        at.run()
        done = [*done, *(control.key for control in left)]
    return at


def sound(at):
    """The page, after checking that it has not failed: pictures with data and in words, no text with a gap."""
    assert all(error.value.startswith(("This cannot be trained: ", "无法训练：")) for error in at.error), at.error
    charts = tables(at)
    assert all(table.num_rows for chart in charts for table in chart.values())
    assert all("[[" not in text.value for text in (*at.markdown, *at.caption))
    assert not [text.value for text in (*at.markdown, *at.caption) if re.search(r"\d\**\s%", text.value)]
    said = sentences(at)
    assert len(said) == len(charts)
    assert all(len(sentence) > 10 and "[[" not in sentence for sentence in said)
    return at


def walk(at, *pages, **link):
    """Go to pages as the sidebar does, with nothing in the link, to the last one with a link."""
    for page in pages:
        at.switch_page(f"pages/{page}.py")
        at.query_params.clear()
        at.query_params.update(link if page == pages[-1] else {})
        at.run()
    return at
