import { useInfiniteQuery } from "@tanstack/react-query";
import { Modal } from "antd";
import { FileCode, FileText, Folder } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useFocusBack } from "@/elements/focus";
import { Answer, Empty } from "@/elements/states";
import { MoreEntries } from "./more-entries";
import { homePagesQuery } from "./queries";
import { Ways } from "./ways";
import "./files.css";

/** Picks a directory of the person's home. */
export default function FolderDialog({
  start,
  onChoose,
  onClose,
}: {
  start: string;
  onChoose: (path: string) => void;
  onClose: () => void;
}) {
  useFocusBack();
  const { t } = useTranslation("files");
  const [path, setPath] = useState(start);
  const query = useInfiniteQuery({ ...homePagesQuery(path), retry: false });
  return (
    <Modal
      open
      title={t("pick_folder")}
      okText={t("use_folder")}
      okButtonProps={{ disabled: !query.isSuccess }}
      onOk={() => onChoose(path)}
      onCancel={onClose}
      width={560}
    >
      <Ways root={t("home")} path={path} go={setPath} />
      <div className="folder-list">
        <Answer query={query} rows={5}>
          {(listing) =>
            listing.items.length === 0 ? (
              <Empty icon={Folder} title={t("empty")}>
                {t("empty_home")}
              </Empty>
            ) : (
              <>
                <ul>
                  {listing.items.map((file) => (
                    <li key={file.name}>
                      {file.kind === "directory" ? (
                        <button type="button" className="folder-entry" onClick={() => setPath(file.path)}>
                          <Folder size={15} aria-hidden />
                          {file.name}
                        </button>
                      ) : (
                        <span className="folder-entry quiet">
                          {file.name.endsWith(".py") ? (
                            <FileCode size={15} aria-hidden />
                          ) : (
                            <FileText size={15} aria-hidden />
                          )}
                          {file.name}
                        </span>
                      )}
                    </li>
                  ))}
                </ul>
                <MoreEntries shown={listing.items.length} query={query} />
              </>
            )
          }
        </Answer>
      </div>
    </Modal>
  );
}
