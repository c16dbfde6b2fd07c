"""An occupation as a phrase: "Architect" is "an architect", many of them "architects".

Occupations come as people write them (`UX designer`) or as O*NET lists them, in the plural and with
a tail (`Accountants and Auditors`, `Architects, Except Landscape and Naval`). The rules are those
of English spelling; an occupation that names a field (`Marketing`) is someone who works in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from kolab_core.prompts.fences import one_line

__all__ = ["Profession", "name_profession"]

_NAMES = re.compile(
    r"African|American|Arabic|Asian|British|Chinese|Dutch|English|European|Excel|French|German"
    r"|Greek|Hebrew|Hindi|Irish|Italian|Japanese|Java|Korean|Latin|Montessori|Persian|Polish"
    r"|Portuguese|Python|Russian|Spanish|Swedish|Turkish|Ukrainian"
)
_PART = re.compile(r"[^\s/-]+")
_TAIL = re.compile(r"(?:[,;]| \(| [-–—] | (?:at|except|for|in|of|on|to|with) ).*", re.DOTALL)
_LIST = re.compile(r"( and | & | or |/)")
_FIELD = re.compile(
    r"(?:accounting|advertising|arts?|audit|business|care|consulting|design|education|engineering"
    r"|estate|finance|healthcare|hr|insurance|it|journalism|law|logistics|management|marketing"
    r"|media|medicine|nursing|research|resources|retail|sales|sciences?|services?|software|support"
    r"|technology|\w+(?:ics|ment|ology|tions?))",
    re.IGNORECASE,
)
# How words for people end: what ends like them and an s is their plural.
_PERSON = re.compile(
    r"\w*(?:[eo]r|aide|an|ant|ar|artist|ary|associate|cal|chef|clerk|coach|cook|critic|ect|ee"
    r"|ent|executive|expert|ey|fellow|gal|guide|head|ian|ist|judge|lead|mechanic|nurse|official"
    r"|person|pilot|professional|representative|scribe|smith|vet|wife|yst)",
    re.IGNORECASE,
)
_VOWEL_LETTERS = frozenset("AEFHILMNORSX")
_VOWEL = re.compile(
    r"(?!eu|ew|onc?e(?![a-z])|ubi|uk|uni(?![mn])|ur[aio]|us[aeu]|ut[ei])[aeiou]"
    r"|heir|honest|hono|hour"
)
_Change = Callable[[str], str]


@dataclass(frozen=True)
class Profession:
    """How an occupation is spoken of.

    Attributes:
        phrase: One person, with the article.
        plural: Many.
    """

    phrase: str
    plural: str


def name_profession(occupation: str | None) -> Profession:
    """One person of the occupation, with the article, and many.

    >>> name_profession("Architect")
    Profession(phrase='an architect', plural='architects')
    >>> name_profession("UX Designer").phrase, name_profession("HR manager").phrase
    ('a UX designer', 'an HR manager')
    >>> name_profession("Accountants and Auditors").phrase
    'an accountant and auditor'
    >>> name_profession("Public Relations").plural
    'professionals in public relations'

    Args:
        occupation: In any case and number; without one it is "a professional".
    """
    words = _in_small_letters(one_line(occupation or "")) or "professional"
    if not re.search("[A-Za-z]", words):  # no word of English: as it is
        return Profession(words, words)
    tail = _TAIL.search(words, 1)
    head, rest = (words, "") if tail is None else (words[: tail.start()], tail[0])
    if _FIELD.fullmatch(_last_word(head)):
        head, rest = "professional", f" in {words}"
    if _is_plural(_last_word(head)):
        singular, plural = _change_members(head, _singular, _is_plural), head
    else:
        # "Writer and editor" are both people; of "computer and network engineer" one is.
        is_list = " " not in _LIST.split(head)[-1]
        people = _is_person if is_list else _is_none
        singular, plural = head, _change_members(head, _plural, people)
    return Profession(f"{_article(singular)} {singular}{rest}", f"{plural}{rest}")


def _in_small_letters(text: str) -> str:
    """Words in small letters, but for those with capitals of their own (UX, PhD) and names."""
    if text.isupper() and " " in text:
        return text.lower()
    return _PART.sub(lambda part: _small(part[0]), text)


def _small(part: str) -> str:
    is_own = sum(c.isupper() for c in part) > 1 or part[1:] != part[1:].lower() or len(part) == 1
    return part if is_own or _NAMES.fullmatch(part.strip("(),;.")) else part.lower()


def _last_word(text: str) -> str:
    return text.rpartition(" ")[2].rpartition("/")[2]


def _is_plural(word: str) -> bool:
    if word.endswith(("men", "people")):
        return True
    singular = _singular(word)
    return singular != word and _is_person(singular)


def _is_person(word: str) -> bool:
    return _PERSON.fullmatch(word) is not None


def _is_none(word: str) -> bool:
    del word
    return False


def _change_members(head: str, change: _Change, is_member: Callable[[str], bool]) -> str:
    """The title with its last word changed, and those before an "and" that are members, too."""
    parts = _LIST.split(head)
    for index in range(0, len(parts), 2):
        before, blank, word = parts[index].rpartition(" ")
        if index == len(parts) - 1 or is_member(word):
            parts[index] = f"{before}{blank}{change(word)}"
    return "".join(parts)


def _singular(word: str) -> str:
    if word.endswith("men"):
        return f"{word[:-2]}an"
    if word.endswith("people"):
        return f"{word[:-5]}erson"
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word.removesuffix("s")


def _plural(word: str) -> str:
    if word.endswith("man") and not word.endswith(("human", "shaman", "german")):
        return f"{word[:-2]}en"
    if word.endswith("person"):
        return f"{word[:-5]}eople"
    if re.search(r"[^aeiou]y$", word):
        return f"{word[:-1]}ies"
    if word.endswith("wife"):
        return f"{word[:-2]}ves"
    return word + ("es" if re.search(r"(?:ch|sh|s|x|z)$", word) else "s")


def _article(title: str) -> str:
    """The article by the sound that the title begins with."""
    found = _PART.search(title)
    word = unicodedata.normalize("NFD", found[0] if found else title)
    if word[0].isdigit():
        return "an" if re.match(r"8|1[18](?!\d)", word) else "a"
    if word.isupper() or len(word) == 1:
        return "an" if word[0].upper() in _VOWEL_LETTERS else "a"
    return "an" if _VOWEL.match(word.lower()) else "a"
