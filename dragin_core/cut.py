"""Where the answer is cut: where the timing says, or in front of the trigger by switch."""

from .events import Decided
from .reading import Reading
from .sentences import join

Kept = tuple[tuple[int, ...], str]


def cut(reading: Reading, decided: Decided) -> Kept:
    """Token ids and text of the answer that stays."""
    if decided.keeps is not None:
        return reading.window.cut_at(decided.keeps)
    return CUTS[reading.switches.cut](reading, decided)


def told_text(reading: Reading, decided: Decided) -> str:
    """The new text that stays, as it is told: whole sentences joined by single spaces, else as it was written."""
    if decided.keeps is None and reading.switches.cut == "sentence":
        number = reading.sentence_of(decided.index)
        return join([sentence.text for sentence in reading.sentences[:number]])
    return cut(reading, decided)[1][len(reading.window.prompt.kept_text) :]


def first_sentence(reading: Reading) -> Kept:
    """Token ids and text of the answer with the first sentence of the window."""
    ends = [sentence.end for sentence in reading.sentences if sentence.end > sentence.first]
    if not ends or ends[0] >= len(reading.words):
        return reading.window.whole
    return reading.window.cut_at(reading.words[ends[0]][0])


def _before_word(reading: Reading, decided: Decided) -> Kept:
    return reading.window.cut_before(reading.pieces[decided.index][0])


def _before_token(reading: Reading, decided: Decided) -> Kept:
    return reading.window.cut_at(reading.pieces[decided.index][0])


def _before_sentence(reading: Reading, decided: Decided) -> Kept:
    first = reading.sentences[reading.sentence_of(decided.index)].first
    return reading.window.cut_at(reading.words[first][0])


CUTS = {"word": _before_word, "token": _before_token, "sentence": _before_sentence}
