import { useQuery } from "@tanstack/react-query";
import { AutoComplete, Button, Form } from "antd";
import Input from "antd/es/input/Input";
import Compact from "antd/es/space/Compact";
import { FolderOpen } from "lucide-react";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { homeQuery, relativeTo } from "@/files/queries";
import { type FormFields, useRules } from "./form";

const FolderDialog = lazy(() => import("@/files/folder-dialog"));

/**
 * Where the program lies and which file starts it; the files of the chosen directory are offered. An image of one's own
 * brings its program, so that the directory is only where it starts, and may be left to the image.
 */
export function CodeFields({ home, codeDirectory, own }: { home: string; codeDirectory: string; own: boolean }) {
  const { t } = useTranslation(["training", "common"]);
  const form = Form.useFormInstance<FormFields>();
  const rules = useRules();
  const [picking, setPicking] = useState(false);
  const path = relativeTo(home, codeDirectory);
  const listing = useQuery({ ...homeQuery(path), enabled: codeDirectory !== "", retry: false });
  const starts = (listing.data?.items ?? []).filter((file) => file.kind === "file" && file.name.endsWith(".py"));
  const missing = codeDirectory !== "" && listing.isError;

  function choose(directory: string) {
    form.setFieldValue("code_directory", directory);
    form.validateFields(["code_directory"]);
    setPicking(false);
  }

  return (
    <>
      <Form.Item
        label={t("field_code_directory")}
        required={!own}
        htmlFor="code_directory"
        extra={
          missing ? (
            <span className="field-warning">{t("directory_missing")}</span>
          ) : (
            t(own ? "field_code_own" : "field_code_how")
          )
        }
      >
        <Compact block>
          <Form.Item name="code_directory" noStyle rules={rules("code_directory", !own)}>
            <Input prefix={<span className="quiet mono">{`${home}/`}</span>} autoComplete="off" spellCheck={false} />
          </Form.Item>
          <Button icon={<FolderOpen size={15} aria-hidden />} onClick={() => setPicking(true)}>
            {t("common:actions.browse")}
          </Button>
        </Compact>
      </Form.Item>
      {!own && (
        <Form.Item name="start_file" label={t("field_start_file")} rules={rules("start_file", true)} validateFirst>
          <AutoComplete
            className="field-medium"
            options={starts.map((file) => ({ value: file.name }))}
            placeholder={starts[0]?.name ?? t("start_file_hint")}
          />
        </Form.Item>
      )}
      {picking && (
        <Suspense>
          <FolderDialog start={path} onChoose={choose} onClose={() => setPicking(false)} />
        </Suspense>
      )}
    </>
  );
}
