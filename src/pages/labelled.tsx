import type { Child } from "hono/jsx";
import { Found } from "./found.tsx";

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
  /** In place of a hint; has the id that it gets. */
  steps?: (id: string) => Child;
  problem?: string;
  /** What a check has found out; even without anything it makes room for the next one. */
  found?: Child;
  children: (aria: Aria) => Child;
}

export function Labelled({ id, label, hint, steps, problem, found, children }: LabelledProps) {
  const told = found === undefined ? problem && `${id}-problem` : `${id}-found`;
  const described = [(hint || steps) && `${id}-hint`, told].filter(Boolean).join(" ");
  const aria: Aria = {
    "aria-describedby": described || undefined,
    "aria-invalid": problem ? "true" : undefined,
    autofocus: problem ? true : undefined,
  };
  return (
    <>
      <label for={id}>{label}</label>
      {steps?.(`${id}-hint`)}
      {children(aria)}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {found !== undefined && (
        <Found field={id} problem={problem} role="alert">
          {found}
        </Found>
      )}
      {found === undefined && problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
