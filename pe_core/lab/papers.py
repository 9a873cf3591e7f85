"""What papers measured, in larger models, of systems that the gallery has too."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """Numbers of a paper: one row for each system, by our key, and one column for each length in tokens.

    `source` says where they stand and `link` leads there. Where only the training length was measured the numbers are
    compared as they are, else as what becomes of them beyond it. `repairs_of` is the encoding whose repairs the rows
    are, None where they are encodings.
    """

    title: str
    source: str
    link: str
    measured: str
    train_length: int
    lengths: tuple[int, ...]
    rows: Mapping[str, tuple[float, ...]]
    higher_is_better: bool = False
    repairs_of: str | None = None

    @property
    def beyond(self) -> bool:
        """Whether lengths beyond that of training were measured."""
        return len(self.lengths) > 1


TABLES: dict[str, Table] = {
    "press_512": Table(
        "Press et al., trained at 512",
        "Press, Smith & Lewis 2021, Table 2",
        "https://arxiv.org/abs/2108.12409",
        "perplexity on WikiText-103",
        512,
        (512, 612, 712, 1012, 1512, 2512, 5512, 10512),
        {
            "sinusoidal": (20.05, 20.59, 24.86, 43.54, 76.23, 132.41, 240.44, 341.53),
            "rope": (20.07, 19.81, 19.79, 21.37, 25.99, 31.58, 43.14, 60.77),
            "t5": (19.65, 19.27, 19.10, 18.79, 18.91, 20.41, 29.54, 52.95),
            "alibi": (19.73, 19.38, 19.14, 18.73, 18.52, 18.41, 18.36, 18.32),
        },
    ),
    "press_1024": Table(
        "Press et al., trained at 1,024",
        "Press, Smith & Lewis 2021, Table 3",
        "https://arxiv.org/abs/2108.12409",
        "perplexity on WikiText-103",
        1024,
        (1024, 1124, 1224, 1524, 2024, 3024, 5024, 10024),
        {
            "sinusoidal": (19.34, 19.26, 20.54, 29.82, 51.09, 96.46, 182.31, 337.48),
            "rope": (19.33, 19.18, 19.38, 22.59, 31.17, 35.67, 48.31, 77.70),
            "t5": (18.80, 18.62, 18.58, 18.42, 18.34, 18.62, 20.47, 29.54),
            "alibi": (18.66, 18.46, 18.40, 18.22, 18.05, 17.92, 17.92, 17.97),
        },
    ),
    "kazemnejad": Table(
        "Kazemnejad et al., trained at 1,024",
        "Kazemnejad et al. 2023, Appendix F",
        "https://arxiv.org/abs/2305.19466",
        "perplexity on documents of 2,750 to 3,000 tokens",
        1024,
        (1024, 1200, 1400, 1600, 1800, 2048, 2560),
        {
            "none": (2.67, 2.62, 2.50, 3.84, 41.2, 151.8, 536.0),
            "alibi": (2.74, 2.74, 2.74, 3.68, 13.8, 43.0, 150.0),
            "rope": (2.61, 3.32, 156.0, 507.0, 675.0, 677.0, 760.0),
        },
    ),
    "haviv": Table(
        "Haviv et al., at the training length",
        "Haviv et al. 2022, Table 1",
        "https://arxiv.org/abs/2203.16634",
        "perplexity on WikiText-103",
        512,
        (512,),
        {"none": (20.97,), "learned": (20.42,), "sinusoidal": (20.16,), "alibi": (19.71,)},
    ),
    "su": Table(
        "Su, repairs of RoPE, trained at 512",
        "Su 2023, kexue.fm/archives/9708 (in Chinese)",
        "https://kexue.fm/archives/9708",
        "per cent of tokens predicted right, text not repeated",
        512,
        (512, 4096),
        {
            "as_trained": (49.41, 23.16),
            "pi": (49.41, 13.54),
            "ntk": (49.41, 39.27),
            "rerope": (49.41, 48.48),  # half the training length kept exact, as here
        },
        higher_is_better=True,
        repairs_of="rope",
    ),
}
