"""Which way to read a model's attention: each is tried on a short text and held against eager attention.

A sliding window is narrowed while the short text is read, so that the text reaches past it as a long one would.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import pairwise

import torch
from transformers import PreTrainedModel

from .attention import Capture, EagerCapture, Pass, TokenCache, tapped_capture
from .errors import ModelError, not_numbers

TOLERANCE = {torch.float32: 2e-4}  # of logits relative to the largest, and of rows
HALF_TOLERANCE = 0.1
PROBE = 20  # tokens
PREFIX, SINGLES = 5, 7  # of them read in one pass first, then one by one; the rest once more in one pass
NARROW = 8  # tokens of a sliding window meanwhile
WRONG = 0.3  # of the probe's tokens: fewer than those past the window, or those read in the last piece
WINDOWS = ("sliding_window", "attention_chunk_size")
FAILURES = (ValueError, TypeError, RuntimeError, LookupError, AttributeError)  # of models with ways of their own


def choose_capture(model: PreTrainedModel, name: str) -> Capture:
    """The fastest way whose logits and rows agree with eager attention over a whole text, read in one pass and token by
    token; a slow one has a notice that says why.

    Raises:
        ModelError: the model has no attention, attends to later tokens, or gives numbers that are none.
    """
    ids = [(7 * k + 11) % model.get_input_embeddings().num_embeddings for k in range(PROBE)]
    with _narrow_window(model):
        _set_eager(model)
        eager = EagerCapture(model, name, cached=False)
        eager = replace(eager, **_last_attending(model, eager.attentions(ids)))
        expected = eager.run(ids, TokenCache(), PROBE)
        _require_numbers(expected, model, name)
        if expected.rows.triu(1).abs().max() > 1e-6:
            raise ModelError(
                f"{name} attends to later tokens, so it is no causal language model: give a decoder-only one."
            )
        capture = _fastest(replace(eager, heads=expected.rows.shape[0]), ids, expected)
    return replace(capture, sliding_window=_window(model, capture.layer, expected))


def _fastest(eager: EagerCapture, ids: list[int], expected: Pass) -> Capture:
    model, name, why = eager.model, eager.name, ""
    for base in ("sdpa", "eager") if model._supports_sdpa else ("eager",):
        try:
            capture = tapped_capture(model, name, base, ids, layer=eager.layer, heads=eager.heads, cached=False)
            return _with_cache(_agreeing(capture, ids, expected), ids, expected)
        except FAILURES as error:
            why = why or _reason(error)
    _set_eager(model)
    notice = f"Slow way: {name} is read with eager attention in every layer, because {why}."
    return _with_cache(_agreeing(replace(eager, notice=notice), ids, expected), ids, expected)


def _with_cache(capture: Capture, ids: list[int], expected: Pass) -> Capture:
    """The capture with the model's own cache, if reading piece by piece then gives what reading at once does."""
    try:
        return _agreeing(replace(capture, cached=True), ids, expected)
    except FAILURES as error:
        slow = f"Slow way: every token of {capture.name} takes a pass over the whole text, because its cache cannot be "
        notice = f"{slow}used: {_reason(error)}."
        return replace(capture, notice=" ".join(filter(None, [capture.notice, notice])))


def _agreeing(capture: Capture, ids: list[int], expected: Pass) -> Capture:
    """The capture with its difference from eager attention.

    Raises:
        ValueError: it is too large.
    """
    found = _read_in_pieces(capture, ids) if capture.cached else capture.run(ids, capture.new_cache(), PROBE)
    logits = _numbers(found.logits) - _numbers(expected.logits)
    by_position = {
        "logits": logits.abs().amax(-1) / _numbers(expected.logits).abs().max().clamp(min=1),
        "rows": (found.rows - expected.rows).abs().amax((0, 2)),
    }
    exact = capture.model.dtype in TOLERANCE
    # rounding alone may send a few tokens in half precision to another expert; what is wrong is wrong for more
    share = 1.0 if exact else 1 - WRONG
    difference = {key: float(each.float().cpu().quantile(share)) for key, each in by_position.items()}
    worst = max(difference.values())
    if any(not value <= TOLERANCE.get(capture.model.dtype, HALF_TOLERANCE) for value in difference.values()):
        raise ValueError(f"what was captured differs from eager attention by {worst:.2g}")
    return replace(capture, difference=difference)


def _read_in_pieces(capture: Capture, ids: list[int]) -> Pass:
    """The whole text as it is read while decoding: a prompt, tokens one by one, and a text on top of what is cached."""
    cache, passes = capture.new_cache(), []
    single = PREFIX + SINGLES
    bounds = [0, *range(PREFIX, single + 1)]
    bounds += [PROBE] if cache.is_croppable else range(single + 1, PROBE + 1)  # others are never gone on with
    for start, end in pairwise(bounds):
        passes.append(capture.run(ids[start:end], cache, end - start))
    rows = [torch.nn.functional.pad(p.rows, (0, PROBE - p.rows.shape[-1])) for p in passes]
    return Pass(torch.cat([p.logits for p in passes]), torch.cat(rows, dim=1))


def _numbers(logits: torch.Tensor) -> torch.Tensor:
    """−inf, the logit of a token that cannot come, as 0: there is no difference to another −inf."""
    return logits.masked_fill(logits == float("-inf"), 0.0)


def _require_numbers(found: Pass, model: PreTrainedModel, name: str) -> None:
    if not (_numbers(found.logits).isfinite().all() and found.rows.isfinite().all()):
        raise not_numbers(name, model.dtype)


def _reason(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].split(". ")[0].rstrip(".")


def _set_eager(model: PreTrainedModel) -> None:
    model.set_attn_implementation("eager")
    if model.config._attn_implementation != "eager":  # some models refuse to change, but look there at each pass
        model.config._attn_implementation = "eager"


def _last_attending(model: PreTrainedModel, attentions: list[torch.Tensor | None]) -> dict[str, int]:
    """Index of the last layer that has attention, and its place among the attentions that the model returns."""
    config = model.config.get_text_config(decoder=True)
    kinds = getattr(config, "layer_types", None) or ["attention"] * config.num_hidden_layers
    layers = list(range(len(kinds)))
    if len(attentions) < len(layers):
        layers = [k for k in layers if _attends(kinds[k])]
    entries = [(k, place) for place, (k, each) in enumerate(zip(layers, attentions, strict=False)) if each is not None]
    layer, place = [entry for entry in entries if _attends(kinds[entry[0]])][-1]
    return {"layer": layer, "place": place}


def _attends(kind: str) -> bool:
    """Whether a layer of this type, as transformers names them, has attention."""
    return "hybrid" in kind or ("attention" in kind and "linear" not in kind)


@contextmanager
def _narrow_window(model: PreTrainedModel) -> Iterator[None]:
    config = model.config.get_text_config(decoder=True)
    wide = {key: getattr(config, key, None) for key in WINDOWS}
    wide = {key: tokens for key, tokens in wide.items() if tokens and tokens > NARROW}
    for key in wide:
        setattr(config, key, NARROW)
    try:
        yield
    finally:
        for key, tokens in wide.items():
            setattr(config, key, tokens)


def _window(model: PreTrainedModel, layer: int, expected: Pass) -> int | None:
    """Tokens that the captured layer sees, if it is no full one and what it saw of the probe shows a window."""
    config = model.config.get_text_config(decoder=True)
    tokens, kinds = getattr(config, "sliding_window", None), getattr(config, "layer_types", None)
    if not tokens or (kinds and kinds[layer] == "full_attention"):
        return None
    unseen = expected.rows[:, -1, : PROBE - min(tokens, NARROW)]
    return None if unseen.any() else tokens
