import { useQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/elements/code";
import { Fact, Facts } from "@/elements/facts";
import { useFocusBack } from "@/elements/focus";
import { Answer } from "@/elements/states";
import { exact } from "@/formats/moments";
import { ActorLink, ObjectLink } from "./links";
import { Outcome } from "./outcome";
import { type AuditRecord, recordQuery } from "./query";
import type { AuditSearch } from "./search";
import { useActionWords, useDetailWords, useKindWords } from "./words";

/** One record in full: what was changed, by whom, from where, by which request. */
export default function RecordDialog({
  id,
  known,
  only,
  onClose,
}: {
  id: string;
  /** As the list has it. */
  known: AuditRecord | undefined;
  /** Leads to the records that have only this in common. */
  only: (search: AuditSearch) => void;
  onClose: () => void;
}) {
  useFocusBack();
  const { t } = useTranslation(["audit", "common"]);
  const query = useQuery({ ...recordQuery(id), initialData: known, staleTime: 10_000 });
  const actionWords = useActionWords();
  const record = query.data;
  return (
    <Modal
      open
      width={720}
      title={record ? actionWords(record.action) : t("record")}
      onCancel={onClose}
      footer={<Button onClick={onClose}>{t("common:actions.close")}</Button>}
    >
      <Answer query={query} rows={6}>
        {(found) => <Told record={found} only={only} />}
      </Answer>
    </Modal>
  );
}

function Told({ record, only }: { record: AuditRecord; only: (search: AuditSearch) => void }) {
  const { t, i18n } = useTranslation("audit");
  const kindWords = useKindWords();
  const { object_id: id, actor_name: actor, address } = record;
  return (
    <>
      <Facts>
        <Fact name={t("at")}>
          <time dateTime={record.at}>{exact(record.at, i18n.language)}</time>
        </Fact>
        <Fact name={t("outcome")}>
          <Outcome record={record} />
        </Fact>
        <Fact name={t("actor")}>
          <ActorLink record={record} /> {record.actor && <span className="quiet">{record.actor.nickname}</span>}
        </Fact>
        <Fact name={t("address")}>
          <span className="tabular">{address || "–"}</span>
        </Fact>
        <Fact name={t("object")}>
          <ObjectLink record={record} /> <span className="quiet">{kindWords(record.object_kind)}</span>
        </Fact>
        <Fact name={t("action")}>
          <code>{record.action}</code>
        </Fact>
        <Coded name={t("request")} text={record.request_id} />
        <Coded name={t("record")} text={record.id} />
      </Facts>
      <h3 className="audit-heading">{t("changed")}</h3>
      <Changes details={record.details} />
      <div className="row audit-only">
        {actor !== "" && (
          <Button size="small" onClick={() => only({ actor })}>
            {t("only_actor")}
          </Button>
        )}
        {id !== "" && (
          <Button size="small" onClick={() => only({ object: id })}>
            {t("only_object")}
          </Button>
        )}
        {address !== "" && (
          <Button size="small" onClick={() => only({ address })}>
            {t("only_address")}
          </Button>
        )}
      </div>
    </>
  );
}

function Coded({ name, text }: { name: string; text: string }) {
  return (
    <Fact name={name}>
      {text === "" ? (
        "–"
      ) : (
        <span className="row">
          <code className="audit-code">{text}</code>
          <CopyButton text={text} />
        </span>
      )}
    </Fact>
  );
}

/** What was told beside the action, as it was recorded. */
function Changes({ details }: { details: AuditRecord["details"] }) {
  const { t } = useTranslation("audit");
  const words = useDetailWords();
  const told = Object.entries(details).filter(([name]) => name !== "truncated");
  if (told.length === 0 && !details.truncated) return <p className="quiet">{t("nothing_told")}</p>;
  return (
    <>
      <Facts>
        {told.map(([name, value]) => (
          <Fact key={name} name={words(name)} wide={typeof value === "object" && value !== null}>
            <Value value={value} />
          </Fact>
        ))}
      </Facts>
      {details.truncated === true && <p className="quiet">{t("truncated")}</p>}
    </>
  );
}

function Value({ value }: { value: unknown }) {
  if (value === null || value === "" || (Array.isArray(value) && value.length === 0)) return "–";
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) return value.join(", ");
  return typeof value === "object" ? <code>{JSON.stringify(value)}</code> : String(value);
}
