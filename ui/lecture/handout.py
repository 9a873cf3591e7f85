"""A handout of a lecture: one scene a page, with its picture, sentence, notes and link, as a PDF.

No browser is needed: Streamlit's own test frame draws each scene as the app does, and the pictures that it shows are
made by the package that makes all pictures in files. From the command line:

    python -m ui.lecture.handout 45 --out handout.pdf
"""

import base64
import io
import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.sax.saxutils import escape

from PIL import Image
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from pe_core.figures.looks.paper import FONT
from pe_core.files import write_whole
from pe_core.lab.command_line import Parser
from pe_core.parameters import require
from pe_core.translation import ENGLISH, speaking
from pe_core.wrapping import wrapped
from ui.frame.room import AROUND, LOOK, PICTURE
from ui.language.words import CHOSEN
from ui.lecture.presenting import OPENED, OWN
from ui.lecture.scenes import ROOT, Lecture, Scene, load, names, parse
from ui.widgets.bound import SHOWN
from ui.widgets.charts import Shown, figure_in

WIDTH, HEIGHT = 842, 595  # points of A4, wide
SCALE = 2.5  # pixels of a point: 180 an inch
MARGIN = 42
MAX_PICTURES = 2  # of a scene, beside each other
PICTURE_HEIGHT = 300
NOTE, LEADING = 11, 15  # points of the notes' type, and from line to line
PATIENCE = 300.0  # seconds for a page: it is drawn below the pages of visitors, and for a while gets a tenth of a core


def _in_view(at: AppTest) -> list[Shown]:
    """Return the pictures of the closer look, where one is open, else those of the first screen, else all."""
    shown: dict[str, Shown] = at.session_state[SHOWN]
    for view in (LOOK, PICTURE):
        inside = [one for block in _containers(at) if _is(block, view) for one in _containers(block)]
        if found := [picture for key, picture in shown.items() if any(_is(one, f"{AROUND}{key}") for one in inside)]:
            return found
    return list(shown.values())


def _containers(within: AppTest | Block) -> list[Block]:
    return [one for one in within.get("flex_container") if isinstance(one, Block)]


def _is(container: Block, key: str) -> bool:
    return str(container.proto.id).endswith(f"-{key}") if container.proto else False


def pictures_of(scene: Scene, language: str = ENGLISH) -> list[bytes]:
    """Return the pictures that a scene shows in a language, at most two, as PNG files.

    Raises `RuntimeError` where the page of the scene fails.
    """
    at = AppTest.from_file(ROOT / "app.py", default_timeout=PATIENCE)
    at.switch_page(f"pages/{scene.page}.py")
    at.session_state[CHOSEN] = language
    at.session_state[OPENED] = Lecture("", 1, (scene,))
    for name in dict.fromkeys(name for name, _ in scene.parameters):
        at.query_params[name] = [value for key, value in scene.parameters if key == name]
    at.query_params["present"] = OWN
    at.run()
    if at.exception:
        raise RuntimeError(f"{scene.link} could not be drawn")
    shown = _in_view(at)[:MAX_PICTURES]
    width = (WIDTH - 2 * MARGIN) // max(len(shown), 1)
    return [
        figure_in(language, one.picture()).png(width=width, height=PICTURE_HEIGHT - 20, scale=SCALE) for one in shown
    ]


def page(scene: Scene, pictures: Sequence[bytes], place: str) -> str:
    """Return a page of the handout as SVG; notes that have no room end with an ellipsis."""
    y = MARGIN + 18
    lines: list[str] = []
    for words in wrapped(scene.sentence, 62):
        lines.append(_line(words, y, 22, bold=True))
        y += 28
    left, room = MARGIN, (WIDTH - 2 * MARGIN) / max(len(pictures), 1)
    height = 0.0
    for content in pictures:
        size = Image.open(io.BytesIO(content)).size
        scale = min(room / size[0], PICTURE_HEIGHT / size[1])
        data = base64.b64encode(content).decode()
        lines.append(
            f'<image x="{left:.0f}" y="{y}" width="{size[0] * scale:.1f}" height="{size[1] * scale:.1f}" '
            f'href="data:image/png;base64,{data}"/>'
        )
        left, height = left + int(room), max(height, size[1] * scale)
    y += int(height) + 24
    told = [f"– {reveal}" for reveal in scene.reveals] + [line for line in scene.notes.splitlines() if line.strip()]
    notes = [words for line in told for words in wrapped(line, 132)]
    fits = (HEIGHT - MARGIN - 20 - y) // LEADING
    if len(notes) > fits:
        notes = [*notes[: fits - 1], notes[fits - 1][:120] + " …"]
    lines += [_line(words, y + number * LEADING, NOTE) for number, words in enumerate(notes)]
    lines.append(_line(scene.link[:130], HEIGHT - MARGIN, 9))
    lines.append(_line(place, HEIGHT - MARGIN, 9, end=True))
    paper = f'width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {paper}><rect {paper} fill="white"/>{"".join(lines)}</svg>'


def _line(words: str, y: int, size: int, *, bold: bool = False, end: bool = False) -> str:
    looks = f'font-size="{size}" font-family="{escape(FONT, {chr(34): "&quot;"})}" fill="#111820"'
    at = f'x="{WIDTH - MARGIN}" text-anchor="end"' if end else f'x="{MARGIN}"'
    weight = ' font-weight="600"' if bold else ""
    return f'<text {at} y="{y}" {looks}{weight}>{escape(words)}</text>'


def handout(lecture: Lecture, tell: Callable[[str], None], language: str = ENGLISH) -> bytes:
    """Return the handout of a lecture in a language as a PDF, a page for each scene; `tell` gets a line for each."""
    import vl_convert  # only files need it

    with TemporaryDirectory() as folder:
        path = Path(folder) / "handout.pdf"
        for number, scene in enumerate(lecture.scenes, start=1):
            drawn = page(scene, pictures_of(scene, language), f"{lecture.title}, {number} / {len(lecture.scenes)}")
            content = vl_convert.svg_to_png(drawn, scale=SCALE)
            image = Image.open(io.BytesIO(content)).convert("RGB")
            # One by one: a page takes 9 MB before it is in the file.
            image.save(path, "PDF", append=number > 1, resolution=72 * SCALE, title=lecture.title, quality=92)
            tell(f"page {number} of {len(lecture.scenes)}")
        return path.read_bytes()


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the handout of a lecture of the project, or of a file; return 2, with a sentence, where that is not one."""
    parser = Parser("python -m ui.lecture.handout", "Print a lecture: one scene a page, as a PDF.")
    parser.add_argument("lecture", help=f"one of {', '.join(names())}, or a TOML file of your own")
    parser.add_argument("--out", type=Path, default=Path("handout.pdf"), help="the PDF that is written")
    asked = parser.parse_args(arguments)
    say = speaking(asked.language)
    logging.disable(logging.WARNING)  # Streamlit says at each step that no server is running
    try:
        require(asked.out.suffix == ".pdf", "--out", "end with .pdf", asked.out)
        own = Path(asked.lecture)
        lecture = parse(own.read_bytes()) if own.suffix == ".toml" else load(asked.lecture, asked.language)
        content = handout(lecture, lambda line: print(say(line), flush=True), asked.language)
        write_whole(asked.out, content)
    except (ValueError, OSError, RuntimeError) as error:
        print(f"{say('error: ')}{say(str(error))}", file=sys.stderr)
        return 2
    print(f"{say('wrote ')}{asked.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
