"""Take it along: links that restore and links that lie, figures that stand alone, copied text."""

from pathlib import Path
from urllib.parse import parse_qs
from xml.dom import minidom

import pytest
from test_what_if import edited
from visitor import Visitor

from dragin_core.errors import InputError
from dragin_core.settings import Settings
from visuals.link import link_to, link_to_run, read_link

HOSTILE = "<img src=x onerror=alert(1)> & ${1+1} {{x}}"


def test_a_link_says_what_was_set_and_no_more():
    settings = Settings(
        theta=0.123456789,
        top_n=5,
        method="flare",
        variant="official",
        switches={"semantic": "stopword"},
        every=7,
        when="rind",
        what="last-tokens",
        flare_mask=0.3,
        max_retrievals=2,
    )
    told = link_to(f"Who? {HOSTILE}", "a; b", settings)
    found = read_link(told)
    assert (found.question, found.gold, found.settings) == (f"Who? {HOSTILE}", "a; b", settings)
    assert set(parse_qs(told[1:])) == {
        *("q", "gold", "theta", "n", "method", "variant", "set", "every", "when", "what", "flare-mask", "retrievals")
    }
    assert read_link(link_to_run("6-made-worse")).run == "6-made-worse"
    edits = [{"at": 1, "kind": "ask", "text": HOSTILE}, {"at": 6, "kind": "ignore"}]
    assert read_link(link_to("Who?", "", settings, edits)).edits == tuple(edits)
    with pytest.raises(InputError, match="too long for a link"):
        link_to("Who?", "", settings, [{"at": 1, "kind": "prompt", "text": "é" * 9000}])


@pytest.mark.parametrize(
    ("link", "sentence"),
    [
        (None, "too long"),
        ("?q=" + "a" * 20_000, "too long"),
        ("?" + "a=1&" * 200, "too long"),
        ("?q=%20", "question is empty"),
        ("?q=who&theta=nan", "theta is 'nan'"),
        ("?q=who&n=1e99", "top_n is"),
        ("?q=who&set=__class__:x", "no switch"),
        ("?q=who&method=%3Cb%3E", "method '<b>'"),
        ("?q=who&edit=" + "[" * 9000, "changed by hand cannot be read"),
        ("?q=who&edit=7", "changed by hand cannot be read"),
        ("?q=who&edit={}", "changed by hand cannot be read"),
        ('?q=who&edit={"at":"x","kind":"ignore"}', "changed by hand cannot be read"),
        ("?run=../../etc/passwd", "recorded run that is not here"),
    ],
)
def test_a_bad_link_is_one_sentence(link, sentence):
    with pytest.raises(InputError) as told:
        read_link(link)
    assert sentence in str(told.value)
    assert len(str(told.value).splitlines()) == 1


@pytest.fixture
def follow(browser, server):
    """A function that opens the page by a link."""
    contexts = []

    def opened(link: str) -> Visitor:
        contexts.append(browser.new_context(viewport={"width": 1400, "height": 900}))
        return Visitor(contexts[-1].new_page(), server + link)

    yield opened
    for context in contexts:
        context.close()


def test_a_copied_link_restores_question_and_dials(visit, follow):
    visitor = visit()
    page = visitor.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click("#share-link")
    visitor.notice("Copied")
    assert page.evaluate("() => navigator.clipboard.readText()").endswith("/?run=1-fires-and-mends")
    page.click("[data-copy=query]")
    visitor.wait("() => document.querySelector('[data-copy=query]').textContent.includes('✓')")
    assert page.evaluate("() => navigator.clipboard.readText()") == "invented stethoscope man named"
    settings = Settings(theta=0.35, top_n=5)
    other = follow("/" + link_to(HOSTILE, "Picasso", settings))
    other.notice("From a link")
    other.wait("() => document.querySelector('#dial-n input[type=number]').value === '5'")
    assert other.page.input_value("#question textarea") == HOSTILE
    assert other.page.input_value("#dial-theta input[type=number]") == "0.35"
    assert other.count("#stage img, #question img") == 0
    assert other.problems == []


def test_a_copied_link_brings_back_what_was_changed_by_hand(begun, follow):
    page = begun.page
    trigger = begun.trace()["events"][1]["index"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(f'.tok[data-round="0"][data-unit="{trigger}"]').click()
    page.locator(".card").get_by_role("button", name="Ignore this trigger").click()
    edited(begun, 1)
    page.click("#share-link")
    begun.notice("Copied")
    link = page.evaluate("() => navigator.clipboard.readText()")
    other = follow(link[link.index("/?") :])
    assert "1 changed by hand" in other.came("Who painted Guernica?").text("#notice-line")
    other.wait("() => document.querySelector('#dial-length input[type=number]').value === '32'")
    other.press("run")
    edited(other, 1)
    mine, theirs = begun.trace(), other.trace()
    assert theirs["edits"] == mine["edits"]
    assert [event["type"] for event in theirs["events"]] == [event["type"] for event in mine["events"]]
    assert theirs["answer"] == mine["answer"]
    assert other.problems == []


def test_a_link_whose_edits_fit_nowhere_is_told_when_it_is_run(follow):
    visitor = follow("/?q=Who+painted+Guernica%3F&length=8&edit=%7B%22at%22%3A0%2C%22kind%22%3A%22magic%22%7D")
    visitor.came("Who painted Guernica?").press("run")
    visitor.notice("There is no such edit")
    visitor.press("reset")
    visitor.run("Who painted Guernica?")
    assert visitor.problems == []
    nowhere = follow("/?q=Who+painted+Guernica%3F&length=8&edit=%7B%22at%22%3A99%2C%22kind%22%3A%22ignore%22%7D")
    nowhere.came("Who painted Guernica?").press("run")
    nowhere.notice("0 of 1 edits kept")
    assert nowhere.finished("Who painted Guernica?")["counts"]["retrievals"] >= 0
    assert nowhere.problems == []


def test_a_hostile_link_is_told_and_leaves_the_page_usable(follow):
    visitor = follow("/#q=%3Cimg%20src=x%20onerror=alert(1)%3E&theta=%24%7B1%7D")
    assert "theta is '${1}'" in visitor.notice("cannot be followed")
    assert visitor.trace()["question"] == "Who invented the stethoscope?"
    assert visitor.count("img") == 0
    visitor.page.locator(".tok").nth(3).click()
    visitor.wait("() => document.querySelectorAll('.tok.locked').length === 1")
    assert visitor.problems == []


def test_figures_stand_alone_and_hold_the_words(visitor):
    page = visitor.page
    page.evaluate(
        """hostile => { const p = structuredClone(draginStage.state.payload);
          p.trace.question += hostile; p.trace.events[0].units[3].text = ' ' + hostile + '\\u0001';
          draginStage.show(p); }""",
        HOSTILE,
    )
    page.locator("[data-name=signals]").scroll_into_view_if_needed()
    visitor.wait("() => document.querySelector('.plot .main-svg')")
    for name, words in (
        ("skyline", ["stethoscope", "Laennec", "▲", HOSTILE]),
        ("row", ["invented", "stethoscope"]),
        ("signals", ["RIND"]),
    ):
        with page.expect_download() as download:
            page.click(f"[data-save={name}-svg]")
        drawn = minidom.parseString(Path(download.value.path()).read_bytes())
        told = "".join(node.firstChild.data for node in drawn.getElementsByTagName("text") if node.firstChild)
        assert all(word in told for word in words), (name, told)
        assert not drawn.getElementsByTagName("script") + drawn.getElementsByTagName("img")
        with page.expect_download() as download:
            page.click(f"[data-save={name}-png]")
        assert Path(download.value.path()).read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert download.value.suggested_filename.endswith(f"-{name}.png")
    assert visitor.problems == []
