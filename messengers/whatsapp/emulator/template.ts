import { GraphRefusal } from "gangway-meta/emulator/graph-error";
import { z } from "zod";

export type TemplateStatus =
  | "APPROVED"
  | "PENDING"
  | "REJECTED"
  | "PAUSED"
  | "DISABLED"
  | "IN_APPEAL"
  | "PENDING_DELETION";
export interface Template {
  id: string;
  name: string;
  language: string;
  status: TemplateStatus;
  category: string;
  previousCategory?: string;
  parameterFormat: "POSITIONAL" | "NAMED";
  components: TemplateComponent[];
  quality: "GREEN" | "YELLOW" | "RED" | "UNKNOWN";
  rejectedReason: string;
}

const upper = <Shape extends z.ZodType>(shape: Shape) =>
  z.preprocess((value) => (typeof value === "string" ? value.toUpperCase() : value), shape);
const BUTTONS = [
  ...["QUICK_REPLY", "URL", "PHONE_NUMBER", "COPY_CODE", "OTP", "FLOW", "CATALOG", "MPM", "VOICE_CALL", "APP"],
  ...["ORDER_DETAILS", "REQUEST_CONTACT_INFO", "SPM"],
];
const button = z.looseObject({
  type: upper(z.enum(BUTTONS)),
  text: z.string().min(1).max(25).optional(),
  url: z.string().max(2000).optional(),
  phone_number: z.string().max(20).optional(),
  example: z.union([z.string(), z.array(z.string())]).optional(),
});
const example = z.looseObject({
  header_text: z.array(z.string()).optional(),
  header_handle: z.array(z.string()).optional(),
  body_text: z.array(z.array(z.string())).optional(),
  body_text_named_params: z.array(z.looseObject({ param_name: z.string(), example: z.string() })).optional(),
  header_text_named_params: z.array(z.looseObject({ param_name: z.string(), example: z.string() })).optional(),
});
const component = z.looseObject({
  type: upper(z.enum(["HEADER", "BODY", "FOOTER", "BUTTONS", "CAROUSEL", "LIMITED_TIME_OFFER"])),
  format: upper(z.enum(["TEXT", "IMAGE", "VIDEO", "DOCUMENT", "LOCATION", "PRODUCT", "GIF"])).optional(),
  text: z.string().min(1).max(1024).optional(),
  example: example.optional(),
  buttons: z.array(button).min(1).max(10).optional(),
});
export type TemplateComponent = z.infer<typeof component>;

const category = upper(z.enum(["MARKETING", "UTILITY", "AUTHENTICATION"]));
const components = z.array(component).min(1);
const creation = z.strictObject({
  name: z.string().min(1).max(512),
  language: z.string().min(2),
  category,
  parameter_format: upper(z.enum(["POSITIONAL", "NAMED"])).optional(),
  allow_category_change: z.boolean().optional(),
  components,
  message_send_ttl_seconds: z.union([z.int(), z.string()]).optional(),
  cta_url_link_tracking_opted_out: z.boolean().optional(),
});
export type TemplateCreation = z.infer<typeof creation>;
const change = z.strictObject({
  name: z.string().optional(),
  language: z.string().optional(),
  category: category.optional(),
  components: components.optional(),
  message_send_ttl_seconds: z.union([z.int(), z.string()]).optional(),
});
export type TemplateChange = z.infer<typeof change>;

export const creationOf = (body: unknown): TemplateCreation => {
  const read = parse(creation, body);
  if (!/^[a-z0-9_]+$/.test(read.name))
    throw templateRefusal(
      2388019,
      "Message template name is invalid",
      "Message template name can only contain lowercase letters, numbers and underscores.",
    );
  checkComponents(read.components, read.parameter_format ?? "POSITIONAL");
  return read;
};
export const changeOf = (body: unknown, format: Template["parameterFormat"]): TemplateChange => {
  const read = parse(change, body);
  if (read.components) checkComponents(read.components, format);
  return read;
};

/** Refusals of templates carry words for people. */
export const templateRefusal = (subcode: number, title: string, text: string): GraphRefusal =>
  new GraphRefusal(400, {
    message: "Invalid parameter",
    type: "OAuthException",
    code: 100,
    error_subcode: subcode,
    is_transient: false,
    error_user_title: title,
    error_user_msg: text,
  });

function parse<T>(shape: z.ZodType<T>, body: unknown): T {
  const parsed = shape.safeParse(body);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue ? z.core.toDotPath(issue.path) : "";
  const said =
    issue?.code === "unrecognized_keys" ? `Unexpected key "${issue.keys[0]}"` : (issue?.message ?? "Invalid");
  throw new GraphRefusal(400, {
    message: `(#100) Param ${path || "body"}: ${said}`,
    type: "OAuthException",
    code: 100,
  });
}

const MAX: Record<string, number> = { HEADER: 60, BODY: 1024, FOOTER: 60 };

function checkComponents(list: TemplateComponent[], format: Template["parameterFormat"]): void {
  const types = list.map(({ type }) => type);
  if (new Set(types).size !== types.length) throw badComponents("Each component type may occur once.");
  const body = list.find(({ type }) => type === "BODY");
  if (!body) throw badComponents("A component of type BODY is required.");
  for (const each of list.flatMap(({ buttons = [] }) => buttons)) checkButton(each);
  for (const each of list) {
    if (each.text && each.text.length > (MAX[each.type] ?? 1024))
      throw badComponents(`${each.type} is longer than ${MAX[each.type]} characters.`);
    checkText(each, format);
  }
}

function checkButton({ type, url = "", example }: NonNullable<TemplateComponent["buttons"]>[number]): void {
  const variables = variablesOf(url);
  if (variables.length > 1 || (variables.length === 1 && !/\}\}$/.test(url)))
    throw badComponents("A button's URL can have one variable, at its end.");
  const needs = variables.length > 0 || type === "COPY_CODE";
  if (needs && (example === undefined || example.length === 0)) throw missingExample("BUTTONS");
}

function checkText({ type, text = "", example }: TemplateComponent, format: Template["parameterFormat"]): void {
  const names = variablesOf(text);
  if (names.length === 0) {
    if (/\{\{|\}\}/.test(text)) throw badComponents(`${type}: variables are written {{1}} or {{name}}.`, 2388049);
    return;
  }
  if (type === "FOOTER") throw badComponents("The footer can't have variables.", 2388073);
  if (type === "HEADER" && names.length > 1) throw badComponents("The header can have one variable.", 2388047);
  if (/^\s*\{\{|\}\}\s*$/.test(text) && type === "BODY")
    throw templateRefusal(
      2388299,
      "Variables can't be at the start or end of the template.",
      "Your template has a variable at its start or end.",
    );
  const expected = format === "NAMED" ? names : names.map((_, n) => String(n + 1));
  if (format === "POSITIONAL" && names.join() !== expected.join())
    throw badComponents("Variables must be numbered in order, from {{1}}.", 2388049);
  if (format === "NAMED" && names.some((name) => !/^[a-z][a-z0-9_]*$/.test(name)))
    throw badComponents("Variable names can only contain lowercase letters, numbers and underscores.", 2388049);
  if (examplesIn(type, format, example) !== names.length) throw missingExample(type);
}

function examplesIn(type: string, format: string, example: TemplateComponent["example"]): number {
  if (format === "NAMED")
    return (type === "BODY" ? example?.body_text_named_params : example?.header_text_named_params)?.length ?? 0;
  return (type === "BODY" ? example?.body_text?.[0] : example?.header_text)?.length ?? 0;
}

const badComponents = (text: string, subcode = 2388072) =>
  templateRefusal(subcode, "The message template's format is incorrect", text);
const missingExample = (type: string) =>
  templateRefusal(
    2388043,
    'Message template "components" param is missing expected field(s)',
    `component of type ${type} is missing expected field(s) (example)`,
  );

/** Of a header that is a file: its example is no handle of such a file. */
export const missingFile = (format: string) =>
  templateRefusal(
    2388273,
    'Message template "components" param is missing expected field(s)',
    `Templates with ${format} header type need an example/sample, but it was not provided`,
  );

/** Names or numbers of a text's variables, each once, in order. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name = ""]) => name)),
];

export const componentOf = ({ components: list }: Template, type: string): TemplateComponent | undefined =>
  list.find((each) => each.type === type);
