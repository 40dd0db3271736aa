import type { Child } from "hono/jsx";

/** ARIA attributes that link a control to its hint and problem. */
export interface Aria {
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
  /** The field at fault, so that it is in sight. */
  autofocus?: true;
}
interface LabelledProps {
  id: string;
  label: string;
  hint?: string;
  problem?: string;
  children: (aria: Aria) => Child;
}

export function Labelled({ id, label, hint, problem, children }: LabelledProps) {
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(" ");
  const aria: Aria = {
    "aria-describedby": described || undefined,
    "aria-invalid": problem ? "true" : undefined,
    autofocus: problem ? true : undefined,
  };
  return (
    <>
      <label for={id}>{label}</label>
      {children(aria)}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
