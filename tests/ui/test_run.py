"""Running: to the end, step by step, back, stopped, reset; the answer and what it cost."""

from visitor import link_to

QUESTION = "Who painted Guernica?"


def test_the_page_opens_with_everything_in_its_place(visitor):
    assert visitor.page.title() == "DRAGIN, token by token"
    for name in ("run", "step", "back", "stop", "reset"):
        assert visitor.page.locator(f"#do-{name}").is_enabled()
    assert visitor.texts("#stage .panel h2 em") == ["When", "Signals", "Answer", "What", "With", "Prompt"]
    assert visitor.count("#examples .chip-button") >= 4
    assert visitor.page.locator("footer").count() == 0
    visitor.ready()
    assert "SmolLM2-135M-Instruct" in visitor.text("#model-line")
    assert visitor.problems == []


def test_a_run_shows_every_step_to_the_answer(visitor):
    visitor.ready().set_dial("theta", 0.3)
    trace = visitor.run(QUESTION)
    visitor.settings_followed(theta=0.3)
    trace = visitor.trace()
    first = trace["events"][0]
    shown = visitor.page.evaluate(
        "() => [...document.querySelectorAll('.round:first-child .tok')].map(t => t.dataset.unit).length"
    )
    assert shown == len(first["units"])
    assert trace["answer"].strip() == visitor.text(".side.with .answer-text")
    assert trace["answer_without_retrieval"].strip() == visitor.text(".side.without .answer-text")
    assert "Why it stopped" in visitor.text(".reason")
    assert "retrieval" in visitor.text(".counts")
    assert visitor.count(".round") == sum(event["type"] == "window" for event in trace["events"])
    fired = [e for e in trace["events"] if e["type"] == "decision" and e["retrieve"]]
    assert fired, "θ 0.3 was chosen so that it fires"
    assert visitor.count(".tok.fires") + visitor.count(".tok.passed") == len(fired)
    assert visitor.count("article.passage") == len([e for e in trace["events"] if e["type"] == "passages"][-1]["items"])
    assert visitor.problems == []


def test_the_preview_at_the_runs_own_settings_is_the_run(visitor):
    """The browser's decisions and queries equal the engine's, at several settings."""
    visitor.ready()
    for theta, n in ((0.3, 12), (0.15, 4), (0.6, 2)):
        visitor.set_dial("theta", theta)
        visitor.set_dial("n", n)
        visitor.run(QUESTION)
        visitor.settings_followed(theta=theta, top_n=n)
        visitor.wait("() => !document.querySelector('.round.changed, .round.later')")
        trace = visitor.trace()
        queries = [event["text"] for event in trace["events"] if event["type"] == "query"]
        if queries:
            visitor.page.locator(".step.what button").last.click()
            visitor.wait(
                "text => [...document.querySelectorAll('.chip')].map(c => c.textContent).join(' ') === text",
                queries[-1],
            )


def test_steps_go_on_by_one_event_and_back_by_one(visitor):
    visitor.ready().type_question("What is the capital of Canada?")
    visitor.set_dial("theta", 0.05)
    visitor.press("step")
    visitor.wait("() => draginStage.state.payload.trace.question === 'What is the capital of Canada?'")
    visitor.wait_events(1)
    assert "appear here once a token fires" in visitor.text(".panel.with")
    for count in (2, 3, 4):
        visitor.press("step")
        visitor.wait_events(count)
    assert visitor.kinds() == ["window", "decision", "query", "passages"]
    visitor.press("back")
    visitor.wait_events(3)
    assert "the next Step searches" in visitor.text(".panel.with")
    for count in (2, 1, 0):
        visitor.press("back")
        visitor.wait_events(count)
    visitor.press("back")
    visitor.notice("nothing to take back")
    visitor.press("run")
    visitor.finished("What is the capital of Canada?")
    visitor.press("step")
    visitor.notice("The run is finished")


def test_stop_keeps_what_was_written_and_the_run_goes_on(visit):
    question = "What is the history of the Eiffel Tower, and who built it?"
    visitor = visit(link_to(question, theta=2, length=40)).came(question)
    visitor.press("run")
    visitor.wait(
        "q => { const p = draginStage.state.payload; return p.live && p.trace.question === q"
        " && p.trace.events[0]?.units.length >= 3 }",
        question,
    )
    visitor.press("stop")
    visitor.notice("Stopped")
    visitor.wait("() => document.querySelector('.round-head').textContent.includes('partial: stopped while writing')")
    before = visitor.trace()["events"][0]["units"]
    assert 3 <= len(before) < 40
    visitor.press("step")
    visitor.wait("() => { const p = draginStage.state.payload; return !p.live && !p.trace.events[0].partial }")
    after = visitor.trace()["events"][0]["units"]
    assert [u["text"] for u in after[: len(before) - 1]] == [u["text"] for u in before[:-1]]


def test_reset_clears_the_run_and_keeps_the_question(visitor):
    visitor.ready().run(QUESTION)
    visitor.press("reset")
    visitor.wait_events(0)
    assert visitor.page.input_value("#question textarea") == QUESTION
    assert "Type a question and press Run" in visitor.text(".panel.when")
    assert visitor.count(".dragin .empty") >= 5


def test_an_expected_answer_judges_both_answers(visitor):
    visitor.ready().run(QUESTION)
    trace = visitor.trace()
    word = trace["answer"].split()[-1].strip(".")
    visitor.page.fill("#gold input, #gold textarea", f"Nobody at all; {word}")
    visitor.wait("() => document.querySelector('.side.with .badge.right, .side.method .badge.right')")
    visitor.page.fill("#gold input, #gold textarea", "Nobody at all")
    visitor.wait("() => document.querySelectorAll('.side .badge.wrong').length === 2")
    assert "Wrong both times" in visitor.text(".gold")
    visitor.page.fill("#gold input, #gold textarea", "")
    visitor.wait("() => !document.querySelector('.side .badge')")


def test_other_methods_run_too(visitor):
    visitor.ready()
    for label, kinds in (("SR-RAG", ["decision", "query", "passages", "window"]), ("wo-RAG", ["window"])):
        visitor.page.click("#method input")
        visitor.page.get_by_role("option", name=label).click()
        trace = visitor.run(QUESTION)
        visitor.wait("m => draginStage.state.payload.trace.settings.method === m", label.lower())
        visitor.finished(QUESTION)
        trace = visitor.trace()
        assert [event["type"] for event in trace["events"]][: len(kinds)] == kinds
        assert visitor.text(".side.method .lab").startswith(f"With {label}")


def test_two_visitors_never_see_each_others_run(visit):
    one, two = visit(), visit()
    one.ready().run(QUESTION)
    two.ready().run("What is the capital of Canada?")
    assert one.trace()["question"] == QUESTION
    one.press("back")
    one.wait("() => draginStage.state.payload.trace.events.at(-1).type !== 'finished'")
    assert two.kinds()[-1] == "finished"
    assert two.trace()["question"] == "What is the capital of Canada?"


def test_an_examples_answer_never_judges_another_question(visitor):
    visitor.ready()
    assert visitor.page.input_value("#gold input, #gold textarea") != ""
    visitor.set_dial("length", 8)
    visitor.type_question("谁写了《哈姆雷特》?")
    visitor.page.press("#question textarea", "Enter")
    visitor.finished("谁写了《哈姆雷特》?")
    assert visitor.count(".side .badge") == 0
    assert visitor.count(".gold") == 0
