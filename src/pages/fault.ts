import type { Fault, Strings } from "./props.ts";

/** Why an account was not connected, in a sentence. */
export const connectWords = ({ faults }: Strings, fault: Fault): string =>
  (faults[fault.code] ?? faults.refused)?.(fault.missing?.join(", ") ?? fault.detail ?? "") ?? fault.code;

/** Why a channel is not as it was asked for, in a sentence. */
export function channelWords({ channelFaults, settingFaults }: Strings, fault: Fault): string {
  if (fault.code !== "setting") return channelFaults[fault.code]?.(fault.detail ?? "") ?? fault.code;
  return (
    sentence(fault.message ?? "") || settingFaults[fault.rule ?? "form"]?.(String(fault.limit ?? "")) || fault.code
  );
}

/** An adapter's words come as they stand in its schema: "should be a colour such as #0f5f6b". */
const sentence = (words: string): string => words && words.charAt(0).toUpperCase() + words.slice(1);

/** Which control of a channel's form a fault is about; undefined where it is about the whole. */
export const faultField = (fault: Fault | undefined): string | undefined =>
  fault?.code === "name" ? "name" : fault?.code === "setting" ? `setting.${fault.field}` : undefined;
