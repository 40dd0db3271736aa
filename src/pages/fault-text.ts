import { listText } from "gangway-messenger/language";
import { ended, sentence } from "../domain/explanations.ts";
import type { Fault, Strings } from "./props.ts";

/** A sentence that explains why connecting failed. */
export function connectFaultText({ faults, language }: Strings, { code, detail, missing = [] }: Fault): string {
  const { rights, "refused-because": because, ...plain } = faults;
  if (code === "rights") return rights({ missing: listText(language, missing) });
  if (code in plain && (code !== "refused" || !detail)) return plain[code as keyof typeof plain];
  return detail ? because({ detail }) : plain.refused;
}

/** The field of the connect form that a fault concerns; undefined for the whole form. */
export const connectField = ({ code }: Fault): "crmUrl" | "apiKey" | undefined => CONNECT_FIELDS[code];
const CONNECT_FIELDS: Record<string, "crmUrl" | "apiKey"> = {
  "address-form": "crmUrl",
  "address-host": "crmUrl",
  "not-a-crm": "crmUrl",
  unreachable: "crmUrl",
  blocked: "crmUrl",
  "no-account": "crmUrl",
  "key-missing": "apiKey",
  "wrong-key": "apiKey",
  "no-access": "apiKey",
  rights: "apiKey",
};

/** A sentence that explains why a channel was refused. */
export function channelFaultText({ channelFaults, settingFaults }: Strings, fault: Fault): string {
  const { code, detail = "", message, rule = "form", limit = 0 } = fault;
  if (code === "setting") return sentence(message ?? "") || textOf(settingFaults, rule, { limit }) || code;
  return textOf(channelFaults, code, { detail: ended(detail) }) || code;
}

/** A sentence that explains why a login at a messenger led to nothing. */
export const loginFaultText = ({ logins }: Strings, { code, detail = "" }: Fault, title: string): string =>
  textOf(logins.faults, code, { title, detail: ended(detail) }) || code;

type Texts<Values> = Record<string, string | ((values: Values) => string)>;

function textOf<Values>(texts: Texts<Values>, code: string, values: Values): string {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined;
  return typeof text === "function" ? text(values) : (text ?? "");
}

/** The form control that a fault concerns; undefined for the whole form. */
export const faultField = (fault: Fault | undefined): string | undefined =>
  fault?.code === "name" ? "name" : fault?.code === "setting" ? `setting.${fault.field}` : undefined;
