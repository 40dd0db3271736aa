import { formFields, type Schema } from "../../pages/fields.ts";

/** Converts form strings to the types of the schema. */
export function readFields(schema: Schema, form: URLSearchParams): Record<string, unknown> {
  const fields = formFields(schema).map(({ name, control, required, initial }) => {
    const typed = form.get(`setting.${name}`);
    const value = (typed ?? "").replaceAll("\r\n", "\n");
    if (control === "checkbox") return [name, typed === "on"];
    if (control === "list") return [name, lines(value)];
    if (value !== "") return [name, control === "number" ? Number(value) : value];
    // Secrets are never shown: an empty field keeps the stored one.
    if (control === "secret") return undefined;
    // An empty optional text is absent, unless it has a default.
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
