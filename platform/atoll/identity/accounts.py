"""Making accounts."""

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity import passwords
from atoll.identity.models import UserRow


async def add_account(
    session: AsyncSession, name: str, password: str, *, roles: list[str], nickname: str = ""
) -> UserRow:
    """Add an account that must change its password."""
    user = UserRow(name=name, nickname=nickname or name, password_hash=await passwords.hashed(password), roles=roles)
    session.add(user)
    await session.flush()
    return user
