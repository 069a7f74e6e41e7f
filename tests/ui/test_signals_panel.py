"""The plot of the signals, the attention row's tools, and one word lit wherever it stands, in a real browser."""

import pytest

QUESTION = "Who painted Guernica?"
PLOTTED = "() => document.querySelector('.plot-frame:not(.waiting) .plot .barlayer')"
HOSTILE = "<img src=x onerror=alert(1)><b>bold</b> ${1+1} {{x}} %{y}"

SPOT = """([unit, score]) => {
  const plot = document.querySelector('.plot'), { xaxis, yaxis } = plot._fullLayout, box = plot.getBoundingClientRect();
  return [box.left + xaxis._offset + xaxis.l2p(unit), box.top + yaxis._offset + yaxis.l2p(score)];
}"""
BESIDE = """score => {
  const plot = document.querySelector('.plot'), { xaxis2, yaxis } = plot._fullLayout;
  const box = plot.getBoundingClientRect();
  return [box.left + xaxis2._offset + 0.9 * xaxis2._length, box.top + yaxis._offset + yaxis.l2p(score)];
}"""
BARS = """() => [...document.querySelectorAll('.row-words .word')].map(n => n.style.getPropertyValue('--share'))"""
ZOOM = "() => ['xaxis', 'yaxis'].map(name => document.querySelector('.plot').layout[name].range)"


def plotted(visitor):
    """The visitor once the plot of what is shown has been drawn."""
    visitor.page.locator(".plot-frame").scroll_into_view_if_needed()
    visitor.wait(PLOTTED)
    return visitor


@pytest.fixture(scope="module")
def lasting(lasting_visit):
    return lasting_visit()


@pytest.fixture
def recorded(lasting):
    """The recorded run with its plot, which these tests only look at."""
    lasting.let_go()
    lasting.page.select_option("[data-tool=head]", index=0)
    lasting.page.uncheck("[data-tool=sinkless]")
    return plotted(lasting)


@pytest.fixture
def shown(ran):
    """A finished run at θ 0.3 with its plot."""
    return plotted(ran(QUESTION, theta=0.3))


def units_of(visitor) -> list[dict]:
    """The units of the round that the plot shows."""
    windows = [event for event in visitor.trace()["events"] if event["type"] == "window"]
    return windows[visitor.page.evaluate("() => draginStage.state.drawn.round")]["units"]


def highest(visitor) -> int:
    units = units_of(visitor)
    scale = visitor.page.evaluate("() => draginStage.state.scale")
    return max(range(len(units)), key=lambda i: (units[i]["rind"] or 0) * ((units[i]["rind"] or 0) < scale))


def test_plotly_is_fetched_only_when_the_plot_comes_into_view(visit):
    visitor = visit(viewport={"width": 360, "height": 500})
    assert visitor.page.evaluate("() => !window.Plotly")
    assert "loading" in visitor.text(".plot-note")
    plotted(visitor)
    assert visitor.page.evaluate("() => Plotly.version.startsWith('4.')"), "the installed package's, not Gradio's"


def test_a_plot_that_cannot_load_says_so_and_the_numbers_stay(visit):
    visitor = visit(viewport={"width": 360, "height": 500})
    visitor.page.route("**/plotly.min.js", lambda route: route.abort())
    visitor.page.locator(".plot-frame").scroll_into_view_if_needed()
    visitor.wait("() => document.querySelector('.plot-note').textContent.includes('could not be loaded')")
    assert "above θ" in visitor.text("#signals-summary")


def test_the_plot_draws_the_rounds_own_numbers(recorded):
    units = units_of(recorded)
    rind, entropy, attention = recorded.page.evaluate(
        "() => document.querySelector('.plot').data.slice(0, 3).map(trace => trace.y)"
    )
    assert rind == [unit["rind"] or 0 for unit in units]
    assert entropy == [unit["entropy"] for unit in units]
    assert attention == [unit["max_attention"] for unit in units]
    every = [
        unit["rind"]
        for event in recorded.trace()["events"]
        if event["type"] == "window"
        for unit in event["units"]
        if unit["semantic"] and unit["rind"] is not None
    ]
    assert recorded.page.evaluate("() => document.querySelector('.plot').data[3].y") == every
    over = sum(bool(unit["semantic"]) and (unit["rind"] or 0) > recorded.trace()["settings"]["theta"] for unit in units)
    assert f"{over} above θ" in recorded.text("#signals-summary")
    assert recorded.page.get_attribute(".plot", "aria-describedby") == "signals-summary"


def test_hovering_a_bar_previews_and_clicking_locks_its_token(recorded):
    unit = highest(recorded)
    x, y = recorded.page.evaluate(SPOT, [unit, units_of(recorded)[unit]["rind"] / 2])
    recorded.page.mouse.move(x - 30, y)
    recorded.page.mouse.move(x, y, steps=4)
    recorded.wait("unit => document.querySelector('.tok.chosen')?.dataset.unit === String(unit)", unit)
    theta = recorded.page.evaluate("() => draginStage.state.theta")
    recorded.page.mouse.down()
    recorded.page.mouse.up()
    recorded.wait("unit => document.querySelector('.tok.locked')?.dataset.unit === String(unit)", unit)
    assert recorded.page.evaluate("() => draginStage.state.theta") == theta


def test_hovering_a_token_marks_its_place_in_the_plot(recorded):
    recorded.page.locator('[data-round="0"][data-unit="3"]').hover()
    recorded.wait("() => document.querySelector('.plot-band').dataset.unit === '3'")
    left = recorded.page.locator(".plot-band").bounding_box()
    x, _ = recorded.page.evaluate(SPOT, [3, 0])
    assert left["x"] <= x <= left["x"] + left["width"]


def test_dragging_theta_moves_the_dial_and_follows_on_release(shown):
    calls = len(shown.calls)
    assert shown.count(".round:first-child .tok.fires") == 1
    handle = shown.page.locator(".theta-handle").bounding_box()
    x, y = handle["x"] + 20, handle["y"] + handle["height"] / 2
    (_, high) = shown.page.evaluate(SPOT, [0, 1.9])  # far above the plot, and above every score
    shown.page.mouse.move(x, y)
    shown.page.mouse.down()
    shown.page.mouse.move(x, high, steps=6)
    shown.wait("() => draginStage.state.theta > 1.8")
    theta = shown.page.evaluate("() => draginStage.state.theta")
    assert float(shown.page.input_value("#dial-theta input[type=number]")) == theta
    shown.wait("theta => Number(document.querySelector('#dial-theta input[type=range]').value) === theta", theta)
    shown.wait(
        "() => document.querySelector('.round.changed') && !document.querySelector('.round:first-child .tok.fires')"
    )
    assert len(shown.calls) == calls, "nothing is asked of the server before the hand lets go"
    shown.page.mouse.up()
    shown.settings_followed(theta=theta)
    assert shown.trace()["counts"]["retrievals"] == 0


def test_a_click_in_the_histogram_sets_theta_and_follows(shown):
    wanted = shown.page.evaluate("() => draginStage.state.scale * 0.97")
    x, y = shown.page.evaluate(BESIDE, wanted)
    shown.page.mouse.click(x, y)
    shown.wait("() => draginStage.state.theta !== 0.3")
    theta = shown.page.evaluate("() => draginStage.state.theta")
    assert theta == pytest.approx(wanted, abs=0.02)
    assert theta == pytest.approx(round(theta, 2))
    shown.settings_followed(theta=theta)
    shown.wait("theta => document.querySelector('.theta-name').textContent.includes(theta.toFixed(2))", theta)


def test_the_dial_moves_the_line(visitor):
    recorded = plotted(visitor)
    before = recorded.page.locator(".theta-handle").bounding_box()["y"]
    slider = recorded.page.locator("#dial-theta input[type=range]")
    slider.focus()
    slider.press("ArrowRight")
    recorded.wait(
        "before => document.querySelector('.theta-handle').getBoundingClientRect().y + scrollY !== before",
        before + recorded.page.evaluate("() => scrollY"),
    )


def test_the_zoom_stays_when_theta_and_its_branch_change(shown):
    shown.page.locator('[data-round="0"][data-unit="0"]').click()
    shown.wait("() => draginStage.state.drawn.locked && draginStage.state.drawn.round === 0")
    shown.page.locator(".plot-frame").scroll_into_view_if_needed()
    units = len(units_of(shown))
    x, top = shown.page.evaluate(SPOT, [units * 0.25, 0.55])
    x_to, _ = shown.page.evaluate(SPOT, [units * 0.6, 0.55])
    before = shown.page.evaluate(ZOOM)
    shown.page.mouse.move(x, top)
    shown.page.mouse.down()
    shown.page.mouse.move(x_to, top + 90, steps=6)
    shown.page.mouse.up()
    shown.wait("() => !document.querySelector('.signals button.plain').disabled")
    zoomed = shown.page.evaluate(ZOOM)
    assert zoomed[0][1] - zoomed[0][0] < before[0][1] - before[0][0]
    assert shown.page.evaluate("() => draginStage.state.theta") == 0.3, "a zoom sets no θ"
    shown.set_dial("theta", 1.9)
    shown.settings_followed(theta=1.9)
    shown.wait("() => draginStage.state.drawn.locked && draginStage.state.drawn.round === 0")
    assert shown.page.evaluate(ZOOM) == zoomed
    shown.page.click(".signals button.plain")
    shown.wait("() => document.querySelector('.signals button.plain').disabled")


def test_a_head_changes_the_bars_and_not_the_query(recorded):
    query = recorded.texts(".query .chip")
    mean = recorded.page.evaluate(BARS)
    assert recorded.count("[data-tool=head] option") == recorded.trace()["environment"]["heads"] + 1
    recorded.page.select_option("[data-tool=head]", "2")
    recorded.wait(f"was => ({BARS})().join() !== was.join()", mean)
    assert recorded.texts(".query .chip") == query
    assert "mean over heads" in recorded.text(".tool-note")


def test_without_the_sink_the_rest_sums_to_one(recorded):
    drawn = """sinkless => {
      const { payload, drawn: { round, unit } } = draginStage.state;
      const window = payload.trace.events.filter(e => e.type === 'window')[round];
      const words = [...document.querySelectorAll('.row-words .word')].map(n => Number(n.title));
      const parts = [...document.querySelectorAll('.share-bar i')]
        .map(n => [n.className, Number(n.style.getPropertyValue('--p'))]);
      return { weights: window.rows.weights[unit], words, parts };
    }"""
    assert "first token takes" in recorded.text(".badge.sink")
    query = recorded.texts(".query .chip")
    plain = recorded.page.evaluate(drawn)
    recorded.page.check("[data-tool=sinkless]")
    recorded.wait("() => !document.querySelector('.share-bar .first')")
    without = recorded.page.evaluate(drawn)
    sink = dict(plain["parts"])["first"]
    assert sink > 0.5
    for found in (plain, without):
        assert sum(share for _, share in found["parts"]) == pytest.approx(1, abs=2e-3)
        assert sum(found["words"]) == pytest.approx(dict(found["parts"])["words"], abs=2e-3)
    assert without["words"] == pytest.approx([weight / (1 - sink) for weight in plain["weights"]], abs=2e-3)
    assert recorded.texts(".query .chip") == query


def test_arcs_lead_from_every_word_to_the_token(recorded):
    recorded.page.check("[data-tool=arcs]")
    recorded.wait("() => document.querySelector('.arc-map')")
    assert recorded.count(".arc-map path") == recorded.count(".row-words .word")
    assert recorded.count(".arc-map path.top") == recorded.count(".row-words .word.top")
    recorded.page.uncheck("[data-tool=arcs]")
    recorded.wait("() => !document.querySelector('.arc-map')")


def test_the_query_assembles_in_the_order_of_weight_and_keeps_reading_order(recorded):
    everything = recorded.texts(".query .chip")
    assert len(everything) > 2
    entry = recorded.page.locator("#dial-n input[type=number]")
    entry.fill("1")
    recorded.wait("() => document.querySelectorAll('.query .chip').length === 1")
    first = recorded.texts(".query .chip")
    entry.fill("12")
    recorded.wait("count => document.querySelectorAll('.query .chip').length === count", len(everything))
    assert recorded.texts(".query .chip") == everything
    chips = recorded.page.evaluate(
        """() => [...document.querySelectorAll('.query .chip')].map(n => [n.textContent, Number(n.dataset.rank),
            n.classList.contains('fresh'), parseInt(n.style.getPropertyValue('--wait')) || 0])"""
    )
    assert [text for text, _, fresh, _ in chips if not fresh] == first
    waits = [wait for _, _, fresh, wait in sorted(chips, key=lambda chip: chip[1]) if fresh]
    assert waits == sorted(waits) and len(set(waits)) == len(waits)


def test_a_word_lights_up_wherever_it_stands(recorded):
    recorded.page.locator(".row-words .word.top", has_text="stethoscope").first.hover()
    for place in (".rounds .tok.linked", ".section .in-prompt.linked", ".passage .linked", ".query .chip.linked"):
        recorded.wait("place => document.querySelector(place)", place)
    assert {text.strip().lower() for text in recorded.texts(".section .in-prompt")} == {"stethoscope"}
    recorded.page.mouse.move(2, 2)
    recorded.wait("() => !document.querySelector('.linked, .in-prompt')")
    recorded.page.locator(".passage mark.hit").first.hover()
    recorded.wait("() => document.querySelector('.row-words .word.linked')")


def test_hostile_tokens_are_inert_in_the_plot(visitor):
    recorded = plotted(visitor)
    dialogs = []
    recorded.page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    recorded.page.evaluate(
        """hostile => {
          const payload = structuredClone(draginStage.state.payload);
          for (const event of payload.trace.events) for (const unit of event.units || []) unit.text = hostile;
          draginStage.show(payload);
        }""",
        HOSTILE,
    )
    unit = highest(recorded)
    x, y = recorded.page.evaluate(SPOT, [unit, units_of(recorded)[unit]["rind"] / 2])
    recorded.page.mouse.move(x - 30, y)
    recorded.page.mouse.move(x, y, steps=4)
    recorded.wait("() => document.querySelector('.plot .hoverlayer')?.textContent.includes('<img src=x onerror=alert')")
    assert "<img" in recorded.page.text_content(".plot .xaxislayer-above, .plot")
    assert recorded.count(".plot image, .plot img, .dragin img") == 0
    assert dialogs == []
    assert recorded.problems == []
