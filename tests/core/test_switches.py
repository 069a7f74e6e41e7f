"""The registry of switches: variants, single changes, refused combinations."""

from dataclasses import fields

import pytest

from dragin_core import InputError, Settings
from dragin_core.switches import SWITCHES, VARIANTS, Switches, preset


def changes():
    """Every (variant, switch, value) that changes one switch of a variant."""
    for variant in VARIANTS:
        for switch in SWITCHES.values():
            for value in switch.values or ("none", 64, 7):
                if value != preset(variant)[switch.name]:
                    yield variant, switch.name, value


def is_allowed(variant, name, value):
    values = preset(variant) | {name: value}
    wanted = [SWITCHES[n].needs.get(v) for n, v in values.items()]
    return all(values[need[0]] == need[1] for need in wanted if need)


VALID = [change for change in changes() if is_allowed(*change)]
REFUSED = [change for change in changes() if not is_allowed(*change)]


def test_every_switch_has_a_field_a_value_in_each_variant_and_a_line_that_says_what_it_changes():
    assert [field.name for field in fields(Switches)] == list(SWITCHES)
    assert len(SWITCHES) == 18
    for variant in VARIANTS:
        assert all(SWITCHES[name].read(value) == value for name, value in preset(variant).items())
        assert Settings(variant=variant).to_dict()["switches"] == {}
    assert len({switch.changes for switch in SWITCHES.values()}) == 18


@pytest.mark.parametrize(("variant", "name", "value"), VALID)
def test_a_switch_set_alone_is_named_and_comes_back_from_the_dictionary(variant, name, value):
    settings = Settings(variant=variant, switches={name: str(value)})
    assert settings.to_dict()["switches"] == {name: value}
    assert getattr(settings.effective, name) == value
    assert Settings.from_dict(settings.to_dict()) == settings
    assert hash(settings) == hash(settings.but())


@pytest.mark.parametrize(("variant", "name", "value"), REFUSED)
def test_combinations_without_sense_are_refused_naming_the_other_switch(variant, name, value):
    with pytest.raises(InputError) as error:
        Settings(variant=variant, switches={name: value})
    others = [s.name for s in SWITCHES.values() if s.name != name and any(n[0] == name for n in s.needs.values())]
    others += [need[0] for need in SWITCHES[name].needs.values()]
    assert name in str(error.value)
    assert any(other in str(error.value) for other in others)


def test_what_is_refused_is_what_the_table_says():
    assert {(variant, f"{name}={value}") for variant, name, value in REFUSED} == {
        *((variant, f"{name}=sentence") for variant in ("paper", "literal") for name in ("scale", "cut", "query_hits")),
        *((variant, "semantic=pos") for variant in ("paper", "literal")),
        ("official", "unit=token"),
        ("official", "decide=moment"),
    }


def test_a_switch_with_the_variants_own_value_is_not_named():
    assert Settings(switches={"unit": "token"}).switches == {}
    assert Settings(variant="official", switches={"query_limit": "64", "cut": "word"}).switches == {"cut": "word"}


@pytest.mark.parametrize(
    ("switches", "said"),
    [
        ({"units": "word"}, "There is no switch 'units': choose one of unit, "),
        ({"unit": "letter"}, "unit 'letter' is unknown: choose one of token, word."),
        ({"query_limit": "-3"}, "query_limit is '-3': give none or a whole number"),
        ({"query_limit": True}, "query_limit is 'True'"),
        ("unit=word", "give a mapping"),
    ],
)
def test_unknown_switches_and_values_are_said(switches, said):
    with pytest.raises(InputError, match=said):
        Settings(switches=switches)
