"""A walk over all pages: every control at both ends and at hostile values of the link, with every closer look."""

import pytest

from tests.app.opened import ROOT, frames, opened, sentences

PAGES = sorted(path.stem for path in (ROOT / "pages").glob("*.py"))
HOSTILE = ("", "abc", "-1", "1e99", "99999999999999999999", "nan", "<script>alert(1)</script>", "🙂" * 200)

pytestmark = pytest.mark.usefixtures("own_queue")


def ends(at):
    """The controls of a page by their name in the link: the values at the two ends, or of a choice, but the present."""
    found = {}
    for control in (*at.slider, *at.number_input):
        if control.min is not None and control.max is not None:
            found[control.key] = [str(end) for end in (control.min, control.max) if end != control.value]
    for control in at.select_slider:
        found[control.key] = [end for end in (control.options[0], control.options[-1]) if end != str(control.value)]
    for control in at.segmented_control:
        found[control.key] = [option for option in control.options if option != control.value]
    return found


def bound(name):
    """Whether a control follows the link: what asks for a guess does not."""
    return name and name != "language" and not name.endswith(("guess", "_answer")) and "take_" not in name


def sound(at):
    assert not at.exception
    assert all(error.value.startswith("This cannot be trained: ") for error in at.error)
    charts = frames(at)
    assert all(not frame.empty for chart in charts for frame in chart.values())
    assert all("[[" not in text.value for text in (*at.markdown, *at.caption))
    assert len(sentences(at)) == len(charts)
    return at


@pytest.mark.parametrize("page", PAGES)
def test_every_control_at_both_ends(page):
    """Each look of the page is opened, and every control that comes with it is put to either end."""
    first = ends(sound(opened(page)))
    looks = {name: others for name, others in first.items() if name and name.endswith("_look")}
    walked = set(looks)
    for chosen in ({}, *({look: other} for look, others in looks.items() for other in others)):
        found = ends(sound(opened(page, **chosen))) if chosen else first
        for name, values in found.items():
            if bound(name) and name not in walked:
                walked.add(name)
                for value in values:
                    sound(opened(page, **chosen, **{name: value}))


@pytest.mark.parametrize("page", PAGES)
def test_a_hostile_link_gets_a_warning_and_loses_nothing(page):
    at = opened(page)
    names = [name for name in ends(at) if bound(name)]
    names += [control.key for control in (*at.selectbox, *at.multiselect) if control.key]
    for place, name in enumerate(names):
        sound(opened(page, **{name: HOSTILE[place % len(HOSTILE)]}))
    for value in HOSTILE:
        sound(opened(page, **dict.fromkeys(names, value)))
