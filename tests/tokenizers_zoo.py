"""Small real tokenizers of every common kind, trained on a few lines."""

import json
from collections.abc import Callable
from functools import lru_cache

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

LINES = (
    "The capital of France is Paris. It was founded by the Parisii.\n",
    "Question: Who painted Guernica?\nAnswer: Pablo Picasso painted Guernica in 1937.\n\n",
    "It's 8,849 metres high, isn't it? O’Neil is a co-discoverer - so they say.\n",
    "def add(a, b):\n    return a + b\n\tx = [1, 2, 3]\n",
    "爱因斯坦在1905年发表了相对论。北京是中国的首都。\n",
    "ประเทศไทยมีเมืองหลวงคือกรุงเทพมหานคร\n",
    "القاهرة هي عاصمة مصر. ירושלים היא בירת ישראל.\n",
    "भारत की राजधानी नई दिल्ली है। e\u0301tude naïve café\n",
    "<think> so let us see </think> Yes.\n\n  Two  spaces.\n",
)
BYTES = [f"<0x{b:02X}>" for b in range(256)]
LLAMA3 = "|".join(
    (
        r"(?i:'s|'t|'re|'ve|'m|'ll|'d)",
        r"[^\r\n\p{L}\p{N}]?\p{L}+",
        r"\p{N}{1,3}",
        r" ?[^\s\p{L}\p{N}]+[\r\n]*",
        r"\s*[\r\n]+",
        r"\s+(?!\S)",
        r"\s+",
    )
)


def sentencepiece_bpe() -> PreTrainedTokenizerFast:
    """Llama-2: a "▁" put in front by the normaliser, byte fallback, a decoder that strips one space."""
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizers.Replace(" ", "▁")
    trained.pre_tokenizer = pre_tokenizers.Split(Regex("(?=▁)|\n"), "isolated")
    trained.train_from_iterator(LINES, trainers.BpeTrainer(vocab_size=700, show_progress=False))
    learnt = json.loads(trained.to_str())["model"]
    pieces = [piece for piece in learnt["vocab"] if "\n" not in piece and "\t" not in piece]
    vocab = {piece: k for k, piece in enumerate(dict.fromkeys(["<unk>", "<s>", "</s>", *BYTES, "▁", *pieces]))}
    merges = [tuple(m) for m in learnt["merges"] if m[0] in vocab and m[1] in vocab and "".join(m) in vocab]
    made = Tokenizer(models.BPE(vocab=vocab, merges=merges, unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    made.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    made.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
    )
    return _wrapped(made, bos="<s>", eos="</s>", unk="<unk>")


def metaspace_bpe() -> PreTrainedTokenizerFast:
    """Mistral and the later Llama-2: a Metaspace that puts "▁" before the first word only, byte fallback."""
    made = Tokenizer.from_str(sentencepiece_bpe().backend_tokenizer.to_str())
    made.normalizer = None
    made.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first", split=False)
    return _wrapped(made, bos="<s>", eos="</s>", unk="<unk>")


def unigram() -> PreTrainedTokenizerFast:
    """Unigram with a Metaspace before every word and byte fallback."""
    trained = Tokenizer(models.Unigram())
    trained.pre_tokenizer = pre_tokenizers.Metaspace("▁")
    trainer = trainers.UnigramTrainer(vocab_size=500, show_progress=False, unk_token="<unk>", special_tokens=["<unk>"])
    trained.train_from_iterator([line.replace("\n", " ").replace("\t", " ") for line in LINES], trainer)
    learnt = json.loads(trained.to_str())["model"]["vocab"]
    vocab = [("<unk>", 0.0), ("<s>", 0.0), ("</s>", 0.0), *((b, -20.0) for b in BYTES)]
    vocab += [(piece, score) for piece, score in learnt if piece != "<unk>"]
    made = Tokenizer(models.Unigram(vocab, unk_id=0, byte_fallback=True))
    made.pre_tokenizer = pre_tokenizers.Metaspace("▁", prepend_scheme="first")
    made.decoder = decoders.Sequence([decoders.ByteFallback(), decoders.Metaspace("▁", prepend_scheme="first")])
    return _wrapped(made, bos="<s>", eos="</s>", unk="<unk>")


def byte_level() -> PreTrainedTokenizerFast:
    """GPT-2: bytes as letters, one end token for everything."""
    made = Tokenizer(models.BPE())
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    _train_on_bytes(made)
    return _wrapped(made, bos="<|endoftext|>", eos="<|endoftext|>", adds_bos=False)


def tiktoken() -> PreTrainedTokenizerFast:
    """Llama-3 and Qwen: a regex that keeps ".\\n" together and takes digits in threes, then bytes."""
    made = Tokenizer(models.BPE(ignore_merges=True))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LLAMA3), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    _train_on_bytes(made, 800)
    made.add_special_tokens(["<|end_of_text|>", "<|turn|>"])  # "<|turn|>" is in no named role, as Llama-3's markers
    return _wrapped(made, bos="<|begin_of_text|>", eos="<|end_of_text|>")


def crossing() -> PreTrainedTokenizerFast:
    """Bytes whose merges run across characters: a token can end one character and begin the next."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {letter: k for k, letter in enumerate(alphabet)}
    merges = []
    for text in ("爱爱", "ไทย", "🙂🙂", "éé"):
        letters = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False).pre_tokenize_str(text)[0][0]
        width = len(letters) // len(text)
        pair = (letters[width - 1], letters[width])  # the last byte of a character with the first of the next
        if "".join(pair) not in vocab:
            merges.append(pair)
            vocab["".join(pair)] = len(vocab)
    made = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    made.decoder = decoders.ByteLevel()
    return _wrapped(made, bos="<s>", eos="</s>")


def wordpiece() -> PreTrainedTokenizerFast:
    """BERT: "##" pieces; white space and what it does not know are lost."""
    made = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=False, strip_accents=False)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece()
    made.train_from_iterator(
        LINES, trainers.WordPieceTrainer(vocab_size=500, special_tokens=["[UNK]"], show_progress=False)
    )
    return _wrapped(made, bos="[CLS]", eos="[SEP]", unk="[UNK]")


def _train_on_bytes(made: Tokenizer, size: int = 600) -> None:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    made.train_from_iterator(
        LINES, trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False)
    )


def _wrapped(made: Tokenizer, bos: str, eos: str, unk: str | None = None, adds_bos: bool = True):
    made.add_special_tokens([AddedToken(bos, special=True), AddedToken(eos, special=True)])
    if adds_bos:
        made.post_processor = processors.TemplateProcessing(
            single=f"{bos} $A", special_tokens=[(bos, made.token_to_id(bos))]
        )
    names = {"bos_token": bos, "eos_token": eos} | ({"unk_token": unk} if unk else {})
    return PreTrainedTokenizerFast(tokenizer_object=made, clean_up_tokenization_spaces=False, **names)


KINDS: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "sentencepiece-bpe": sentencepiece_bpe,
    "metaspace-bpe": metaspace_bpe,
    "unigram": unigram,
    "byte-level": byte_level,
    "tiktoken": tiktoken,
    "crossing": crossing,
    "wordpiece": wordpiece,
}
LOSSLESS = [kind for kind in KINDS if kind not in ("unigram", "wordpiece")]


@lru_cache
def zoo(kind: str) -> PreTrainedTokenizerFast:
    """The tokenizer of a kind, shared: set nothing on it."""
    return KINDS[kind]()
