"""What the stage says of a run in badges, on the stage alone (no server)."""

from dragin_core import Settings

QUESTION = "Where did Ada Lovelace live?"
MEMORY = "Ada Lovelace lived quietly near Paris all her life."
PASSAGES = [("Ada Lovelace", "Ada Lovelace lived in London."), ("Paris", "Paris is the capital of France.")]


def test_theta_zero_is_bounded_and_the_page_says_so(stage, scripted):
    explainer = scripted({"external knowledge": MEMORY, QUESTION: MEMORY}, PASSAGES)
    trace = explainer.run(QUESTION, Settings(theta=0.0, top_n=1, top_k=1, max_retrievals=1)).to_dict()
    assert trace["counts"]["retrievals"] == 1
    stage.show(trace)
    assert "all 1 retrievals used" in stage.locator(".rounds").inner_text()
    assert "all 1 retrievals used" in stage.locator(".panel.answer").inner_text()
