import * as z from "zod";
import { DeliveryError } from "../../domain/delivery.ts";
import type { Template, TemplateButton, TemplateDraft } from "../../domain/template.ts";
import { codeOf } from "./template-use.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined);
const texts = z.array(z.string()).nullish().catch(undefined);

const button = z.object({
  type: z.string(),
  text,
  url: text,
  phone_number: text,
  example: z.union([texts, z.string()]).nullish(),
});
const component = z.object({
  type: z.string(),
  format: text,
  text,
  example: z
    .object({
      header_text: texts,
      header_handle: texts,
      body_text: z.array(z.array(z.string())).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
  buttons: z.array(button).nullish(),
});
type Component = z.infer<typeof component>;

export const wireTemplate = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  name: z.string(),
  language: z.string(),
  status: text,
  category: text,
  rejected_reason: text,
  quality_score: z.object({ score: text }).nullish().catch(undefined),
  components: z.array(component).nullish().catch(undefined),
});

const STATUS: Record<string, Template["status"]> = {
  APPROVED: "approved",
  PENDING: "pending",
  IN_APPEAL: "pending",
  REJECTED: "rejected",
  PAUSED: "paused",
  DISABLED: "disabled",
  PENDING_DELETION: "disabled",
  DELETED: "disabled",
  LIMIT_EXCEEDED: "disabled",
  ARCHIVED: "disabled",
};
const QUALITY: Record<string, NonNullable<Template["quality"]>> = {
  GREEN: "high",
  YELLOW: "medium",
  RED: "low",
  UNKNOWN: "pending",
};
const REJECTION: Record<string, NonNullable<Template["rejection"]>> = {
  ABUSIVE_CONTENT: "abusive_content",
  INCORRECT_CATEGORY: "incorrect_category",
  TAG_CONTENT_MISMATCH: "incorrect_category",
  INVALID_FORMAT: "invalid_format",
  SCAM: "scam",
};

/** A template as Meta gives it; parts that the gateway has no words for are left out. */
export function templateOf(wire: z.infer<typeof wireTemplate>): Template {
  const { name, language, category = "utility", components } = wire;
  const part = (type: string) => components?.find((each) => each.type.toUpperCase() === type);
  const quality = QUALITY[wire.quality_score?.score ?? ""];
  const rejection = REJECTION[wire.rejected_reason?.toUpperCase() ?? ""];
  const footer = part("FOOTER")?.text;
  const header = headerOf(part("HEADER"));
  return {
    code: codeOf(name, language),
    name,
    language,
    category: category.toLowerCase(),
    status: STATUS[wire.status?.toUpperCase() ?? ""] ?? "pending",
    body: part("BODY")?.text ?? "",
    ...(header && { header }),
    ...(footer && { footer }),
    buttons: (part("BUTTONS")?.buttons ?? []).flatMap(buttonOf),
    ...(examplesOf(part("HEADER"), part("BODY"), part("BUTTONS")) ?? {}),
    ...(quality && { quality }),
    ...(rejection && { rejection }),
  };
}

function headerOf(header: Component | undefined): Template["header"] {
  const format = header?.format?.toLowerCase();
  if (format === "text") return { type: "text", text: header?.text ?? "" };
  return format === "image" || format === "video" || format === "document" ? { type: format } : undefined;
}

function buttonOf({ type, text: title = "", url, phone_number: phone }: z.infer<typeof button>): TemplateButton[] {
  if (type === "QUICK_REPLY") return [{ type: "plain", title }];
  if (type === "URL") return [{ type: "url", title, ...(url && { url }) }];
  return type === "PHONE_NUMBER" ? [{ type: "phone", title, ...(phone && { phone }) }] : [];
}

function examplesOf(header?: Component, body?: Component, buttons?: Component): Pick<Template, "examples"> | undefined {
  const ofHeader = header?.example?.header_text ?? undefined;
  const ofBody = body?.example?.body_text?.[0];
  const known = buttons?.buttons?.filter((each) => buttonOf(each).length > 0);
  const ofButtons = known?.map(valuesOfButton);
  const hasButtons = ofButtons?.some((each) => each.length > 0);
  if (!ofHeader && !ofBody && !hasButtons) return undefined;
  return {
    examples: {
      ...(ofHeader && { header: ofHeader }),
      ...(ofBody && { body: ofBody }),
      ...(hasButtons && { buttons: ofButtons }),
    },
  };
}

/** The address of the file that reviewers see above the text, if the template has one of this type. */
export function exampleAddress({ components }: z.infer<typeof wireTemplate>, type: string): string | undefined {
  const header = components?.find((each) => each.type.toUpperCase() === "HEADER");
  return headerOf(header)?.type === type ? header?.example?.header_handle?.[0] : undefined;
}

/** Meta shows whole addresses; ours are the values of their variables. */
function valuesOfButton({ url = "", example }: z.infer<typeof button>): string[] {
  const [fixed = ""] = url.split("{{");
  return [example ?? []].flat().map((each) => (fixed && each.startsWith(fixed) ? each.slice(fixed.length) : each));
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

/** Longest parts, characters. */
const HEADER_LENGTH = 60;
const BODY_LENGTH = 1_024;
const FOOTER_LENGTH = 60;
const BUTTON_LENGTH = 25;
const MAX_BUTTONS = 10;
const NAME_LENGTH = 512;

/** Meta's form of a name: small letters, digits and `_`. Throws DeliveryError. */
export function nameOf(given: string): string {
  const name = given
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, NAME_LENGTH);
  if (!name) throw refused("the template's name needs letters a to z or digits");
  return name;
}

/** The parts of a draft for Meta's review, but for a file above its text. Throws a `reject` that says what to change. */
export function componentsOf({ header, body, footer, buttons, examples = {} }: TemplateDraft): object[] {
  check(body.trim() !== "", "the template needs a text");
  check(body.length <= BODY_LENGTH, `the template's text has more than ${BODY_LENGTH} characters`);
  check((footer?.length ?? 0) <= FOOTER_LENGTH, `the template's footer has more than ${FOOTER_LENGTH} characters`);
  check(variablesIn(footer).length === 0, "the template's footer cannot have variables");
  check(buttons.length <= MAX_BUTTONS, `the template has more than ${MAX_BUTTONS} buttons`);
  const bodyValues = valuesFor(body, examples.body);
  return [
    ...(header?.type === "text" ? [headerComponent(header.text, examples.header)] : []),
    { type: "BODY", text: body, ...(bodyValues.length > 0 && { example: { body_text: [bodyValues] } }) },
    ...(footer ? [{ type: "FOOTER", text: footer }] : []),
    ...(buttons.length > 0
      ? [{ type: "BUTTONS", buttons: buttons.map((each, n) => buttonComponent(each, examples.buttons?.[n])) }]
      : []),
  ];
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw refused(otherwise);
}

function headerComponent(words = "", values?: string[]): object {
  check(words.length <= HEADER_LENGTH, `the template's header has more than ${HEADER_LENGTH} characters`);
  check(variablesIn(words).length <= 1, "the template's header can have one variable only");
  const known = valuesFor(words, values);
  return { type: "HEADER", format: "TEXT", text: words, ...(known.length > 0 && { example: { header_text: known } }) };
}

function buttonComponent({ type, title, url = "", phone = "" }: TemplateButton, values?: string[]): object {
  check(title.length > 0 && title.length <= BUTTON_LENGTH, `a button's title has 1 to ${BUTTON_LENGTH} characters`);
  if (type === "plain") return { type: "QUICK_REPLY", text: title };
  if (type === "phone") return { type: "PHONE_NUMBER", text: title, phone_number: phone };
  check(/^https?:\/\//.test(url), "the address of a button begins with https://");
  const example = valuesFor(url, values).map((value) => url.replace(VARIABLE, value));
  return { type: "URL", text: title, url, ...(example.length > 0 && { example }) };
}

const VARIABLE = /\{\{\s*(\d+)\s*\}\}/g;
const variablesIn = (words = ""): number[] => [...words.matchAll(VARIABLE)].map(([, number]) => Number(number));

/** An example for each variable: the reviewers see them. Variables count from 1 without a gap. */
function valuesFor(words: string, values: string[] = []): string[] {
  const numbers = [...new Set(variablesIn(words))].sort((a, b) => a - b);
  check(
    numbers.every((number, n) => number === n + 1),
    "the template's variables are numbered from 1, without a gap",
  );
  check(!/\{\{(?!\s*\d+\s*\}\})/.test(words), "a variable of a template is a number in double braces");
  return numbers.map((number) => values[number - 1] || `example ${number}`);
}
