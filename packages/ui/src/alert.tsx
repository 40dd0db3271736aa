import type { Child } from "hono/jsx";
import { Icon, type IconName } from "./icon.tsx";

const LOOKS = {
  danger: { style: "problem", icon: "triangle-alert" },
  warning: { style: "notice", icon: "clock" },
  info: { style: "info", icon: "info" },
  success: { style: "done", icon: "circle-check" },
} as const satisfies Record<string, { style: string; icon: IconName }>;

interface Props {
  tone: keyof typeof LOOKS;
  title?: Child;
  /** `alert`: read out at once; `status`: when the reader is idle. */
  role?: "alert" | "status";
  children?: Child;
}

/** Asks for attention: an icon, a title, and below them what to do. */
export function Alert({ tone, title, role, children }: Props) {
  const { style, icon } = LOOKS[tone];
  return (
    <div class={`alert ${style}`} role={role}>
      <Icon name={icon} />
      <div>
        {title && <p class="alert-title">{title}</p>}
        {children}
      </div>
    </div>
  );
}
