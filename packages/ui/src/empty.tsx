import type { Child } from "hono/jsx";
import { Icon, type IconName } from "./icon.tsx";

/** Takes the place of an empty list: why it is empty, and what to do. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: Child }) => (
  <div class="empty">
    <Icon name={icon} />
    <p class="empty-title">{title}</p>
    {children}
  </div>
);
