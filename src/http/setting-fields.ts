import { formFields, type Schema } from "../pages/fields.ts";

/** Form strings as the schema wants them. */
export function readFields(schema: Schema, form: URLSearchParams): Record<string, unknown> {
  const fields = formFields(schema).map(({ name, control, required, initial }) => {
    const typed = form.get(`setting.${name}`);
    const value = (typed ?? "").replaceAll("\r\n", "\n");
    if (control === "checkbox") return [name, typed === "on"];
    if (control === "list") return [name, lines(value)];
    if (value !== "") return [name, control === "number" ? Number(value) : value];
    // A secret is never shown: left empty, it stays what it was.
    if (control === "secret") return undefined;
    // An optional text that is empty is absent; one with a default may well be empty.
    const isAbsent = typed === null || control === "number" || (!required && initial === undefined);
    return [name, isAbsent ? undefined : value];
  });
  return Object.fromEntries(fields.filter((field) => field !== undefined));
}

const lines = (value: string): string[] =>
  value
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter(Boolean);
