import type { Child } from "hono/jsx";
import { CheckResult } from "./check-result.tsx";

/** ARIA attributes that link a control to its hint and problem. */
export interface Aria {
  "aria-describedby"?: string;
  "aria-invalid"?: "true";
  /** Focuses the faulty field, so that it is in view. */
  autofocus?: true;
}
interface LabelledFieldProps {
  id: string;
  label: string;
  hint?: string;
  /** The hint is elsewhere: steps on the page carry its id. */
  described?: boolean;
  problem?: string;
  /** Result of a check; even an empty one leaves room for the next. */
  found?: Child;
  children: (aria: Aria) => Child;
}

export function LabelledField({
  id,
  label,
  hint,
  described: isDescribed,
  problem,
  found,
  children,
}: LabelledFieldProps) {
  const told = found === undefined ? problem && `${id}-problem` : `${id}-found`;
  const described = [(hint || isDescribed) && `${id}-hint`, told].filter(Boolean).join(" ");
  const aria: Aria = {
    "aria-describedby": described || undefined,
    "aria-invalid": problem ? "true" : undefined,
    autofocus: problem ? true : undefined,
  };
  return (
    <>
      <label for={id}>{label}</label>
      {children(aria)}
      {hint && !isDescribed && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {found !== undefined && (
        <CheckResult field={id} problem={problem} role="alert">
          {found}
        </CheckResult>
      )}
      {found === undefined && problem && (
        <p class="problem" id={`${id}-problem`} role="alert">
          {problem}
        </p>
      )}
    </>
  );
}
