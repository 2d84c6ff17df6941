import { message as messages, notification as notifications } from "antd";
import { useEffect } from "react";

export interface Notices {
  message: ReturnType<typeof messages.useMessage>[0];
  notification: ReturnType<typeof notifications.useNotification>[0];
}

/** Where what became of an action is shown; `onReady` gets the way to it. */
export default function NoticesHolder({ onReady }: { onReady: (notices: Notices) => void }) {
  const [message, messageHolder] = messages.useMessage();
  const [notification, notificationHolder] = notifications.useNotification({ placement: "bottomRight" });
  useEffect(() => onReady({ message, notification }), [message, notification, onReady]);
  return (
    <>
      {messageHolder}
      {notificationHolder}
    </>
  );
}
