"""What a file of users asks for, of which nothing is: what it costs to say so. Needs nothing."""

import pytest
from atoll.users.understanding import MOST_TOLD, There, refuse, resolve, told, understood
from atoll.web.errors import Invalid

NOTHING = There({}, {}, {}, (), None)
CELLS = 3
NAMES = 10


def test_a_file_that_is_full_of_mistakes_has_no_more_of_them_in_memory_than_are_told() -> None:
    lines = 400
    rows = (
        f"u{line},x," + ",".join(";".join(f"n{line}-{cell}-{name}" for name in range(NAMES)) for cell in range(CELLS))
        for line in range(lines)
    )
    asked = understood("\n".join(["User name,Nickname,Roles,Groups,Virtual clusters", *rows]).encode())
    resolve(asked.wishes, NOTHING, skip_existing=False)
    kept = {id(mistake) for wish in asked.wishes for mistake in wish.mistakes}
    assert len(kept) <= MOST_TOLD + CELLS, "half a million mistakes are made for a thousand that are told"
    found = told(asked)
    assert found.mistakes == lines * CELLS * NAMES
    errors = [error for line in found.lines for error in line.errors]
    assert len(errors) == MOST_TOLD
    assert all([*error.params.values()] != [""] for error in errors), "one that is told names nothing"
    assert [error.field for error in found.lines[0].errors[::NAMES]] == ["roles", "groups", "virtual_clusters"]
    with pytest.raises(Invalid) as refused:
        refuse(asked.wishes, ())
    assert len(refused.value.errors) == MOST_TOLD
    assert refused.value.problem.params == {"count": lines * CELLS * NAMES}
