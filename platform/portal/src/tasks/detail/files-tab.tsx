import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Button } from "antd";
import { Download, Eye, File, FileBox, FileText, Folder, FolderOpen } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { CopyButton } from "@/elements/code";
import { Answer, Empty } from "@/elements/states";
import { Table } from "@/elements/table";
import { Moment } from "@/elements/time";
import { previewOf } from "@/files/kinds";
import { MoreEntries } from "@/files/more-entries";
import type { FileEntry } from "@/files/queries";
import { Ways } from "@/files/ways";
import { bytes } from "@/formats/amounts";
import { type Task, taskFilesQuery } from "../queries";
import { ENDED } from "../states";
import { taskSearchOf } from "./search";
import "@/files/files.css";
import "@/elements/page.css";

const Preview = lazy(() => import("@/files/preview"));
const MODELS = /\.(npz|npy|pt|pth|ckpt|onnx|pkl|joblib|h5|pb|mindir|om|safetensors|model)$/i;

function contentAddress(task: string, path: string): string {
  return `/api/v1/tasks/${encodeURIComponent(task)}/files/content?path=${encodeURIComponent(path)}`;
}

function iconOf(file: FileEntry) {
  if (file.kind === "directory") return Folder;
  if (MODELS.test(file.name)) return FileBox;
  return previewOf(file.name) ? FileText : File;
}

/** The output directory: look into it, see what is text or a picture, take the model away. */
export default function FilesTab({ task }: { task: Task }) {
  const { t } = useTranslation(["files", "common"]);
  const navigate = useNavigate();
  const { path = "" } = taskSearchOf(useSearch({ strict: false }));
  const query = useInfiniteQuery(taskFilesQuery(task.id, path, !ENDED.includes(task.state)));
  const [previewed, setPreviewed] = useState<FileEntry>();
  const go = (to: string) => navigate({ to: ".", search: { tab: "files", path: to || undefined } as never });
  return (
    <>
      <div className="files-head">
        <Ways root={t("output")} path={path} go={go} />
        {query.data && (
          <span className="files-location">
            <code>{query.data.location}</code>
            <CopyButton text={query.data.location} label={t("copy_path")} />
          </span>
        )}
      </div>
      <Answer query={query}>
        {(listing) => (
          <>
            {listing.items.length === 0 ? (
              <Empty icon={FolderOpen} title={t("empty")}>
                {ENDED.includes(task.state) ? t("empty_ended") : t("empty_yet")}
              </Empty>
            ) : (
              <div className="framed">
                <Table
                  keyOf={(file) => file.path}
                  size="small"
                  rows={listing.items}
                  columns={[
                    {
                      key: "name",
                      title: t("name"),
                      render: (file) => {
                        const Icon = iconOf(file);
                        return (
                          <span className="file-name">
                            <Icon size={15} aria-hidden />
                            {file.kind === "directory" ? (
                              <button type="button" className="link-button" onClick={() => go(file.path)}>
                                {file.name}
                              </button>
                            ) : (
                              <span>{file.name}</span>
                            )}
                          </span>
                        );
                      },
                    },
                    {
                      key: "size",
                      title: t("size"),
                      width: 120,
                      align: "right",
                      render: (file) => (
                        <span className="tabular nowrap">{file.kind === "file" ? bytes(file.size_bytes) : "–"}</span>
                      ),
                    },
                    {
                      key: "modified",
                      title: t("modified"),
                      width: 160,
                      render: (file) => <Moment at={file.modified_at} />,
                    },
                    {
                      key: "actions",
                      title: <span className="visually-hidden">{t("common:actions.title")}</span>,
                      width: 100,
                      align: "right",
                      render: (file) =>
                        file.kind === "file" && (
                          <>
                            {previewOf(file.name) && (
                              <Button
                                type="text"
                                size="small"
                                icon={<Eye size={15} aria-hidden />}
                                aria-label={t("preview_named", { name: file.name })}
                                onClick={() => setPreviewed(file)}
                              />
                            )}
                            <Button
                              type="text"
                              size="small"
                              href={contentAddress(task.id, file.path)}
                              download={file.name}
                              icon={<Download size={15} aria-hidden />}
                              aria-label={t("download_named", { name: file.name })}
                            />
                          </>
                        ),
                    },
                  ]}
                />
              </div>
            )}
            <MoreEntries shown={listing.items.length} query={query} />
          </>
        )}
      </Answer>
      {previewed && (
        <Suspense>
          <Preview
            name={previewed.name}
            size={previewed.size_bytes}
            address={contentAddress(task.id, previewed.path)}
            onClose={() => setPreviewed(undefined)}
          />
        </Suspense>
      )}
    </>
  );
}
