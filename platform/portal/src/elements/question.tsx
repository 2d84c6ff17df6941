import { Modal } from "antd";
import { type ReactNode, useState } from "react";
import { useFocusBack } from "./focus";

export interface Question {
  title: string;
  /** What it means to say yes, and what else is to be chosen. */
  content: ReactNode;
  okText: string;
  cancelText?: string;
  danger?: boolean;
  onOk: () => unknown;
}

/** Yes or no; it closes when what was asked for is done. */
export default function QuestionDialog({
  title,
  content,
  okText,
  cancelText,
  danger,
  onOk,
  onClose,
}: Question & { onClose: (confirmed: boolean) => void }) {
  useFocusBack();
  const [busy, setBusy] = useState(false);
  async function confirm() {
    setBusy(true);
    try {
      await onOk();
    } finally {
      onClose(true);
    }
  }
  return (
    <Modal
      open
      width={416}
      title={title}
      okText={okText}
      cancelText={cancelText}
      okButtonProps={{ danger }}
      confirmLoading={busy}
      onOk={confirm}
      onCancel={() => onClose(false)}
    >
      {content}
    </Modal>
  );
}
