"""The page of claims: the settled example, predictions and their score, every claim by link, runs, and bad links."""

from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import parse_qs

from pe_core.claims import CLAIMS
from pe_core.encodings import ENCODINGS
from pe_core.lab.queue.job import Snapshot
from tests.app.opened import checked, opened
from tests.cases import each
from tests.claims.runs import KEPT, with_losses
from ui import claims as page
from ui.widgets.prose import plain, sections
from ui.widgets.tables import NO_BREAK

PAGE = "claims"
SHOWN = {"clm_shown": "at once"}
TEXT = sections(PAGE)
WORDS = {"true": "True", "false": "False", "depends": "It depends"}


def said(at):
    return "\n".join(element.value for element in (*at.markdown, *at.caption))


def sound(at):
    return checked(at, 1)


def verdict(at):
    (line,) = [element.value for element in at.markdown if element.value.startswith("#### Verdict")]
    return line.split("[")[1].split("]")[0]


def predicted(at, key, guess):
    return at.segmented_control(key=f"clm_{key}_guess").set_value(guess).run()


@each("key", ["plain_angle", "decays", "rope_far"])
def test_a_link_opens_a_claim_already_settled(key):
    """A claim on training names its run, and leads into the lab; each is opened by `test_every_page.py`."""
    at = sound(opened(PAGE, clm=key, **SHOWN))
    assert not at.warning
    assert CLAIMS[key].summary in [element.value for element in at.subheader]
    assert verdict(at) == WORDS[CLAIMS[key].settle(None, KEPT).verdict]
    assert TEXT[f"{key}-rule"] in said(at)
    assert "Your prediction" not in [one.label for one in at.segmented_control]
    links = [link.proto for link in at.get("page_link") if link.proto.query_string]
    trained = "Measured in a run that is kept in the repository: trained on texts of 64 characters"
    assert (trained in said(at), len(links)) == ((True, 1) if CLAIMS[key].encodings else (False, 0))
    for link in links:
        assert parse_qs(link.query_string) == {"encodings": list(CLAIMS[key].encodings)}
        assert all(ENCODINGS[name].title in link.label for name in CLAIMS[key].encodings)


def test_a_right_and_a_wrong_prediction_are_counted():
    at = predicted(opened(PAGE, clm="minus"), "minus", "false")
    assert sound(at).success[0].value == "You said *False*, and at that moment it was **False**."
    assert "Predictions right: **1 of 1**. Claims left: 15." in said(at)
    at.button(key="clm_next").click().run()
    assert at.selectbox(key="clm").value == "decays"
    at = predicted(at, "decays", "true")
    assert sound(at).warning[0].value == "You said *True*, but at that moment it was **It depends**."
    assert "Predictions right: **1 of 2**. Claims left: 14." in said(at)


def test_a_prediction_is_kept_and_judged_by_the_settings_it_was_made_with():
    at = predicted(opened(PAGE, clm="plain_angle"), "plain_angle", "false")
    at.slider(key="clm_plain_angle_width").set_value(2).run()
    assert verdict(sound(at)) == "True"
    assert at.success[0].value == "You said *False*, and at that moment it was **False**."
    at.button(key="clm_again").click().run()
    checked(at, 0)
    assert "No predictions yet" in said(at)


def test_the_overview_has_all_verdicts_and_is_folded_at_first():
    assert not overview(opened(PAGE))
    claims = [(plain(claim.summary), WORDS[claim.settle(None, KEPT).verdict]) for claim in CLAIMS.values()]
    assert [(claim, verdict) for claim, verdict, _chapter in overview(opened(PAGE, **SHOWN))] == claims


def overview(at):
    """The rows of the table of all claims; none where it is folded."""
    tables = [one.value for one in at.markdown if one.value.startswith("| Claim |")]
    lines = tables[0].replace(NO_BREAK, " ").splitlines()[2:] if tables else []
    return [line.strip("| ").split(" | ") for line in lines]


def watching(monkeypatch, record):
    """Make this the run of the session, in a queue that knows no other."""
    found = Snapshot("finished", None, 1.0, 0, None, None, "", record)
    queue = SimpleNamespace(knows=lambda job_id: job_id == "mine", snapshot=lambda job_id: found)
    monkeypatch.setattr(page, "job_manager", lambda: queue)
    monkeypatch.setattr(page.st, "session_state", {"run": "mine"})


def test_a_run_of_the_session_is_used_if_it_has_what_is_needed(monkeypatch):
    own = with_losses("rope", 2.0, 2.0)
    watching(monkeypatch, own)
    assert page.run_for(CLAIMS["rope_far"]) is own
    assert CLAIMS["rope_far"].settle(None, own).verdict == "true"
    one, other_mask = {"rope": KEPT.outcomes["rope"]}, replace(KEPT.config, mask="window")
    for lacking in (replace(KEPT, outcomes=one), replace(KEPT, config=other_mask), replace(KEPT, outcomes={})):
        watching(monkeypatch, lacking)
        assert page.run_for(CLAIMS["rope_far"]) == KEPT
