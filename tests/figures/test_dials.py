"""Dials: hands stand where the numbers put them, and what is dragged moves them as the numbers do."""

import math
from dataclasses import replace

import pytest
import torch

from pe_core.chapters.rope import KEY, QUERY
from pe_core.encodings import rotary
from pe_core.figures.dials import SENTENCE, TEXT, turned
from pe_core.figures.looks import motion
from pe_core.figures.looks.language import spec_in
from pe_core.measures import rotation
from pe_core.translation import speaking
from tests.cases import each
from tests.strategies import normal


def hand(figure, pair, who, when):
    place = figure.frames["dials"].set_index("pair").loc[pair]
    hands = figure.frames["hands"]
    found = hands[(hands.column == place.column) & (hands.row == place.row) & (hands.who == who) & (hands.when == when)]
    return found.iloc[0]


def test_a_hand_points_where_its_pair_does():
    """The first channel to the right, the second upwards; the browser turns shapes with the clock from the top."""
    q, k = torch.tensor([[1.0, 0.0], [0.0, 2.0]], dtype=torch.float64)
    figure = turned(q, k, 0, 0, rotary.frequencies(2), [0])
    assert hand(figure, 0, "query", "before").degrees == 90
    assert hand(figure, 0, "key", "before").degrees == 0
    assert hand(figure, 0, "query", "before").length == 0.5  # of the longest
    assert hand(figure, 0, "key", "after").degrees == 0


@each("pair", [0, 1, 3])
def test_what_the_browser_makes_of_a_pair_is_its_share_at_every_distance(pair):
    """The picture has a dot and a cross product for each pair, and turns them by what is dragged."""
    (q, k), frequencies = normal(0, 2, 8), rotary.frequencies(8)
    told = turned(q, k, 5, 2, frequencies, range(4)).frames["dials"].iloc[pair]
    for query, key in ((5, 2), (0, 7), (300, 11)):
        angle = (query - key) * told.rate
        there = turned(q, k, query, key, frequencies, range(4)).frames["dials"].iloc[pair]
        assert told["dot"] * math.cos(angle) + told["cross"] * math.sin(angle) == pytest.approx(there.share, abs=1e-9)
        for who, position in (("query", query), ("key", key)):
            turn = told[f"{who}_end"] + told.rate * (position - told[who]) - there[f"{who}_end"]
            assert math.remainder(turn, 2 * math.pi) == pytest.approx(0, abs=1e-9)


def test_the_sentence_has_the_score_of_all_pairs_and_names_where_query_and_key_stand():
    (q, k), frequencies = normal(0, 2, 16), rotary.frequencies(16)
    svg = turned(q, k, 12, 40, frequencies, [0, 7], shift=3).svg()
    score = rotation.score(q, k, 12, 40, frequencies)
    assert f"Score at distance −28: {score:+.4f}, all 8 pairs together".replace("-", "−") in svg
    assert ">query 12 + 3<" in svg
    assert ">key 40 + 3 →<" in svg
    for word in SENTENCE:
        assert f">{word}<" in svg


def test_a_language_without_spaces_has_as_many_tokens_of_its_own():
    say = speaking("zh")
    figure = turned(*normal(0, 2, 16), 12, 9, rotary.frequencies(16), range(8))
    svg = replace(figure, spec=spec_in(figure.spec, say)).svg()
    assert len(say(TEXT)) == len(SENTENCE)
    for token in say(TEXT):
        assert f">{token}<" in svg


def test_positions_are_dragged_for_the_controls_of_the_page_and_what_is_pointed_at_is_in_no_link():
    spec = turned(*normal(0, 2, 16), 12, 9, rotary.frequencies(16), range(8)).spec
    assert set(motion.controls(spec)) == {"on"}
    page = motion.page_controls(spec)
    assert {one.name for one in page.values()} == {"query", "key"} == {QUERY.name, KEY.name}
    for one in page.values():
        assert (one.minimum, one.maximum) == (QUERY.minimum, QUERY.maximum)
