import { useQuery } from "@tanstack/react-query";
import { Button, Modal } from "antd";
import { Download } from "lucide-react";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { problemFrom } from "@/api/problem";
import { useFocusBack } from "@/elements/focus";
import { Answer } from "@/elements/states";
import { bytes } from "@/formats/amounts";
import { previewOf } from "./kinds";
import "./files.css";

const TEXT_BYTES = 256 * 1024;
const PICTURE_BYTES = 16 * 1024 * 1024;

async function content(address: string): Promise<Blob> {
  const response = await fetch(address);
  if (!response.ok) throw problemFrom(response, await response.json().catch(() => undefined));
  return response.blob();
}

/** A file without taking it away: text as it stands, a picture as one. */
export default function Preview({
  name,
  size,
  address,
  onClose,
}: {
  name: string;
  size: number;
  address: string;
  onClose: () => void;
}) {
  useFocusBack();
  const { t } = useTranslation("files");
  const kind = previewOf(name);
  const limit = kind === "picture" ? PICTURE_BYTES : TEXT_BYTES;
  const query = useQuery({
    queryKey: ["preview", address, size],
    queryFn: () => content(`${address}&limit_bytes=${limit}`),
    gcTime: 0,
  });
  return (
    <Modal
      open
      title={name}
      width={900}
      onCancel={onClose}
      footer={
        <Button href={address} download={name} icon={<Download size={15} aria-hidden />}>
          {t("download")}
        </Button>
      }
    >
      <Answer query={query}>
        {(blob) => (kind === "picture" ? <Picture blob={blob} name={name} /> : <Text blob={blob} name={name} />)}
      </Answer>
      {size > limit && <p className="quiet">{t("only_start", { size: bytes(limit) })}</p>}
    </Modal>
  );
}

function Picture({ blob, name }: { blob: Blob; name: string }) {
  const [address, setAddress] = useState<string>();
  useEffect(() => {
    // As a data: address, which the content security policy allows for pictures; blob: ones it does not.
    const reader = new FileReader();
    reader.onload = () => setAddress(String(reader.result));
    reader.readAsDataURL(blob);
    return () => reader.abort();
  }, [blob]);
  return <img className="preview-picture" src={address} alt={name} />;
}

function Text({ blob, name }: { blob: Blob; name: string }) {
  const [text, setText] = useState("");
  useEffect(() => {
    let current = true;
    blob.text().then((read) => current && setText(pretty(name, read)));
    return () => {
      current = false;
    };
  }, [blob, name]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <pre className="preview-text" tabIndex={0}>
      {text}
    </pre>
  );
}

/** JSON with indents; what is cut off or no JSON stays as it is. */
function pretty(name: string, text: string): string {
  if (!name.endsWith(".json")) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch (error) {
    if (error instanceof SyntaxError) return text;
    throw error;
  }
}
