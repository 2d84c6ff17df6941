"""Who is a member of which virtual cluster in effect: the one query for all that ask for it."""

from sqlalchemy import Subquery, select

from atoll.identity.models import UserRow
from atoll.virtual_clusters.models import MemberRow


def members(*, also_disabled: bool = False) -> Subquery:
    """Pairs of `virtual_cluster_id` and `user_id`, each once: users who were added, and those of groups that were.

    Only of accounts that are active. Tasks of a disabled one go on, so whoever asks about tasks takes them, too.
    """
    pairs = select(MemberRow.virtual_cluster_id, MemberRow.user_id).join(UserRow, UserRow.id == MemberRow.user_id)
    return (pairs if also_disabled else pairs.where(UserRow.active)).subquery("members")
