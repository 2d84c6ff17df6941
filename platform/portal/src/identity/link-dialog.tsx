import { useQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { api, body } from "@/api/client";
import { useFocusBack } from "@/elements/focus";
import { ProblemNote } from "@/elements/problem-note";
import { Answer } from "@/elements/states";
import { proofsQuery, SignInAgain } from "./sign-in-again";
import { leaveFor, type WayName } from "./ways";

/** Asks who sits there once more, then leads to the provider, who says who that is. */
export default function LinkDialog({ way, onClose }: { way: WayName; onClose: () => void }) {
  const { t } = useTranslation("identity");
  const query = useQuery(proofsQuery);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<unknown>();
  const provider = t(`way.${way}`);
  const goOn = t("way_link_do", { provider });
  useFocusBack();

  async function link(fields: { password?: string }) {
    const params = { path: { way } };
    leaveFor(await body(api.POST("/api/v1/session/ways/{way}/link", { params, body: fields })), { linking: true });
  }

  async function goOnAtOnce() {
    setBusy(true);
    setFailure(undefined);
    try {
      await link({});
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  }

  return (
    <Modal open width={440} title={t("way_link_title", { provider })} footer={null} onCancel={onClose}>
      {failure !== undefined && <ProblemNote error={failure} />}
      <p>{t("way_link_means", { provider })}</p>
      <Answer query={query} rows={2}>
        {(proofs) =>
          proofs.links ? (
            <Button type="primary" block loading={busy} onClick={goOnAtOnce}>
              {goOn}
            </Button>
          ) : (
            <SignInAgain proofs={proofs} back="/settings" goOn={goOn} onPassword={(password) => link({ password })} />
          )
        }
      </Answer>
    </Modal>
  );
}
