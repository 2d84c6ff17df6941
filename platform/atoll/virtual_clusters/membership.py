"""Who is a member of which virtual cluster in effect: the one query for all that ask for it."""

from sqlalchemy import Subquery, select, union
from sqlalchemy.orm import aliased

from atoll.identity.models import GroupMemberRow, UserRow
from atoll.virtual_clusters.models import ClusterGroupRow, MemberRow


def members(*, also_disabled: bool = False) -> Subquery:
    """Pairs of `virtual_cluster_id` and `user_id`, each once: users who were added, and those of groups that were.

    Only of accounts that are active. Tasks of a disabled one go on, so whoever asks about tasks takes them, too.
    """
    direct = select(MemberRow.virtual_cluster_id, MemberRow.user_id)
    through = select(ClusterGroupRow.virtual_cluster_id, GroupMemberRow.user_id).join(
        GroupMemberRow, GroupMemberRow.group_id == ClusterGroupRow.group_id
    )
    both = union(direct, through).subquery("added")
    # An alias: what asks about a user of an outer question means that one and not this.
    account = aliased(UserRow)
    pairs = select(both.c.virtual_cluster_id, both.c.user_id).join(account, account.id == both.c.user_id)
    pairs = pairs.where(account.deleted_at.is_(None))
    return (pairs if also_disabled else pairs.where(account.active)).subquery("members")
