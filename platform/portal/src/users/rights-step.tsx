import { Form } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { RoleChoice } from "@/people/role-choice";

// The step is the second one, and they are not needed.
const MoreRights = lazy(() => import("./more-rights"));

/** What all of them may do, and where: at least one role. */
export function RightsStep() {
  const { t } = useTranslation(["users", "people"]);
  return (
    <>
      <Form.Item name="roles" rules={[{ required: true, type: "array", min: 1, message: t("people:role_needed") }]}>
        <RoleChoice />
      </Form.Item>
      <Suspense>
        <MoreRights />
      </Suspense>
    </>
  );
}
