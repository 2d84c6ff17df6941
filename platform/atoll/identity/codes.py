"""What sign-in and passwords say."""

from atoll.web.codes import FieldCode, ProblemCode


class WrongCredentials(ProblemCode, title="User name or password is wrong.", remedy="Capital letters count."):
    pass


class AccountInactive(ProblemCode, title="This account is not active.", remedy="An administrator can activate it."):
    pass


class NoUidLeft(
    ProblemCode,
    title="No uid is left for another account",
    detail="An account has the greatest uid that there is, and none is given twice.",
    remedy="`./atoll users list` shows the uids. One that is no user's was written into the database by hand, where"
    " alone it can be changed.",
):
    pass


class WrongPassword(
    ProblemCode,
    title="The current password is wrong.",
    remedy="Type it again and mind capital letters; who forgot it asks an administrator to reset it.",
):
    pass


class NoPassword(
    ProblemCode,
    title="This account has no password",
    detail="Whoever it belongs to signs in another way, so there is none to be changed.",
    remedy="An administrator can give it one (reset the password).",
):
    pass


class SignInAgain(
    ProblemCode,
    title="Sign in again for this",
    detail="It opens another way into your account, so you have to have shown within the last {minutes} minutes that it"
    " is you.",
    remedy="Enter your password, or sign in anew at Microsoft if your account is linked there. If you have neither, an"
    " administrator can give the account a password (reset the password).",
):
    minutes: int


class SamePassword(
    ProblemCode, title="The new password must differ from the current one.", remedy="Choose another one."
):
    pass


class ContainsName(
    ProblemCode,
    title="The new password contains the user name.",
    remedy="Choose one in which the user name does not occur.",
):
    pass


class TooManyAttempts(
    ProblemCode,
    title="Too many attempts",
    detail="It was tried too often.",
    remedy="Wait {minutes} minutes, then try again.",
):
    minutes: int


class SignInsCrowded(ProblemCode, title="Too many sign in at this moment", remedy="Try again in some seconds."):
    pass


class NameTaken(
    ProblemCode, title="This name is taken", detail="The name `{name}` is taken.", remedy="Choose another name."
):
    name: str


class MoreThanYouHold(
    ProblemCode,
    title="This is more than you may do yourself",
    detail="Nobody gives, takes or acts upon what they do not hold. You lack: {permissions}.",
    remedy="Somebody who holds these permissions can do it.",
):
    permissions: str


class ProtectedAccount(
    ProblemCode,
    title="This account is protected",
    detail="Of `{name}`, which the installation made, only the password can be changed; so there is always somebody who"
    " can administer the platform.",
    remedy="Make accounts of your own for daily work. When `{name}` cannot sign in: `./atoll users --help` on the"
    " machine that installed the cluster.",
):
    name: str


class RegistrationClosed(
    ProblemCode,
    title="Nobody can register here",
    remedy="Ask an administrator for an account.",
):
    pass


class TooManyWaiting(
    ProblemCode,
    title="Too many new accounts wait for their rights",
    detail="{limit} accounts that nobody gave a role yet are as many as may wait.",
    remedy="Ask an administrator, who can give them roles or delete them.",
):
    limit: int


class PermissionNeeded(
    ProblemCode,
    code="not_allowed",
    title="You may not do this",
    detail="This needs the permission `{permission}`.",
    remedy="Whoever administers roles can grant it.",
):
    permission: str


class WrongToken(
    ProblemCode,
    title="This access token opens nothing",
    detail="It is unknown, it has ended, or its owner may not sign in.",
    remedy="Make a new one in the portal: your name, then Account.",
):
    pass


class SessionNeeded(
    ProblemCode,
    title="An access token may not do this",
    detail="Passwords, sessions, access tokens and the own account are for who is signed in.",
    remedy="Sign in to the portal.",
):
    pass


class TokenReadsOnly(
    ProblemCode,
    title="This access token reads only",
    detail="The access token `{token}` was made to change nothing.",
    remedy="Make another one in the portal: your name, then Account.",
):
    token: str


class TokenLacksPermission(
    ProblemCode,
    title="This access token may not do this",
    detail="This needs the permission `{permission}`, which the access token `{token}` does not open: it is not in its"
    " scope, or its owner does not hold it.",
    remedy="Who holds it can make a token with it in the portal: your name, then Account.",
):
    permission: str
    token: str


class TooManyAccessTokens(
    ProblemCode,
    title="You have too many access tokens",
    detail="{limit} that have not ended are as many as one may have.",
    remedy="End one that is not needed any more.",
):
    limit: int


class MustChangePassword(
    ProblemCode, title="The password must be changed first", remedy="Sign in to the portal: it asks for a new password."
):
    pass


class WrongPasswordField(FieldCode, code="wrong_password", words="This is not the present password."):
    pass


class SamePasswordField(FieldCode, code="same_password", words="The new password must differ from the current one."):
    pass


class ContainsNameField(FieldCode, code="contains_name", words="The new password contains the user name."):
    pass


class NameTakenField(FieldCode, code="name_taken", words="This name is taken."):
    pass


class NoSuchRoleField(FieldCode, code="no_such_role", words="There is no role `{role}`."):
    role: str


class NoSuchGroupField(FieldCode, code="no_such_group", words="There is no group `{group}`."):
    group: str


class NoSuchGrantField(
    FieldCode, code="no_such_grant", words="There is no kind of permissions or permission `{grant}`."
):
    grant: str


class NoSuchUserField(FieldCode, code="no_such_user", words="There is no user `{user}`."):
    user: str
