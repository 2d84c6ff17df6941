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


class WrongPassword(ProblemCode, title="The current password is wrong."):
    pass


class SamePassword(ProblemCode, title="The new password must differ from the current one."):
    pass


class ContainsName(ProblemCode, title="The new password contains the user name."):
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


class PermissionNeeded(
    ProblemCode,
    code="not_allowed",
    title="You may not do this",
    detail="This needs the permission `{permission}`.",
    remedy="Whoever administers roles can grant it.",
):
    permission: str


class MustChangePassword(ProblemCode, title="The password must be changed first"):
    pass


class WrongPasswordField(FieldCode, code="wrong_password", words="This is not the present password."):
    pass


class SamePasswordField(FieldCode, code="same_password", words="The new password must differ from the current one."):
    pass


class ContainsNameField(FieldCode, code="contains_name", words="The new password contains the user name."):
    pass
