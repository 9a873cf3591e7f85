"""The sinusoidal page: numbers of its pictures, what holds between positions, its steps, by hand and by loops."""

import math

import pytest

from pe_core.chapters import sinusoidal as pictures
from pe_core.chapters import sinusoidal_steps
from tests.cases import each
from tests.chapters.offered import sets
from tests.encodings.loops import wave
from ui.widgets.prose import fill, sections

TABLE, NEAR, OTHER = sets(
    "length width base layout", (64, 64, 10_000, "paper"), (56, 80, 100, "tensor2tensor"), (40, 10, 50, "tensor2tensor")
)
PICTURES = {  # arguments by default, and other ones
    pictures.table: (TABLE, NEAR, OTHER),
    pictures.one_layout: (TABLE, NEAR, OTHER),
    pictures.detail: ({"position": 50, "channel": 50, **TABLE}, {"position": 40, "channel": 40, **NEAR}, OTHER),
    pictures.waves: ({"channels": [0, 32, 62], **TABLE}, {"channels": [1], **NEAR}, {"channels": [9], **OTHER}),
    pictures.wavelengths: (TABLE, NEAR, OTHER),
    pictures.clock_hands: sets("width base layout", (64, 10_000, "paper"), (80, 100, "tensor2tensor"), (7, 5, "paper")),
    pictures.first_positions: ({"bases": (1, 5, 10, 100)}, {"bases": (1, 5, 10, 200)}, {"bases": [2, 1_000_000]}),
    pictures.similarity: (TABLE, NEAR, OTHER),
    pictures.shift_matrix: sets("offset width base", (5, 64, 10_000), (6, 80, 100), (0, 6, 1)),
    pictures.by_base: ({"width": 64}, {"width": 8}),
}


def frequencies(width, base):
    return [base ** (-2 * pair / width) for pair in range((width + 1) // 2)]


@each(
    ("link", "sections"),
    [
        ({}, ("", "", "")),
        ({"length": 1}, ("", "facts-one-position", "")),
        ({"width": 7}, ("", "", "facts-odd-sine")),
        ({"width": 7, "layout": "concatenated"}, ("", "", "facts-odd-sine")),
        ({"width": 7, "layout": "tensor2tensor"}, ("", "", "facts-odd-zero")),
        ({"width": 1, "length": 1}, ("", "facts-one-position", "facts-odd-sine")),
        ({"width": 1, "length": 1, "layout": "tensor2tensor"}, ("-zero", "", "")),
    ],
)
def test_what_is_said_of_a_table_depends_on_its_size(link, sections):
    facts = pictures.table(**{**TABLE, **link}).facts
    assert (facts["empty"], facts["one-position"], facts["odd"]) == sections
    assert ("pairs" in facts) == (sections[0] == "")


@each("draw", [pictures.table, pictures.wavelengths])
@each(("length", "unfinished"), [(64, 23), (1, 32), (512, 16)])
def test_pairs_that_complete_a_turn_are_counted(draw, length, unfinished):
    waves = [2 * math.pi / frequency for frequency in frequencies(64, 10_000)]
    assert unfinished == sum(wave > length for wave in waves)
    facts = draw(**{**TABLE, "length": length}).facts
    assert (facts["pairs"], facts["unfinished"], facts["complete"]) == (32, unfinished, 32 - unfinished)
    assert (facts["fastest"], facts["slowest"]) == (pytest.approx(waves[0]), pytest.approx(waves[-1]))


def test_a_drag_over_the_table_leads_to_the_middle_of_what_it_covered_which_a_small_table_has_not():
    assert [parameter["name"] for parameter in pictures.table(**TABLE).spec["params"]] == ["part"]
    covered = {"top": [10.2, 30.4], "left": [5, 7.4]}
    middle = {"topic": "Detail", "detail_position": 20, "detail_channel": 6}
    assert pictures.look_where_dragged(covered) == middle
    assert pictures.middle("position", 16) is pictures.middle("channel", 1) is None
    position, channel = pictures.middle("position", 17), pictures.middle("channel", 300)
    assert (position.name, position.minimum, position.maximum) == ("detail_position", 0, 16)
    assert (channel.name, channel.minimum, channel.maximum) == ("detail_channel", 0, 299)


def test_the_detail_holds_the_cells_of_the_whole_table():
    whole = pictures.table(**TABLE).tables()["table"]
    cells = pictures.detail(position=30, channel=63, **TABLE).frames["table"]
    assert (cells.row.min(), cells.row.max(), cells.column.min(), cells.column.max()) == (22, 37, 48, 63)
    for cell in cells.itertuples():
        assert cell.value == whole[f"Channel {cell.column}"][cell.row]
    for length, width, shape in ((1, 1, (1, 1)), (5, 768, (5, 16)), (512, 3, (16, 3))):
        small = {**TABLE, "length": length, "width": width}
        cells = pictures.detail(position=0, channel=0, **small).frames["table"]
        assert (cells.row.nunique(), cells.column.nunique()) == shape


def test_clocks_are_at_most_as_many_as_can_be_seen():
    hands = pictures.clock_hands(width=768, base=10_000, layout="paper").frames["hands"]
    assert (len(hands), hands.pair.iloc[0], hands.pair.iloc[-1]) == (24, 0, 383)
    assert hands.frequency.iloc[-1] == pytest.approx(10_000 ** (-766 / 768))


@each(
    ("width", "layout", "some", "odd"),
    [
        (48, "paper", "", ""),
        (50, "paper", "clocks-some", ""),
        (47, "paper", "", "clocks-odd"),
        (47, "tensor2tensor", "", ""),
    ],
)
def test_clocks_tell_how_far_their_first_and_last_hands_turn(width, layout, some, odd):
    facts = pictures.clock_hands(width=width, base=100, layout=layout).facts
    pairs = width // 2 if layout == "tensor2tensor" else (width + 1) // 2
    slowest = 1 / 100 if layout == "tensor2tensor" else 100 ** (-2 * (pairs - 1) / width)
    turns = {"max-turns": 20 / (2 * math.pi), "min-turns": 20 * slowest / (2 * math.pi)}
    degrees = {"fastest": math.degrees(1), "slowest": math.degrees(slowest)}
    told = {"shown": min(pairs, 24), "pairs": pairs, "some": some, "odd": odd, "position": 20}
    assert facts == pytest.approx(told | degrees | turns)


def test_only_the_second_pair_of_the_first_positions_knows_the_base():
    facts = pictures.first_positions(bases=(1, 100)).facts
    between = [abs(wave(m) - wave(m / 10)) for wave in (math.sin, math.cos) for m in range(5)]
    assert facts == {"bases": "1, 100", "first": 0, "second": pytest.approx(max(between)), "steps": "57.3, 5.7"}


def products(distances, width, base):
    return [sum(math.cos(k * f) for f in frequencies(width, base)[: width // 2]) for k in distances]


@each(
    ("topic", "length", "width", "layout", "section"),
    [
        ("Wavelengths", 64, 1, "tensor2tensor", "no-pairs"),
        ("Wavelengths", 64, 1, "paper", ""),
        ("Similarity", 1, 1, "paper", "similarity-no-pair"),
        ("Similarity", 1, 2, "paper", "similarity-one-position"),
        ("Similarity", 2, 2, "paper", ""),
        ("Shift matrix", 64, 7, "paper", "shift-odd"),
        ("Shift matrix", 64, 2, "paper", ""),
        ("Exercise", 64, 1, "paper", "exercise-none"),
        ("Exercise", 64, 2, "paper", ""),
    ],
)
def test_a_sentence_says_why_there_is_no_picture(topic, length, width, layout, section):
    assert pictures.missing(topic, length, width, 10_000, layout) == section


@each(("length", "width", "base", "rise"), [(20, 16, 10_000, 4), (4, 16, 10_000, 4), (64, 7, 50, 4)])
def test_where_the_similarity_rises_is_told(length, width, base, rise):
    facts = pictures.similarity(length=length, width=width, base=base, layout="paper").facts
    found = [product / (width // 2) for product in products(range(length), width, base)]
    risen = [k for k in range(1, length) if found[k] > found[k - 1]]
    assert facts["first"] == rise
    assert (facts["from"], facts["to"], facts["rising"]) == (1 - length, length - 1, len(risen))
    assert (facts["neighbour"], facts["min"]) == (pytest.approx(found[1]), pytest.approx(min(found)))
    if rise < length:
        assert facts["rise"] == "similarity-first"
        assert (facts["before"], facts["after"]) == (pytest.approx(found[rise - 1]), pytest.approx(found[rise]))
    else:
        assert facts["rise"] == "similarity-later"
        assert "before" not in facts


@each(("width", "layout", "odd"), [(8, "paper", False), (7, "paper", True), (7, "tensor2tensor", False)])
def test_a_lone_sine_breaks_what_holds_for_pairs(width, layout, odd):
    facts = pictures.similarity(length=30, width=width, base=100, layout=layout).facts
    assert facts["direction"] == ("similarity-odd" if odd else "similarity-direction")
    assert (facts["gap"] > 1e-3) == (facts["spread"] > 1e-3) == odd
    if odd:
        rows = [wave(m, 7, 100) for m in range(30)]
        neighbours = [sum(a * b for a, b in zip(rows[m], rows[m + 1], strict=True)) for m in range(29)]
        assert facts["spread"] == pytest.approx(max(neighbours) - min(neighbours))
        sides = [
            [sum(a * b for a, b in zip(rows[14], rows[14 + k * side], strict=True)) for k in range(15)]
            for side in (1, -1)
        ]
        assert facts["gap"] == pytest.approx(max(abs(a - b) for a, b in zip(*sides, strict=True)))


def test_other_bases_and_widths_are_tabled():
    facts = pictures.other_tables(width=64, base=10_000, layout="paper")
    cosines = ("0.738", "0.890", "0.940", "0.966", "0.975")
    bases = ("2", "10", "100", "10,000", "1,000,000")
    assert facts["bases"] == "\n".join(f"| {base} | {cosine} |" for base, cosine in zip(bases, cosines, strict=True))
    assert facts["widths"] == "| 16 | 4 |\n| 64 | 6 |\n| 128 | 12 |\n| 512 | 44 |\n| 768 | 44 |"


@each(("width", "shown", "part"), [(4, 4, ""), (32, 32, ""), (34, 32, "shift-part")])
def test_what_is_drawn_of_a_shift_matrix_is_told(width, shown, part):
    degrees = {"first": math.degrees(3), "final": math.degrees(3 * 100 ** (-(shown - 2) / width))}
    told = {"shown": shown, "part": part, "last-shown": shown - 1, **degrees}
    assert pictures.shift_matrix(offset=3, width=width, base=100).facts == pytest.approx(told)


@each(("change", "harmless"), [({}, False), ({"base": 1}, True), ({"width": 2}, True), ({"offset": 0}, True)])
def test_the_shift_matrix_is_right_and_the_common_mistake_wrong_unless_every_pair_turns_alike(change, harmless):
    page = {"offset": 3, "length": 10, "width": 4, "base": 100} | change
    facts, other = (pictures.shift_errors(**page, layout=layout) for layout in ("paper", "concatenated"))
    assert facts["error"] < 1e-14
    assert facts["harmless"] == other["harmless"] == ("shift-mistake-right" if harmless else "")
    assert (facts["last"], facts["other-layout"], other["other-layout"]) == (9, "", "shift-layout")
    if not change:
        wrong = [abs(wave((m + 3) / 10) - wave(m / 10 + 3)) for wave in (math.sin, math.cos) for m in range(10)]
        assert facts["mistake"] == pytest.approx(max(wrong))


@each(("layout", "width"), [("paper", 8), ("concatenated", 8), ("tensor2tensor", 8), ("tensor2tensor", 7)])
def test_a_layout_is_compared_with_the_paper(layout, width):
    facts = pictures.one_layout(length=100, width=width, base=100, layout=layout).facts
    pairs = width // 2
    ladder = (
        [100 ** (-pair / (pairs - 1)) for pair in range(pairs)] if layout == "tensor2tensor" else frequencies(8, 100)
    )

    def row(m):
        angles = [m * frequency for frequency in ladder]
        return [math.sin(a) for a in angles] + [math.cos(a) for a in angles] + [0] * (width % 2)

    def largest(first, second):
        return max(abs(a - b) for a, b in zip(first, second, strict=True))

    papers, others = [wave(m, width, 100) for m in range(64)], [row(m) for m in range(64)]
    order = [side * pairs + pair for pair in range(pairs) for side in (0, 1)] + [2 * pairs] * (width % 2)
    reordered = [[other[place] for place in order] for other in others]
    stored = others if layout != "paper" else papers
    norms = [[sum(x * x for x in one) for one in table] for table in (papers, others)]
    dots = [[sum(a * b for a, b in zip(m, n, strict=True)) for m in table for n in table] for table in (papers, others)]
    assert facts == {
        "length": 64,
        "stored": pytest.approx(max(map(largest, papers, stored)), abs=1e-12),
        "reordered": pytest.approx(max(map(largest, papers, reordered)), abs=1e-12),
        f"{layout}-stored": facts["stored"],
        f"{layout}-reordered": facts["reordered"],
        f"{layout}-norms": pytest.approx(largest(*norms), abs=1e-12),
        f"{layout}-products": pytest.approx(largest(*dots), abs=1e-12),
        "norms": "layouts-odd" if width % 2 else "layouts-even",
        "half": pairs,
    }


@each("guess", [4, 1, 3, 512])
def test_the_exercise_finds_the_first_rise(guess):
    right, facts = pictures.first_rise(width=16, base=10_000, layout="paper", guess=guess)
    found = [product / 8 for product in products(range(513), 16, 10_000)]
    assert right == (guess == 4)
    rise = {"first": 4, "nearer": 3, "before": found[3], "after": found[4]}
    guessed = {"guess-nearer": guess - 1, "guess-before": found[guess - 1], "guess-after": found[guess]}
    assert facts == pytest.approx(rise | guessed)


def test_a_small_base_loses_the_order_and_a_large_one_the_difference():
    facts = pictures.by_base(64).facts
    assert facts["small-order"] < 0.1 < 0.7 < facts["paper-order"]
    assert facts["small-near"] < facts["paper-near"] < facts["large-near"]
    assert facts["small-still"] < facts["paper-still"] < facts["large-still"]


@each(
    ("length", "base", "which", "first"),
    [(64, 10_000, "speeds-both", 18), (512, 1, "speeds-all-fast", 64), (6, 10_000, "speeds-all-slow", 0)],
)
def test_the_first_slow_channel_is_that_of_the_first_pair_that_never_turns(length, base, which, first):
    facts = pictures.speeds(length, 64, base)
    assert (facts["speeds"], facts["first-slow"], facts["last-fast"]) == (which, first, first - 1)
    if which == "speeds-both":
        assert 2 * math.pi * base ** ((first - 2) / 64) <= length < 2 * math.pi * base ** (first / 64)


DOG = "the dog bites the man"
PICTURES |= {
    sinusoidal_steps.block: sets("offset width base", (5, 64, 10_000), (2, 8, 10), (2, 2, 10)),
    sinusoidal_steps.products: sets("width base", (64, 10_000), (8, 10)),
    sinusoidal_steps.added: sets(
        "sentence base side", (DOG, 10_000, "sum"), ("one two three four five", 10, "position")
    ),
}
TEXT = sections("sinusoidal")
MAX_STEP = int(sinusoidal_steps.STEP.maximum)


@each(("width", "base", "p", "k"), [(64, 10_000, 3, 5), (2, 1, 0, 64), (768, 100, 511, 0)])
def test_every_number_of_the_derivation_is_that_of_the_addition_theorem(width, base, p, k):
    facts = sinusoidal_steps.derivation(width, base, p, k)
    pair = min(1, width // 2 - 1)
    omega = base ** (-2 * pair / width)
    all_cosines = [math.cos(k * base ** (-2 * i / width)) for i in range(width // 2)]
    expected = {
        "omega": omega,
        "sin-p": math.sin(p * omega),
        "cos-k": math.cos(k * omega),
        "minus-sin-k": -math.sin(k * omega),
        "sin-there": math.sin((p + k) * omega),
        "sine-sum": math.sin((p + k) * omega),
        "cos-there": math.cos((p + k) * omega),
        "cosine-sum": math.cos((p + k) * omega),
        "pair-dot": math.cos(k * omega),
        "cosine-total": sum(all_cosines),
        "dot": sum(all_cosines),
        "backwards": sum(all_cosines),
        "self-dot": width / 2,
        "peak": k,
        "peak-value": width / 2,
    }
    assert {name: facts[name] for name in expected} == pytest.approx(expected, abs=1e-9)
    assert facts["shift-error"] < 1e-9


@each("step", range(1, MAX_STEP + 1))
def test_every_step_has_a_text_and_quotes_what_is_there(step):
    for width in (2, 64):
        page = {"width": width, "base": 10_000, "position": 3, "offset": 5}
        assert "[[" not in fill(TEXT[f"step sinusoid {step}"], {**page, **sinusoidal_steps.derivation(**page)})
    assert f"step sinusoid {MAX_STEP + 1}" not in TEXT
    assert pictures.missing("Derivation", 64, 7, 10_000, "paper") == "shift-odd"


def test_the_sum_is_the_embedding_plus_the_position():
    e, p, total = (
        sinusoidal_steps.added(sentence=DOG, base=10_000, side=side).frames["table"].value.tolist()
        for side in ("embedding", "position", "sum")
    )
    assert total == pytest.approx([one + other for one, other in zip(e, p, strict=True)])
    assert p[8] == pytest.approx(math.sin(1))
    assert e[:8] == e[24:32]  # "the"
    apart = math.dist(total[:8], total[24:32])
    facts = sinusoidal_steps.sums(DOG, 10_000)
    assert facts["apart"] == pytest.approx(apart)
    assert (facts["first"], facts["again"], facts["word"], facts["twice"]) == (0, 3, "the", "sum-twice")
    assert f"{total[0]:+.2f}  {total[1]:+.2f}" in facts["rows"]
    assert sinusoidal_steps.sums("one two", 10_000)["twice"] == "sum-once"


def test_the_worked_example_digit_by_digit():
    one = sinusoidal_steps.row_of(1, 4, 10_000.0)
    assert one == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)])
    assert [round(value, 4) for value in one] == [0.8415, 0.5403, 0.01, 1.0]
    assert sinusoidal_steps.row_of(0, 4, 10_000.0) == [0, 1, 0, 1]


def test_a_row_is_told_as_formulas():
    assert sinusoidal_steps.worked_example(row=3, dim=2, base=100) == {
        "steps": (
            r"0. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\sin 3 \approx \mathbf{0.14112}$"
            "\n"
            r"1. $\omega_{0} = 100^{-0/2} = 1$&ensp;→&ensp;$3 \times 1 = 3$&ensp;→&ensp;"
            r"$\cos 3 \approx \mathbf{-0.98999}$"
        ),
        "zero-equals": "=",
        "zero": "0, 1",
        "row-equals": r"\approx",
        "numbers": "0.14112, -0.98999",
    }


def test_numbers_with_more_than_six_digits_are_approximations_and_a_whole_row_is_exact():
    third, fourth, last = sinusoidal_steps.worked_example(row=2, dim=5, base=1_000_000)["steps"].splitlines()[2:]
    factor = 1_000_000 ** (-2 / 5)
    assert rf"1000000^{{-2/5}} \approx {factor:.6g}$" in third
    assert rf"2 \times {factor:.6g} \approx {2 * factor:.6g}$" in third
    assert rf"\cos {2 * factor:.6g} \approx \mathbf{{{math.cos(2 * factor):.5f}}}" in fourth
    mantissa = f"{1_000_000 ** (-4 / 5):.6g}".partition("e")[0]
    assert rf"1000000^{{-4/5}} \approx {mantissa} \cdot 10^{{-5}}$" in last
    exact = sinusoidal_steps.worked_example(row=0, dim=3, base=10)
    assert exact["row-equals"] == exact["zero-equals"] == "="
    assert exact["numbers"] == exact["zero"] == "0, 1, 0"
    assert exact["steps"].splitlines()[1].endswith(r"$\cos 0 = \mathbf{1}$")
