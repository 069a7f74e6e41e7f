"""No layout jumps: while θ moves, what lies below the skyline stays where it is once the panels have grown."""

from visuals.stories import names, story

PLACES = """async theta => {
  mounted.set({ theta });
  for (let k = 0; k < 3; k++) await new Promise(done => requestAnimationFrame(done));
  const parts = [...document.querySelectorAll('.panel, .sky')];
  return parts.map(node => Math.round(node.getBoundingClientRect().top + scrollY));
}"""
THETAS = [0.02, 0.05, 0.1, 0.2, 0.5, 2]


def test_moving_theta_back_and_forth_moves_nothing(stage):
    for width in (1400, 360):
        stage.set_viewport_size({"width": width, "height": 900})
        stage.show(story(names()[6]))
        for theta in [*THETAS, *reversed(THETAS)]:
            stage.evaluate(PLACES, theta)
        places = [stage.evaluate(PLACES, theta) for theta in THETAS]
        assert len(places[0]) > 6
        assert all(each == places[0] for each in places)


def test_another_run_lets_go_of_the_heights_held(stage):
    stage.show(story(names()[0]))
    stage.evaluate(PLACES, 2)
    assert stage.evaluate("() => document.querySelector('.card').style.minHeight") != ""
    stage.show(story(names()[1]))
    assert stage.evaluate("() => document.querySelector('.card').style.minHeight") == ""
