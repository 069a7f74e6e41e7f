"""Keep and share: what is saved opens again anywhere, a saved page works from a disk without a network."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from mutations import mutated

from dragin_core.errors import InputError
from dragin_core.trace_file import read_trace, trace_text
from visuals.export import MOST_BYTES, page_of
from visuals.payload import payload
from visuals.stories import names, path_of, story

ROOT = Path(__file__).resolve().parents[2]
QUESTION = "Who painted Guernica?"
HOSTILE = (
    "<img src=x onerror=alert(1)></script><!--<script>alert(2)</script> ${alert(3)} {{x}} \u2028\u2029 \u202edesrever"
)
TEXTS_OF_A_TRACE = ("text", "kept_text", "answer", "title", "question", "sent", "answer_without_retrieval", "model")


def saved_by(visitor, button: str) -> tuple[str, bytes]:
    """Press a button of the bar: name and bytes of what the browser saves."""
    with visitor.page.expect_download() as download:
        visitor.page.click(f"#share-{button}")
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


def choose(visitor, content: str | bytes, name: str = "trace.json") -> None:
    """Open a file."""
    content = content if isinstance(content, bytes) else content.encode()
    visitor.page.set_input_files("#share input", {"name": name, "mimeType": "application/json", "buffer": content})


def opened(visitor, content: str | bytes) -> dict:
    """Open a trace file and wait until it is shown; the trace."""
    before = visitor.page.evaluate("() => draginStage.state.payload.opened")
    choose(visitor, content)
    visitor.wait("b => { const p = draginStage.state.payload; return p.opened && p.opened !== b }", before)
    return visitor.trace()


def dial(visitor, name: str) -> float:
    return float(visitor.page.input_value(f"#dial-{name} input[type=number]"))


def hostile_trace() -> dict:
    """A recorded run whose texts hold markup, and which still holds together."""
    trace = json.loads(json.dumps(story(names()[0])))
    trace["question"] = trace["question"] + " " + HOSTILE
    for event in trace["events"]:
        for item in event.get("items", []):
            item["title"] += HOSTILE
            item["text"] += HOSTILE
        if event["type"] == "window":
            event["units"].append({**event["units"][-1], "text": HOSTILE, "start": len(event["text"])})
            event["text"] += HOSTILE
            event["units"][-1]["end"] = len(event["text"])
            for rows in (event["rows"]["weights"], *event["rows"]["elsewhere"].values()):
                rows.append(rows[-1])
            event["rows"]["heads"]["data"] = None
            event["prompt"]["text"] += HOSTILE
            event["prompt"]["sections"][-1]["end"] = len(event["prompt"]["text"])
    trace["gold"] = [HOSTILE]
    trace["environment"]["model"] = HOSTILE
    return read_trace(trace_text(trace))


@pytest.fixture
def saved_page(browser, tmp_path):
    """A function that opens a payload's page from a file, offline: (page, what went wrong or out)."""
    contexts = []

    def open_page(shown: dict, **options):
        path = tmp_path / "page.html"
        path.write_text(page_of(shown), encoding="utf-8")
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 900}, **options})
        contexts.append(context)
        context.set_offline(True)
        page, wrong = context.new_page(), []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda line: wrong.append(line.text) if line.type in ("error", "warning") else None)
        page.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        page.wait_for_function("() => Boolean(window.draginStage)")
        return page, wrong

    yield open_page
    for context in contexts:
        context.close()


def test_a_recorded_run_is_saved_as_it_was_recorded(visitor):
    name, content = saved_by(visitor, "trace")
    assert name == "dragin-who-invented-the-stethoscope.json"
    assert content == path_of(names()[0]).read_bytes()
    assert visitor.notice("Saved as")
    assert not visitor.problems


def test_a_run_is_saved_opened_by_another_visitor_and_saved_to_the_same_bytes(visit):
    first = visit().ready()
    first.set_dial("theta", 0.3)
    first.run(QUESTION)
    first.settings_followed(theta=0.3)
    _, content = saved_by(first, "trace")
    assert json.loads(content) == first.trace()
    assert trace_text(read_trace(content)).encode() == content
    second = visit()
    assert opened(second, content) == first.trace()
    assert "SmolLM2-135M-Instruct" in second.notice("Opened")
    second.wait("q => document.querySelector('#question textarea').value === q", QUESTION)
    assert (dial(second, "theta"), second.page.evaluate("() => draginStage.state.theta")) == (0.3, 0.3)
    assert second.page.locator(".shown-run .badge", has_text="from a file").count() == 1
    assert saved_by(second, "trace")[1] == content
    assert second.page.input_value("#story input") == ""
    assert visit().trace()["question"] != QUESTION, "a trace opened by one visitor is shown to another"
    assert not second.problems


def test_dials_stretch_to_an_opened_run_and_a_branch_of_it_is_run_here(visitor):
    visitor.ready()
    trace = json.loads(json.dumps(story(names()[1])))
    trace["settings"] |= {"theta": 4.5, "top_n": 80, "max_new_tokens": 300}
    opened(visitor, trace_text(trace))
    visitor.wait("() => Number(document.querySelector('#dial-theta input[type=number]').value) === 4.5")
    assert [dial(visitor, name) for name in ("theta", "n", "length")] == [4.5, 80, 300]
    visitor.set_dial("theta", 3)
    visitor.settings_followed(theta=3, top_n=80, max_new_tokens=300)
    assert visitor.trace()["question"] == trace["question"]
    assert visitor.page.locator(".shown-run .badge", has_text="from a file").count() == 0
    assert not visitor.problems


def test_a_window_that_was_stopped_is_saved_as_it_is_shown(visitor):
    visitor.ready().type_question("Who was the first person to walk on the Moon and when did that happen?")
    visitor.press("run")
    visitor.wait(
        "() => { const e = draginStage.state.payload.trace.events[0]; return e?.partial && e.units.length > 2 }"
    )
    visitor.press("stop")
    visitor.notice("Stopped")
    visitor.page.wait_for_timeout(1000)  # a token that was under way has arrived by then
    trace = visitor.trace()
    _, content = saved_by(visitor, "trace")
    assert json.loads(content) == trace
    assert read_trace(content)["events"][-1]["partial"] == trace["events"][-1]["partial"]


def test_a_dropped_file_opens(visitor):
    content = path_of(names()[2]).read_text(encoding="utf-8")
    visitor.page.evaluate(
        """content => {
          const carried = new DataTransfer();
          carried.items.add(new File([content], "trace.json"));
          for (const kind of ["dragover", "drop"]) document.querySelector("#stage").dispatchEvent(
            new DragEvent(kind, { dataTransfer: carried, bubbles: true, cancelable: true }));
        }""",
        content,
    )
    visitor.wait("() => draginStage.state.payload.opened")
    assert visitor.trace() == json.loads(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "not JSON"),
        ('{"format": "dragin-trace/2"}', "newer format (dragin-trace/2)"),
        (b"\xff\xfe\x00", "UTF-8"),
        ("", "not JSON"),
        ("[" * 100_000, "nested deeper"),
    ],
    ids=["broken", "newer", "no text", "empty", "deep"],
)
def test_what_is_no_trace_is_one_sentence_and_changes_nothing(visitor, content, said):
    before = visitor.page.evaluate("() => draginStage.state.payload")
    choose(visitor, content)
    line = visitor.notice(said)
    assert len(line.splitlines()) == 1
    assert visitor.page.get_attribute("#notice-line", "role") == "alert"
    assert visitor.page.evaluate("() => draginStage.state.payload") == before
    assert not visitor.problems


def test_after_a_reset_there_is_nothing_to_save(visitor):
    visitor.press("reset")
    visitor.wait("() => !draginStage.state.payload.trace.question")
    for button in ("trace", "page"):
        visitor.page.click(f"#share-{button}")
        visitor.notice("no run to save")


def test_the_bar_fits_a_phone_and_works_by_keyboard(visit):
    visitor = visit(viewport={"width": 360, "height": 740})
    assert visitor.page.evaluate("() => document.documentElement.scrollWidth") <= 360
    visitor.page.focus("#share-open")
    visitor.page.keyboard.press("Tab")
    assert visitor.page.evaluate("() => document.activeElement.id") == "share-trace"
    with visitor.page.expect_download():
        visitor.page.keyboard.press("Enter")
    visitor.page.keyboard.press("Tab")
    assert visitor.page.evaluate("() => document.activeElement.id") == "share-page"


def test_what_opens_can_be_drawn_however_it_was_mutated(stage):
    problems = []
    stage.on("pageerror", lambda error: problems.append(str(error)))
    drawn = 0
    for seed in range(0, 500, 3):
        try:
            trace = read_trace(trace_text(mutated(story(names()[seed % len(names())]), seed)))
        except (InputError, ValueError):
            continue
        stage.show(trace)
        for round_ in stage.locator(".sky").all()[:2]:
            round_.locator(".tok").last.click()
        for theta, n in ((0, 1), (0.5, 50)):
            stage.evaluate(
                "async dials => { mounted.set(dials); await new Promise(requestAnimationFrame); }",
                {"theta": theta, "n": n},
            )
        assert not problems, f"seed {seed}: {problems}"
        drawn += 1
    assert drawn > 10


@pytest.mark.parametrize("name", [names()[0], names()[7]])
def test_a_saved_page_works_from_a_disk_without_a_network(saved_page, name):
    trace = story(name)
    page, wrong = saved_page(payload(trace, trace["gold"]))
    page.locator(".tok", has_text="invented").first.click()
    page.wait_for_selector(".tok.locked")
    assert "invented" in page.inner_text(".card .token-name")
    page.locator(".tok.locked").click()
    page.wait_for_function("() => !document.querySelector('.tok.locked')")
    assert page.locator(".tok.fires").count() == 1
    assert page.locator("article.passage").count() == 3
    page.fill(".export-dial.theta input[type=number]", "99")
    page.wait_for_function("() => document.querySelectorAll('.tok.fires').length === 0")
    page.fill(".export-dial.theta input[type=number]", "0")
    page.wait_for_function("() => document.querySelectorAll('.tok.fires').length > 0")
    page.click(".export-dials button")
    page.wait_for_function("() => document.querySelectorAll('.shown-run .badge.wait').length === 0")
    page.click(".player-first")
    page.wait_for_function("() => document.querySelectorAll('.round').length === 1")
    page.click(".player-all")
    page.wait_for_function(
        "answer => document.querySelector('.answers').textContent.includes(answer)", arg=trace["answer"].strip()
    )
    assert "live page" in page.inner_text(".panel.signals")
    assert wrong == []


def test_n_moves_the_query_of_a_saved_page_by_keyboard(saved_page):
    page, wrong = saved_page(payload(story(names()[0])))
    assert len(page.locator(".query .chip").all()) == 4
    page.focus(".export-dial.n input[type=range]")
    for _ in range(10):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function("() => document.querySelectorAll('.query .chip').length === 2")
    assert page.input_value(".export-dial.n input[type=number]") == "2"
    assert wrong == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_saved_page_is_right_in_light_and_dark_and_on_a_phone(saved_page, scheme):
    page, wrong = saved_page(payload(story(names()[0])), color_scheme=scheme, viewport={"width": 360, "height": 740})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(250, 249, 246)" if scheme == "light" else "rgb(20, 22, 26)")
    assert wrong == []


def test_hostile_text_is_inert_on_a_saved_page(saved_page):
    trace = hostile_trace()
    page, wrong = saved_page(payload(trace, trace["gold"]))
    for token in page.locator(".tok").all()[::9]:
        token.click()
    page.locator(".step.with button").first.click()
    for selector in (".shown-run", ".rounds", ".passage .title", ".passage p", ".prompt-columns", ".gold", "header"):
        assert HOSTILE[:60] in page.locator(selector).first.text_content()
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert HOSTILE[:30] in page.title()
    assert wrong == []


def test_a_script_that_got_into_a_saved_page_would_not_run(saved_page):
    page, wrong = saved_page(payload(story(names()[0])))
    page.evaluate("() => { document.querySelector('footer').innerHTML = '<img src=x onerror=\"window.ran = 1\">' }")
    page.evaluate(
        """() => {
          const script = document.createElement('script');
          script.textContent = 'window.ran = 1';
          document.body.append(script);
        }"""
    )
    assert page.evaluate("() => window.ran") is None
    assert any("Content Security Policy" in each for each in wrong)


def test_a_saved_page_is_small_and_drops_the_heads_first(saved_page):
    trace = json.loads(json.dumps(story(names()[0])))
    assert len(page_of(payload(trace)).encode()) < MOST_BYTES
    for event in trace["events"]:
        if event["type"] == "window":
            event["rows"]["heads"]["data"] = "A" * MOST_BYTES
    shown = payload(trace)
    assert len(page_of(shown).encode()) < MOST_BYTES
    page, wrong = saved_page(shown)
    page.select_option("[data-tool=head]", "0")
    page.wait_for_function("() => document.querySelector('.tool-note').textContent.length > 20")
    assert wrong == []


def test_the_button_and_the_command_save_the_same_page(visitor, tmp_path):
    name, content = saved_by(visitor, "page")
    assert name == "dragin-who-invented-the-stethoscope.html"
    target = tmp_path / "page.html"
    command = [sys.executable, "-m", "visuals.export", str(path_of(names()[0])), "--out", str(target)]
    subprocess.run(command, cwd=ROOT, check=True, timeout=120)
    recorded = f'"recorded":"{names()[0]}"'.encode()
    assert content.replace(recorded, b'"recorded":null') == target.read_bytes()


def test_the_command_refuses_what_is_no_trace_in_one_line(tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{}", encoding="utf-8")
    command = [sys.executable, "-m", "visuals.export", str(bad), "--out", str(tmp_path / "page.html")]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stdout, len(found.stderr.splitlines())) == (2, "", 1)
    assert "dragin-trace/1" in found.stderr
    assert not (tmp_path / "page.html").exists()


def test_hostile_text_of_an_opened_trace_is_inert(visitor):
    dialogs = []
    visitor.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    opened(visitor, trace_text(hostile_trace()))
    visitor.notice(HOSTILE[:30])
    assert HOSTILE[:60] in visitor.page.locator(".shown-run").text_content()
    assert visitor.count(".dragin img, .dragin script, #notice-line *") == 0
    assert dialogs == []
    assert not visitor.problems
