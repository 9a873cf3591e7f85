"""The sinusoidal page: its channels and its detail in a table that shrinks, and the solution that it gives."""

import math

import pytest
import torch

from pe_core.encodings import sinusoidal
from tests.app.opened import frames, opened
from tests.app.walking import sound
from tests.cases import each
from ui.widgets.prose import sections

PAGE = "sinusoidal"


def test_channels_beyond_a_narrower_table_are_dropped():
    at = opened(PAGE, channels=["61", "60"])
    assert at.query_params["channels"] == ["61", "60"]
    assert set(frames(at)[1]["curves"].channel) == {"60", "61"}
    sound(at.slider(key="width").set_value(8).run())
    assert set(frames(at)[1]["curves"].channel) == {"0", "4", "6"}  # none left: the automatic choice


def middles(at):
    """What the two sliders of the detail show, and the positions and channels that are drawn."""
    sliders = {slider.key: slider.value for slider in at.slider}
    cells = frames(sound(at))[1]["table"]
    drawn = (cells.row.min(), cells.row.max()), (cells.column.min(), cells.column.max())
    return sliders.get("detail_position"), sliders.get("detail_channel"), *drawn


def sized(at, length, width):
    at.slider(key="length").set_value(length)
    at.slider(key="width").set_value(width)
    return at.run()


def test_the_detail_shows_what_was_asked_for_and_its_sliders_stay_inside_a_table_that_shrinks():
    link = {"topic": "Detail", "width": "768", "length": "512", "detail_position": "300", "detail_channel": "700"}
    at = opened(PAGE, **link)
    assert {name: at.query_params[name] for name in link} == link
    assert middles(at) == (300, 700, (292, 307), (692, 707))
    cells, table = frames(at)[1]["table"], sinusoidal.table(torch.arange(512), 768)
    assert cells.value.tolist() == table[cells.row.tolist(), cells.column.tolist()].tolist()
    assert middles(sized(at, 32, 20)) == (31, 19, (16, 31), (4, 19))
    assert middles(sized(at, 500, 8)) == (31, None, (24, 39), (0, 7))
    assert not at.warning


@pytest.fixture(scope="module")
def solution():
    """The module that the page gives as a solution, run."""
    text = sections(PAGE)["write-solution"]
    names = {}
    exec(compile(text.partition("```python\n")[2].partition("```")[0], "solution", "exec"), names)
    return names["TokensAndPositions"]


@each(("dim", "length", "base"), [(7, 33, 100.0), (64, 512, 10_000.0)])
def test_the_solution_adds_the_table_to_the_scaled_tokens(solution, dim, length, base):
    module = solution(11, dim, length + 3, base=base).eval()
    numbers = torch.randint(11, (2, length))
    added = module(numbers) - module.tokens(numbers) * math.sqrt(dim)
    expected = sinusoidal.table(torch.arange(length), dim, base=base)
    torch.testing.assert_close(added, expected.expand(2, -1, -1), rtol=0, atol=3e-6)
    # The table is no part of training or of checkpoints.
    assert [name for name, _ in module.named_parameters()] == list(module.state_dict()) == ["tokens.weight"]
    assert module.to(torch.float64).table.dtype == torch.float64


def test_the_solution_drops_parts_of_the_sum_in_training_only(solution):
    torch.manual_seed(0)
    module, numbers = solution(11, 64, 16, dropout=0.5), torch.arange(11)
    whole = module.eval()(numbers)
    dropped = module.train()(numbers)
    kept = dropped != 0
    assert 0.4 < kept.double().mean() < 0.6
    torch.testing.assert_close(dropped[kept], 2 * whole[kept])
