"""Questions on positions that are counted, written in bits, or turned into sines and cosines."""

import torch

from pe_core.encodings import binary, index, sinusoidal
from pe_core.measures.channels import channel
from pe_core.measures.jumps import hamming_steps
from pe_core.quiz import own_table
from pe_core.quiz.base import HUNDREDTH, PERCENT, WHOLE, QuestionSpec, QuizQuestion, one_of, whole

WIDTHS = (8, 16, 32, 64, 128)
BASES = (100, 1_000, 10_000, 100_000)
OF_COSINES = "own_exponent"  # the mistake that leaves sines as they are


def wavelength(generator: torch.Generator) -> QuizQuestion:
    """Ask for the wavelength of one pair of the sinusoid, in positions."""
    width, base = one_of(WIDTHS, generator), one_of(BASES, generator)
    pair = whole(1, width // 2 - 1, generator)
    frequency = sinusoidal.frequencies(width, base)[pair]
    answer = float(sinusoidal.wavelengths(frequency))
    return QuizQuestion({"width": width, "base": base, "pair": pair}, answer, {"frequency": float(frequency)})


def component(generator: torch.Generator) -> QuizQuestion:
    """Ask for one number of the sinusoidal table, in which common mistakes show."""
    answer, mistaken = 0.0, [0.0]
    while any(HUNDREDTH.allows(value, answer) for value in mistaken):
        width, base = one_of(WIDTHS[:3], generator), one_of(BASES, generator)
        position, column = whole(1, 50, generator), whole(2, width - 1, generator)  # the first pair suits any base
        answer = float(own_table.right(position + 1, width, base)[position, column])
        mistaken = [
            float(table[position, column])
            for name, table in own_table.mistakes(position + 1, width, base).items()
            if column % 2 or name != OF_COSINES
        ]
    found = channel(column, width, base)
    steps = {
        "pair": found.pair,
        "wave": found.wave,
        "frequency": found.frequency,
        "angle": float(sinusoidal.angles(torch.tensor([position]), torch.tensor([found.frequency]).double())),
    }
    given = {"position": position, "column": column, "width": width, "base": base}
    return QuizQuestion(given, answer, steps)


def norm(generator: torch.Generator) -> QuizQuestion:
    """Ask for the length of a row of the sinusoidal table."""
    width, position = 2 * whole(2, 40, generator), whole(1, 60, generator)
    row = sinusoidal.table(torch.tensor([position]), width, dtype=torch.float64)
    steps = {"pairs": len(sinusoidal.frequencies(width))}
    return QuizQuestion({"width": width, "position": position}, float(row.norm()), steps)


def neighbour_bits(generator: torch.Generator) -> QuizQuestion:
    """Ask in how many bits a position and the next one differ."""
    position = 2 * whole(0, 62, generator) + 1  # after an even one only the lowest bit flips
    both = torch.tensor([position, position + 1])
    codes = binary.table(both, binary.bits_for(position + 2))
    here, there = ("".join(str(int(bit)) for bit in code.flip(0)) for code in codes)
    return QuizQuestion({"position": position}, float(hamming_steps(codes)), {"here": here, "there": there})


def normalised_step(generator: torch.Generator) -> QuizQuestion:
    """Ask how far apart two neighbours are when the index is divided by the last one."""
    length = whole(3, 80, generator)
    told = index.table(torch.arange(length), normalise=True, dtype=torch.float64)[:, 0]
    return QuizQuestion({"length": length}, float(told[1] - told[0]), {"last": length - 1})


SPECS = (
    QuestionSpec(key="wavelength", title="Wavelength of a pair", make=wavelength, tolerance=PERCENT),
    QuestionSpec(key="component", title="A number of the sinusoidal table", make=component, tolerance=HUNDREDTH),
    QuestionSpec(key="norm", title="Length of a sinusoidal vector", make=norm, tolerance=PERCENT),
    QuestionSpec(key="neighbour_bits", title="Bits that flip", make=neighbour_bits, tolerance=WHOLE),
    QuestionSpec(key="normalised_step", title="Step of the normalised index", make=normalised_step, tolerance=PERCENT),
)
