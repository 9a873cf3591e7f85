"""A slider step in another language beside the same step in English, both in turn on one server.

`python -m benchmarks.language` opens each page twice, moves its first slider to and fro in both, one step here and one
there, and prints the median time of each and their ratio. No browser takes part: what differs is on the server.
"""

import argparse
import asyncio
import statistics
import time

from tests.browser.protocol import Client, connected
from tests.browser.serving import served

PAGES = ("rope", "sinusoidal", "windows", "biases", "extension", "counting")


async def timed_step(client: Client, place: float) -> float:
    """Move the first slider of a page to a place between its ends, 0 to 1, and return how long the answer took."""
    widget = client.sliders[0]
    slider = client.elements[widget].slider
    steps = round((slider.max - slider.min) / slider.step * place)
    start = time.perf_counter()
    await client.step(widget, slider.min + steps * slider.step)
    return time.perf_counter() - start


async def compare(address: str, language: str, n_steps: int) -> None:
    """Print the median step of each page in English and in `language`, and their ratio."""
    print(f"{'page':14} {'en ms':>8} {language + ' ms':>8} {'ratio':>6}")
    ratios = []
    for page in PAGES:
        async with connected(address) as english, connected(address) as other:
            await english.open(page, {"lang": "en"})
            await other.open(page, {"lang": language})
            times: dict[str, list[float]] = {"en": [], language: []}
            for number in range(n_steps + 2):  # the first two fill what is remembered
                turns = (("en", english), (language, other))
                for name, client in turns if number % 2 else reversed(turns):  # the server may still tidy up after one
                    times[name].append(await timed_step(client, (number % 9 + 1) / 10))
            en, told = (1000 * statistics.median(found[2:]) for found in times.values())
            ratios.append(told / en)
            print(f"{page:14} {en:8.1f} {told:8.1f} {told / en:6.2f}")
    print(f"median of the ratios {statistics.median(ratios):.2f}")


def main() -> None:
    """Serve the app and compare a language with English."""
    program = argparse.ArgumentParser(prog="python -m benchmarks.language", description=__doc__.splitlines()[0])
    program.add_argument("--language", default="zh", help="a folder of content, default: zh")
    program.add_argument("--steps", type=int, default=45, help="steps of each page, default: 45")
    options = program.parse_args()
    with served() as address:
        asyncio.run(compare(address, options.language, options.steps))


if __name__ == "__main__":
    main()
