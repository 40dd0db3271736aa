import { DeliveryError } from "../../domain/delivery.ts";
import type { FilePart, TemplateUse } from "../../domain/message.ts";
import type { CloudApi } from "./api.ts";
import { mediumOf } from "./media.ts";
import type { Context } from "./server.ts";

/** A template's code: its name, and its language, since Meta reviews each language on its own. */
export const codeOf = (name: string, language: string): string => `${name}|${language}`;
export function nameAndLanguage(code: string): { name: string; language: string } {
  const at = code.lastIndexOf("|");
  return at > 0 ? { name: code.slice(0, at), language: code.slice(at + 1) } : { name: code, language: "en" };
}

type Component = Record<string, unknown>;

/** The wire's form of a message by template. Throws DeliveryError. */
export async function templateMessage(
  context: Context,
  api: CloudApi,
  { code, header, body, buttons }: TemplateUse,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const { name, language } = nameAndLanguage(code);
  const components: Component[] = [];
  if (header) components.push(...(await headerComponent(context, api, header, signal)));
  if (body.length > 0) components.push({ type: "body", parameters: body.map(textParameter) });
  for (const [index, button] of buttons.entries()) components.push(...buttonComponent(button, index));
  const template = { name, language: { code: language }, ...(components.length > 0 && { components }) };
  return { type: "template", template };
}

async function headerComponent(
  context: Context,
  api: CloudApi,
  { type, values, files }: NonNullable<TemplateUse["header"]>,
  signal: AbortSignal,
): Promise<Component[]> {
  if (type === "text") return values.length > 0 ? [{ type: "header", parameters: values.map(textParameter) }] : [];
  const [file] = files;
  if (!file) throw new DeliveryError({ type: "reject", code: "general" }, "the template needs a file above its text");
  return [{ type: "header", parameters: [{ type, [type]: await fileParameter(context, api, type, file, signal) }] }];
}

async function fileParameter(
  context: Context,
  api: CloudApi,
  type: "image" | "video" | "document",
  file: FilePart,
  signal: AbortSignal,
) {
  const medium = await mediumOf(context, api, { kind: type === "image" ? "image" : "file" }, file, signal);
  // Meta would accept another, and say later that it has not arrived.
  if (!medium || (type !== "document" && medium.kind !== type))
    throw new DeliveryError({ type: "reject", code: "general" }, UNFIT[type]);
  return { ...medium.source, ...(type === "document" && medium.name && { filename: medium.name }) };
}

const UNFIT = {
  image: "the template needs a picture above its text: JPEG or PNG, of at most 5 MB",
  video: "the template needs a video above its text: MP4, of at most 16 MB",
  document: "WhatsApp does not take files of this type",
};

function buttonComponent({ type, values }: TemplateUse["buttons"][number], index: number): Component[] {
  const [value] = values;
  if (value === undefined || type === "phone") return [];
  return type === "url"
    ? [{ type: "button", sub_type: "url", index: String(index), parameters: [textParameter(value)] }]
    : [
        {
          type: "button",
          sub_type: "quick_reply",
          index: String(index),
          parameters: [{ type: "payload", payload: value }],
        },
      ];
}

/** Meta refuses values with line ends, tabs or more than four spaces in a row (132018). */
const textParameter = (value: string) => ({
  type: "text",
  text: value.replace(/[\r\n\t]+/g, " ").replace(/ {5,}/g, "    ") || "-",
});
