"""What a browser keeps of a sign-in."""

from fastapi import Response

from atoll.configuration import Configuration
from atoll.identity.service import DEVICE_KNOWN


def device_cookie(configuration: Configuration) -> str:
    """The name of the cookie by which a device is known again."""
    return f"{configuration.web.session_cookie}_device"


def set_cookie(response: Response, configuration: Configuration, token: str) -> None:
    """Let it keep the session."""
    response.set_cookie(
        configuration.web.session_cookie,
        token,
        max_age=configuration.web.session_hours * 3600,
        httponly=True,
        secure=configuration.web.secure_cookies,
        samesite="lax",
        path="/",
    )


def set_cookies(response: Response, configuration: Configuration, token: str, device: str, path: str) -> None:
    """Let it keep the session, and by what it is known again at `path`, where people sign in, and below."""
    set_cookie(response, configuration, token)
    response.set_cookie(
        device_cookie(configuration),
        device,
        max_age=int(DEVICE_KNOWN.total_seconds()),
        httponly=True,
        secure=configuration.web.secure_cookies,
        samesite="strict",
        path=path,
    )
