"""Rules of access tokens."""

import builtins
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import Actor, record
from atoll.configuration import AccessTokens
from atoll.database.base import now
from atoll.identity import codes
from atoll.identity.access_tokens.repository import AccessTokenRepository
from atoll.identity.access_tokens.schemas import AccessToken, AccessTokenCreate, AccessTokenOptions, NewAccessToken
from atoll.identity.caller import ByToken, Caller
from atoll.identity.fresh import refuse_stale
from atoll.identity.models import AccessTokenRow
from atoll.identity.permissions import PermissionKind, PermissionTable
from atoll.identity.repository import IdentityRepository
from atoll.identity.rights.giving import Giving
from atoll.identity.rights.schemas import GrantedKind
from atoll.identity.tokens import may_be_access_token, new_access_token, token_hash
from atoll.web import told
from atoll.web.errors import Conflict, Invalid, NotAllowed, NotFound, NotSignedIn
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page

USED_EVERY = timedelta(minutes=1)  # that it was used is written no more often


class AccessTokenService:
    """Access tokens of users."""

    def __init__(self, session: AsyncSession, table: PermissionTable) -> None:
        self._session = session
        self._table = table
        self._repository = AccessTokenRepository(session)

    async def caller(self, token: str, address: str, request_id: str) -> Caller | None:
        """Who asks by that token, and may do what its scope and its owner's rights have in common at this moment.

        None for what is no token, or none that holds.
        """
        found = await self._repository.live(token_hash(token)) if may_be_access_token(token) else None
        if found is None:
            return None
        row, user, grants = found
        since = now() - USED_EVERY
        if row.last_used_at is None or row.last_used_at <= since:
            await self._repository.used(row.id, address, since)
        return Caller(
            id=user.id,
            name=user.name,
            nickname=user.nickname,
            uid=user.uid,
            permissions=self._table.scope(row.grants) & self._table.of(grants),
            kinds=self._table.lasting(row.grants) & self._table.lasting(grants),
            must_change_password=user.must_change_password,
            address=address,
            request_id=request_id,
            token=ByToken(id=row.id, name=row.name, read_only=row.read_only, expires_at=row.expires_at),
            shown=row.token_hash,
        )

    def options(self, caller: Caller, limits: AccessTokens) -> AccessTokenOptions:
        """What the caller may give a token."""
        of_kinds = {kind: self._table.of([kind]) for kind in PermissionKind}
        return AccessTokenOptions(
            kinds=[
                GrantedKind(name=kind, permissions=sorted(map(str, held)))
                for kind, held in of_kinds.items()
                if held and held <= caller.permissions
            ],
            permissions=sorted(map(str, caller.permissions)),
            most_days=limits.most_days,
            most=limits.most_per_user,
        )

    async def list(self, user_id: str, limit: int, cursor: str | None) -> Page[AccessToken]:
        """Those of a user, the newest first."""
        found = await self._repository.of_user(user_id, limit + 1, decode(cursor))
        rows, following = cut(found, limit, lambda row: row.id)
        return Page(items=[AccessToken.model_validate(row) for row in rows], next_cursor=following)

    async def create(self, caller: Caller, body: AccessTokenCreate, limits: AccessTokens) -> NewAccessToken:
        """A new one of the caller's own, told this once.

        Raises Invalid, NotAllowed for a scope beyond what the caller holds, or for who did not prove lately who they
        are, Conflict when there are too many.
        """
        grants = self._grants(body.grants)
        if body.days > limits.most_days:
            raise Invalid(told.InvalidRequest(), errors=[told.LessThanEqual(le=limits.most_days).at("days")])
        # One after the other, also with who disables the account or gives it another password: that ends all tokens.
        owner = await IdentityRepository(self._session).user(caller.id, lock=True)
        if owner is None or not owner.active:
            raise NotSignedIn(told.NotSignedIn())
        if owner.must_change_password:
            raise NotAllowed(codes.MustChangePassword())
        # No more than they hold at any time, so what a kind comes to now is enough.
        await Giving(self._session, self._table).judge(caller, map(str, self._table.scope(grants)))
        identity, shown = IdentityRepository(self._session), caller.shown or ""
        await refuse_stale(identity, shown)
        if (await self._repository.live_of([caller.id])).get(caller.id, 0) >= limits.most_per_user:
            raise Conflict(codes.TooManyAccessTokens(limit=limits.most_per_user))
        token = new_access_token()
        row = AccessTokenRow(
            user_id=caller.id,
            name=body.name,
            token_hash=token_hash(token),
            grants=grants,
            read_only=body.read_only,
            way=await identity.way_of(shown),
            expires_at=now() + timedelta(days=body.days),
        )
        await self._repository.add(row)
        details = {"user": caller.name, "grants": grants, "read_only": body.read_only, "days": body.days}
        await self._record(caller, "access_token.create", row, details)
        return NewAccessToken(**AccessToken.model_validate(row).model_dump(), token=token)

    async def end(self, actor: Actor, owner_id: str, owner_name: str, token_id: str) -> None:
        """End one of a user's; what flows for it ends within seconds. Raises NotFound."""
        row = await self._repository.end(owner_id, token_id)
        if row is None:
            raise NotFound(told.NotFound())
        await self._record(actor, "access_token.delete", row, {"user": owner_name})

    def _grants(self, wanted: builtins.list[str]) -> builtins.list[str]:
        """Each once, in order. Raises Invalid for what cannot be granted."""
        unknown = [(place, grant) for place, grant in enumerate(wanted) if not self._table.knows(grant)]
        if unknown:
            errors = [codes.NoSuchGrantField(grant=grant).at(f"grants.{place}") for place, grant in unknown]
            raise Invalid(told.InvalidRequest(), errors=errors)
        return sorted(set(wanted))

    async def _record(self, actor: Actor, action: str, row: AccessTokenRow, details: dict[str, object]) -> None:
        await record(
            self._session, actor, action, kind="access_token", identifier=row.id, name=row.name, details=details
        )
