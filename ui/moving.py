"""A small picture that moves by itself while it is seen, until somebody touches it."""

from pe_core.figures.moving import HEIGHT, WIDTH, MovingPicture
from ui.frame.browser import component
from ui.language.words import _

_HTML = """
<div class="moving">
<svg role="img"></svg>
<div class="row">
<button type="button"></button><input type="range" min="0" step="1"><output aria-hidden="true"></output>
</div>
</div>
"""
_PICTURE = component(__file__, "moving", html=_HTML, isolate_styles=True)


def draw_moving(picture: MovingPicture, *, key: str, title: str, alternative: str) -> None:
    """Draw a picture that moves; `alternative` says in words what is to be seen, for those who have it read to them."""
    marks = [{**vars(mark), "words": _(mark.words)} for mark in picture.marks]
    told = {"steps": [_(step) for step in picture.steps], "marks": marks, "seconds": picture.seconds}
    words = {"counts": _(picture.counts), "play": _("Play"), "pause": _("Pause")}
    words |= {"title": title, "alternative": alternative}
    _PICTURE(key=key, data={"picture": told, "size": [WIDTH, HEIGHT], **words})
