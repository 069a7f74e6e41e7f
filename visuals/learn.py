"""The tab Learn: a tour over the live page, what is easily misread, the words; and the recorded runs they show."""

import gradio as gr

from dragin_core import __version__
from dragin_core.errors import InputError

from .handlers import Handlers
from .parts import VIEW, Explore, make_room, sent
from .scripts import later, script
from .session import notice
from .share import stretched_all
from .stories import names
from .texts import lessons

GUIDE_SCRIPTS = (
    "copy.js",
    "glossary.js",
    "spotlight.js",
    "tour.js",
    "learn_page.js",
    "gradio_guide.js",
)


def learn_tab() -> None:
    """Build the tab inside the block that is open; Gradio draws it when it is first opened, and the guide fills it."""
    gr.HTML(
        None,
        html_template='<div class="learn learned"></div>',
        js_on_load=script("gradio_learn.js"),
        apply_default_css=False,
        elem_id="learn",
    )


def guide(handlers: Handlers, tab: Explore) -> gr.HTML:
    """The tour and the words over the whole page, outside its tabs; its event ``select`` shows a recorded run in
    Explore, ``submit`` what the address says."""
    board = gr.HTML(
        None,
        html_template="<div></div>",
        js_on_load=later(*GUIDE_SCRIPTS, VERSION=__version__, LEARN=lessons()),
        apply_default_css=False,
        elem_id="guide",
    )

    def show(event: gr.EventData) -> tuple:
        """The recorded run that a step or a misreading needs; an unknown name changes nothing."""
        name = sent(event).get("name")
        if name not in names():
            return tuple(gr.skip() for _ in [*tab.filled, tab.chooser])
        return *handlers.tell(name, tuple(tab.dials)), name

    def follow(event: gr.EventData) -> tuple:
        """What the address says, when the page opens; a bad link is told, and the page stays as it is."""
        came = sent(event).get("link")
        try:
            found = handlers.follow_link(came, tuple(tab.dials))
        except InputError as error:
            nothing = [gr.skip()] * len(tab.filled)
            return *nothing[:2], notice(str(error), "error"), *nothing[3:], gr.skip()
        count = len(tab.dials)
        return *found[:-count], *stretched_all(tab.dials, found[-count:]), found[0].recorded

    board.submit(None, cancels=tab.running)
    followed = board.submit(follow, None, [*tab.filled, tab.chooser], **VIEW)
    board.select(None, cancels=tab.running)
    shown = board.select(show, None, [*tab.filled, tab.chooser], **VIEW)
    for event in (followed, shown):
        make_room(event, handlers, tab)
    return board
