import { useQuery } from "@tanstack/react-query";
import { AutoComplete, Form } from "antd";
import Input from "antd/es/input/Input";
import TextArea from "antd/es/input/TextArea";
import { useTranslation } from "react-i18next";
import { api, body, type Schemas } from "@/api/client";
import { problemOf } from "@/api/problem";
import { bytes } from "@/formats/amounts";
import { useProblemWords } from "@/words/told";
import { useRules } from "./form";

const imagesQuery = {
  queryKey: ["images"],
  queryFn: () => body(api.GET("/api/v1/images")),
  staleTime: 15_000,
  retry: false,
};

/** An image that the user brought, and what it starts. */
export default function ImageFields({ registry }: { registry: string }) {
  const { t } = useTranslation("training");
  const rules = useRules();
  const images = useQuery(imagesQuery);
  const problem = useProblemWords(images.error ? problemOf(images.error) : undefined);
  const none = images.data?.items.length === 0;
  return (
    <>
      <Form.Item
        name="image"
        label={t("field_image")}
        rules={rules("image", true)}
        extra={
          images.isError ? (
            <span className="field-warning">{t("images_unknown", { why: problem.title })}</span>
          ) : (
            t(none ? "images_none" : "field_image_how", { registry })
          )
        }
      >
        <AutoComplete
          options={images.data?.items.map((image) => ({ value: image.reference, label: <Choice image={image} /> }))}
          showSearch={{ filterOption: (typed, option) => option?.value.includes(typed.trim()) ?? false }}
        >
          <Input className="mono" placeholder={`${registry}/…`} autoComplete="off" spellCheck={false} />
        </AutoComplete>
      </Form.Item>
      <Form.Item
        name="command_line"
        label={t("field_command_line")}
        rules={rules("command_line")}
        extra={t("field_command_line_how")}
      >
        <TextArea className="mono" autoSize={{ minRows: 1, maxRows: 8 }} spellCheck={false} />
      </Form.Item>
    </>
  );
}

function Choice({ image }: { image: Schemas["Image"] }) {
  return (
    <span className="image-choice">
      <span className="mono">{`${image.repository}:${image.tag}`}</span>
      <span className="quiet tabular">{`${bytes(image.size_bytes)} · ${image.architectures.join(", ")}`}</span>
    </span>
  );
}
