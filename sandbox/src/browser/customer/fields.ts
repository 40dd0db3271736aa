import { el } from "gangway-messenger/kit/emulator/browser/dom";
import { choicesOf, type References } from "./references.ts";
import type { CustomField } from "./wire.ts";

/** A form's field of the account's own. An edit clears texts and lists only: the CRM drops null. */
export interface OwnField {
  element: HTMLElement;
  code: string;
  value(): unknown;
}

type Input = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const TYPES: Record<string, string> = { date: "date", email: "email", integer: "number", numeric: "number" };

export function ownField(field: CustomField, value: unknown, references: References): OwnField {
  const id = `crm-own-${field.code}`;
  const input = inputOf(field, id, value, references);
  const label = el("label", { for: id }, field.name);
  return {
    code: field.code,
    element: el("div", { class: "field" }, label, input),
    value: () => valueIn(field, input),
  };
}

function inputOf(field: CustomField, id: string, value: unknown, references: References): Input {
  const { type } = field;
  const given = value === undefined || value === null ? "" : String(value);
  // What has a value and cannot be cleared keeps one.
  const required = given !== "";
  if (type === "text") {
    const area = el("textarea", { id, rows: 2 });
    area.value = given;
    return area;
  }
  const own = [value].flat().map(String);
  const option = (code: string, name: string) => el("option", { value: code, selected: own.includes(code) }, name);
  if (type === "boolean")
    return el("select", { id }, ...(required ? [] : [option("", "")]), option("true", "Yes"), option("false", "No"));
  if (type.endsWith("dictionary")) {
    const multiple = type === "multiselect_dictionary";
    const choices = choicesOf(references, field).map(({ code, name }) => option(code, name));
    return el("select", { id, multiple }, ...(multiple || required ? [] : [option("", "")]), ...choices);
  }
  const step = type === "numeric" ? "any" : undefined;
  return el("input", { id, type: TYPES[type] ?? "text", step, value: given, required: required && type in TYPES });
}

function valueIn({ type }: CustomField, input: Input): unknown {
  if (type === "multiselect_dictionary" && input instanceof HTMLSelectElement)
    return [...input.selectedOptions].map(({ value }) => value);
  const { value } = input;
  if (value === "") return type === "string" || type === "text" ? "" : undefined;
  if (type === "boolean") return value === "true";
  return type === "integer" || type === "numeric" ? Number(value) : value;
}
