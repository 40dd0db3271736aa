import type { Fault, Strings } from "./props.ts";

/** A sentence that explains why connecting failed. */
export const connectFaultText = ({ faults }: Strings, fault: Fault): string =>
  (faults[fault.code] ?? faults.refused)?.(fault.missing?.join(", ") ?? fault.detail ?? "") ?? fault.code;

/** A sentence that explains why a channel was refused. */
export function channelFaultText({ channelFaults, settingFaults }: Strings, fault: Fault): string {
  if (fault.code !== "setting") return channelFaults[fault.code]?.(fault.detail ?? "") ?? fault.code;
  return (
    sentence(fault.message ?? "") || settingFaults[fault.rule ?? "form"]?.(String(fault.limit ?? "")) || fault.code
  );
}

/** Adapter messages start in lower case: "should be a colour such as #0f5f6b". */
const sentence = (words: string): string => words && words.charAt(0).toUpperCase() + words.slice(1);

/** The form control that a fault concerns; undefined for the whole form. */
export const faultField = (fault: Fault | undefined): string | undefined =>
  fault?.code === "name" ? "name" : fault?.code === "setting" ? `setting.${fault.field}` : undefined;
