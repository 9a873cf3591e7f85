"""Entry point: page settings, navigation, warm-up. Run with `streamlit run app.py`."""

import streamlit as st

from ui.frame.browser import listen
from ui.frame.limits import enter
from ui.frame.room import use_room
from ui.frame.shell import ICON, enter_shell, home, page_list
from ui.frame.turns import turn
from ui.frame.visitor import introduce
from ui.language.words import _
from ui.lecture import presenting
from ui.start import draw_foot, follow_run, warm_up
from ui.widgets.bound import watch_pictures
from ui.widgets.language import offer_languages, settle_language, tell_language
from ui.widgets.sidebar import follow_course, offer_glossary

enter()  # first: what comes after it is work
settle_language()
st.set_page_config(page_title=_("Positional Encoding Explorer"), page_icon=ICON, layout="wide")
if poll := st.query_params.get("answer"):  # on a telephone, as on thirty others: one page, no picture, no cookie
    with turn(later=True):
        st.navigation([home()], position="hidden")
        from ui.poll import draw  # with torch, which no other first page waits for

        draw(poll)
        tell_language(kept=False)
else:
    pages = page_list()
    lecture, notes = presenting.lecture_of_link(), presenting.shows_notes()
    page = st.navigation(pages, position="hidden" if lecture or notes else "sidebar", expanded=True)
    introduce()
    watch_pictures()
    use_room()
    listen(page.url_path)
    tell_language()
    with turn():
        if notes:
            presenting.draw_notes(lecture, page.url_path)
        elif lecture:
            presenting.present(lecture, page.url_path)
            enter_shell()
            page.run()
            presenting.show_controls(lecture)
        else:
            enter_shell()
            page.run()
            draw_foot(page, pages)
            follow_course(page.url_path)
            offer_glossary()
            offer_languages()
            follow_run(page)
warm_up()  # last, so that the first page is on the screen before the heavy imports
