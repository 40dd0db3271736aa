import type { Child } from "hono/jsx";
import { Alert } from "./alert.tsx";

interface Props {
  children: Child;
  /** How to undo it, if possible. */
  action?: Child;
}

/**
 * Reports what was done. The pages' script makes it float and removes it after a while, unless it has the pointer or
 * the focus; without script it is an alert.
 */
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
