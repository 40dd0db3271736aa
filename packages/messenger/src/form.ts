import * as z from "zod";

export type Schema = z.ZodType;

/** A field of a settings form, generated from the messenger's schema. */
export interface FormField {
  name: string;
  control: "text" | "number" | "long" | "list" | "checkbox" | "colour" | "select" | "secret";
  required: boolean;
  maxLength?: number;
  choices?: string[];
  initial?: unknown;
}

interface Property {
  type?: string;
  maxLength?: number;
  pattern?: string;
  enum?: string[];
  default?: unknown;
  hidden?: boolean;
  secret?: boolean;
}

/** Longer texts get a textarea. */
const ONE_LINE_LENGTH = 120;

/** Cache: every channel on a page needs its fields, and generating them is most of a form's cost. */
const cache = new WeakMap<Schema, readonly FormField[]>();

/** The visible fields; fields with `hidden` in their meta are internal. */
export function formFields(schema: Schema): readonly FormField[] {
  const fields = cache.get(schema) ?? generate(schema);
  cache.set(schema, fields);
  return fields;
}

function generate(schema: Schema): FormField[] {
  const json = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return Object.entries(json.properties ?? {})
    .filter(([, property]) => !property.hidden)
    .map(([name, property]) => ({
      name,
      control: controlOf(property),
      required: json.required?.includes(name) ?? false,
      maxLength: property.maxLength,
      choices: property.enum,
      initial: property.default,
    }));
}

function controlOf(property: Property): FormField["control"] {
  if (property.secret) return "secret";
  if (property.enum) return "select";
  if (property.type === "array") return "list";
  if (property.type === "boolean") return "checkbox";
  if (property.type === "number" || property.type === "integer") return "number";
  if (property.pattern?.includes("#")) return "colour";
  return (property.maxLength ?? 0) > ONE_LINE_LENGTH ? "long" : "text";
}
