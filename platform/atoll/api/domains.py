"""The one list of domains: what the API, `jobs`, migrations, the contract and the portal's words are made from."""

from atoll.web.domain import Domain

DOMAINS: tuple[Domain, ...] = ()
