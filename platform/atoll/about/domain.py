"""About: the manifest."""

from atoll.about.routes import router
from atoll.web import told
from atoll.web.codes import declared
from atoll.web.domain import Domain, Elsewhere

DOMAIN = Domain(
    name="about",
    codes=declared(told),  # what every part says
    routers=(router,),
    matrix={"GET /about": Elsewhere("test_only_sign_in_and_about_are_public")},
)
