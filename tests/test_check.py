"""What a person gives is checked in one place, in the wording of each face."""

import numpy as np
import pytest

from hemlock_env._check import Checks, did_you_mean, flag, number, one_of, whole


class UnfitError(ValueError):
    pass


JSON = Checks(UnfitError, "{name}: {value} {fault}", plain=True)


@pytest.mark.parametrize("value", [2, np.int8(2), np.array(2)])
def test_a_whole_number_of_any_type_becomes_an_int(value):
    assert type(whole(value, 1, 2, "seat")) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None])
def test_nothing_else_is_a_whole_number(value):
    with pytest.raises(ValueError, match=r"^seat=.*: must be a whole number from 0 to 1$"):
        whole(value, 0, 1, "seat")


def test_a_whole_number_beyond_its_range_is_told_the_range():
    with pytest.raises(ValueError, match=r"^games=0: must be from 1$"):
        whole(0, 1, None, "games")
    with pytest.raises(ValueError, match=r"^seat=2: must be from 0 to 1$"):
        whole(2, 0, 1, "seat")


def test_a_number_may_be_whole_but_neither_a_flag_nor_nan():
    assert number(1, 0, 1, "share") == 1.0
    for value in (True, "1", float("nan"), 1.5):
        with pytest.raises(ValueError, match=r"^share=.*: must be "):
            number(value, 0, 1, "share")


def test_a_flag_is_a_bool_and_nothing_else():
    assert flag(np.True_, "agendas") is True
    with pytest.raises(ValueError, match=r"^agendas=1: must be True or False$"):
        flag(1, "agendas")


def test_a_wrong_word_is_told_the_nearest():
    assert one_of("row", ("row", "hand"), "loot") == "row"
    said = r"^loot='rwo': must be one of row, hand \(did you mean 'row'\?\)$"
    with pytest.raises(ValueError, match=said):
        one_of("rwo", ("row", "hand"), "loot")
    assert did_you_mean("zzz", ("row", "hand")) == ""


def test_a_face_has_its_own_error_and_wording_and_may_refuse_numpy():
    with pytest.raises(UnfitError, match=r"week: np.int64\(1\) must be a whole number from 1 to 2"):
        JSON.whole(np.int64(1), 1, 2, "week")
    with pytest.raises(UnfitError, match=r"triggers: 0 must be true or false"):
        JSON.flag(0, "triggers")
