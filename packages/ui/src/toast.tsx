import type { Child } from "hono/jsx";
import { Alert } from "./alert.tsx";

interface Props {
  children: Child;
  /** How it is undone, where it can be. */
  action?: Child;
}

/** What was done. The pages' script lets it float and go, but not from under a pointer or the focus; without it, it is an alert. */
export const Toast = ({ children, action }: Props) => (
  <div class="toast" data-toast>
    <Alert tone="success" role="status">
      <div class="toast-line">
        <p>{children}</p>
        {action}
      </div>
    </Alert>
  </div>
);
