"""What the suite `roles` does with each role is there before a lab is made for it. Needs nothing."""

from __future__ import annotations

import pytest

from tests.roles.test_roles import HERE, ROLES, steps, verbs


@pytest.mark.parametrize("role", ROLES)
def test_every_verb_of_a_role_has_its_playbook_and_what_is_looked_at_behind_it(role: str) -> None:
    done = steps(role)
    named = [HERE / word for step in done for word in step.split()[1:]]
    assert [str(path.relative_to(HERE)) for path in named if not path.exists()] == []
    assert {f"side_effect {verb}.yml" for verb in verbs(role) - {"deploy"}} <= set(done)
