"""About: the manifest."""

from atoll.about.routes import router
from atoll.web.domain import Domain, Elsewhere

DOMAIN = Domain(
    name="about", routers=(router,), matrix={"GET /about": Elsewhere("test_only_sign_in_and_about_are_public")}
)
