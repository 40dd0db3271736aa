import { z } from "zod";

export type Schema = z.ZodType;

/** A field of a messenger's settings form, drawn from its schema. */
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

/** Longer texts get room for several lines. */
const ONE_LINE = 120;

/** A page asks for the same few schemas once a channel, and drawing one is most of what its form costs. */
const drawnBefore = new WeakMap<Schema, readonly FormField[]>();

/** The visible fields; those with `hidden` in their meta are the server's own. */
export function formFields(schema: Schema): readonly FormField[] {
  const known = drawnBefore.get(schema) ?? draw(schema);
  drawnBefore.set(schema, known);
  return known;
}

function draw(schema: Schema): FormField[] {
  const drawn = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as {
    properties?: Record<string, Property>;
    required?: string[];
  };
  return Object.entries(drawn.properties ?? {})
    .filter(([, property]) => !property.hidden)
    .map(([name, property]) => ({
      name,
      control: controlOf(property),
      required: drawn.required?.includes(name) ?? false,
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
  return (property.maxLength ?? 0) > ONE_LINE ? "long" : "text";
}
