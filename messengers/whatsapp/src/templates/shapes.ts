import * as z from "zod";
import type { Context } from "../server.ts";
import { codeOf } from "./codes.ts";
import { variablesOf } from "./variables.ts";
import type { WireTemplate } from "./wire.ts";

// What sending a template needs and the gateway does not carry. It is noted when the list of templates is read.

const shape = z.object({
  /** Names of the variables, where they have names, in the order of their numbers at the gateway. */
  header: z.array(z.string()).optional(),
  body: z.array(z.string()).optional(),
  /** Kinds of all buttons, if the gateway does not know some: an index counts them all. */
  buttons: z.array(z.string()).optional(),
  /** A file stands above its text. */
  file: z.literal(true).optional(),
  /** Why it cannot be sent from the CRM. */
  unusable: z.string().optional(),
});
export type Shape = z.infer<typeof shape>;
/** By code; an account has 6,000 at most, and only one is read at a time. */
const shapes = z.record(z.string(), z.unknown());

const KEY = "shapes";

/** For a template that the gateway carries completely: empty. */
export async function shapeAt({ notes }: Pick<Context, "notes">, code: string): Promise<Shape> {
  const stored = await notes.get(KEY);
  return stored ? shape.parse(shapes.parse(JSON.parse(stored))[code] ?? {}) : {};
}

export async function noteShapes({ notes }: Pick<Context, "notes">, templates: WireTemplate[]): Promise<void> {
  const all = templates.map((each): [string, Shape] => [codeOf(each.name, each.language), shapeOf(each)]);
  const known = Object.fromEntries(all.filter(([, each]) => Object.keys(each).length > 0));
  await notes.set([{ key: KEY, value: JSON.stringify(known) }]);
}

export function shapeOf(template: WireTemplate): Shape {
  const names = namesOf(template);
  const kinds = template.components?.find(({ type }) => type === "BUTTONS")?.buttons?.map(({ type }) => type) ?? [];
  const header = template.components?.find(({ type }) => type === "HEADER")?.format ?? "TEXT";
  const unusable = unusableOf(template);
  return {
    ...names,
    ...(FILES.includes(header) && { file: true }),
    ...(kinds.some((kind) => !KNOWN.includes(kind)) && { buttons: kinds }),
    ...(unusable && { unusable }),
  };
}

/** Empty where variables are numbers. 360dialog need not tell the format. */
function namesOf({ parameter_format: format, components }: WireTemplate): Pick<Shape, "header" | "body"> {
  const variables = (type: string) => variablesOf(components?.find((each) => each.type === type)?.text);
  const [header, body] = [variables("HEADER"), variables("BODY")];
  const isNamed = format?.toUpperCase() === "NAMED" || [...header, ...body].some((name) => !/^\d+$/.test(name));
  return isNamed ? { header, body } : {};
}

/** Kinds of buttons that the gateway has, too. */
export const KNOWN = ["QUICK_REPLY", "URL", "PHONE_NUMBER"];
/** Kinds that are sent without a value from the agent. */
const FREE = [...KNOWN, "FLOW", "VOICE_CALL"];
const FILES = ["IMAGE", "VIDEO", "DOCUMENT"];

/** What Meta requires when sending and the gateway cannot express (docs/whatsapp/templates). */
function unusableOf({ components }: WireTemplate): string | undefined {
  if (!components) return "the CRM's chats do not know its parts";
  for (const { type, format = "TEXT", buttons } of components) {
    if (type === "CAROUSEL") return "the CRM's chats cannot fill in the cards of its carousel";
    if (type === "LIMITED_TIME_OFFER") return "the CRM's chats cannot say when its offer ends";
    if (!["HEADER", "BODY", "FOOTER", "BUTTONS"].includes(type)) return `the CRM's chats do not know its part ${type}`;
    if (format === "LOCATION") return "the CRM's chats cannot give the place above its text";
    if (format !== "TEXT" && !FILES.includes(format))
      return `the CRM's chats do not know what stands above its text (${format})`;
    for (const button of buttons ?? []) {
      const why = unusableButton(button);
      if (why) return why;
    }
  }
  return undefined;
}

function unusableButton({ type, url }: { type: string; url?: string }): string | undefined {
  if (type === "COPY_CODE") return "the CRM's chats cannot fill in the code that its button copies";
  if (["CATALOG", "MPM", "SPM"].includes(type)) return "the CRM's chats cannot name products of a catalogue";
  if (!FREE.includes(type)) return `the CRM's chats do not know its kind of button (${type})`;
  return variablesOf(url).length > 1 ? "the address of its button has several variables" : undefined;
}
