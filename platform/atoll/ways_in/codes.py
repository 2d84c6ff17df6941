"""What is told of ways in. `provider` is a brand, the same in every language."""

from atoll.web.codes import ProblemCode


class NoSuchWay(
    ProblemCode,
    title="Nobody signs in by {provider} here",
    remedy="Sign in with user name and password.",
):
    provider: str


class OtherAddress(
    ProblemCode,
    title="Signing in by {provider} works at another address",
    detail="{provider} leads back to {origin}, and to no other address.",
    remedy="Open the portal at {origin}.",
):
    provider: str
    origin: str


class WayEnded(
    ProblemCode,
    title="This way back from {provider} is not open any more",
    detail="It was begun in another browser, too long ago, or was used already.",
    remedy="Begin again.",
):
    provider: str


class ProviderDeclined(
    ProblemCode,
    title="{provider} did not say who you are",
    detail="It was cancelled or refused there.",
    remedy="Try again, or sign in with user name and password.",
):
    provider: str


class ProviderNotBelieved(
    ProblemCode,
    title="What {provider} answered was not accepted",
    remedy="Try again. If it stays, tell an administrator: the log of the service `api` says why.",
):
    provider: str


class ProviderNotFresh(
    ProblemCode,
    title="{provider} did not say that you signed in there just now",
    detail="That is what proves that it is you.",
    remedy="Try again, and sign in there when you are asked to. If it stays, tell an administrator: the application at"
    " {provider} has to tell the time of a sign-in (`auth_time`).",
):
    provider: str


class ProvesNothing(
    ProblemCode,
    title="{provider} cannot prove that it is you",
    detail="Who is signed in there is sent back without being asked.",
    remedy="Enter your password, or sign in anew by another way that proves it. If you have neither, an administrator"
    " can give the account a password (reset the password).",
):
    provider: str


class SomebodyElse(
    ProblemCode,
    title="You signed in at {provider} as somebody else",
    detail="It is not the account that yours is linked with.",
    remedy="Try again, with the account of {provider} that is named under Settings, Ways to sign in.",
):
    provider: str


class ProviderUnreachable(
    ProblemCode,
    title="{provider} cannot be reached from this platform",
    remedy="Sign in with user name and password. An administrator finds in the log of the service `api` what is in the"
    " way.",
):
    provider: str


class NotLinked(
    ProblemCode,
    title="No account here is linked with your account of {provider}",
    detail="Nobody can register here.",
    remedy="Sign in with user name and password and link it under Settings, or ask an administrator for an account.",
):
    provider: str


class LinkedElsewhere(
    ProblemCode,
    title="Your account of {provider} is linked with another account here",
    remedy="Sign in by {provider} to see which, and end that link first.",
):
    provider: str


class AlreadyLinked(
    ProblemCode,
    title="This account is linked with an account of {provider} already",
    remedy="End that link first.",
):
    provider: str


class NothingLinked(
    ProblemCode,
    title="This account is linked with none of {provider}",
    remedy="Load the page of your account again: it shows what is linked.",
):
    provider: str


class OnlyWay(
    ProblemCode,
    title="It is the only way into this account",
    detail="The account has no password: without its link with {provider} nobody could sign in to it.",
    remedy="Have an administrator give it a password (reset the password), then end the link.",
):
    provider: str
