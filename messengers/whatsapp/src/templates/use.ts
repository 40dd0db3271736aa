import { DeliveryError } from "gangway-messenger/errors";
import type { FilePart, TemplateUse } from "gangway-messenger/message";
import type { CloudApi } from "../api.ts";
import { mediumOf } from "../sending/media.ts";
import type { Context } from "../server.ts";
import { nameAndLanguage } from "./codes.ts";
import { KNOWN, shapeAt } from "./shapes.ts";

type Component = Record<string, unknown>;

/** The wire's form of a message by template. Throws DeliveryError. */
export async function templateMessage(
  context: Context,
  api: CloudApi,
  { code, header, body, buttons }: TemplateUse,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const shape = await shapeAt(context, code);
  if (shape.unusable) throw refused(`this template cannot be sent from the CRM: ${shape.unusable}`);
  if (shape.file && !header) throw noFile();
  const { name, language } = nameAndLanguage(code);
  const components: Component[] = [];
  if (header) components.push(...(await headerComponent(context, api, { ...header, names: shape.header }, signal)));
  if (body.length > 0) components.push({ type: "body", parameters: textParameters(body, shape.body) });
  components.push(...buttonComponents(buttons, shape.buttons));
  const template = { name, language: { code: language }, ...(components.length > 0 && { components }) };
  return { type: "template", template };
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);
const noFile = () => refused("the template needs a file above its text");

async function headerComponent(
  context: Context,
  api: CloudApi,
  { type, values, files, names }: NonNullable<TemplateUse["header"]> & { names?: string[] },
  signal: AbortSignal,
): Promise<Component[]> {
  if (type === "text") return values.length > 0 ? [{ type: "header", parameters: textParameters(values, names) }] : [];
  const [file] = files;
  if (!file) throw noFile();
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
  // Meta would accept another one, and report later that it has not arrived.
  if (!medium || (type !== "document" && medium.kind !== type)) throw refused(UNFIT[type]);
  return { ...medium.source, ...(type === "document" && medium.name && { filename: medium.name }) };
}

const UNFIT = {
  image: "the template needs a picture above its text: JPEG or PNG, of at most 5 MB",
  video: "the template needs a video above its text: MP4, of at most 16 MB",
  document: "WhatsApp does not take files of this type",
};

type ButtonUse = TemplateUse["buttons"][number];

/** An index counts all buttons of the template. `kinds`: of all, where some are unknown to the gateway. */
function buttonComponents(buttons: ButtonUse[], kinds: string[] | undefined): Component[] {
  if (!kinds) return buttons.flatMap(buttonComponent);
  const rest = [...buttons];
  return kinds.flatMap((kind, index) => {
    // Meta refuses a template whose flow is not named (131009), and accepts it without parameters.
    if (kind === "FLOW") return [{ type: "button", sub_type: "flow", index: String(index) }];
    const button = KNOWN.includes(kind) ? rest.shift() : undefined;
    return button ? buttonComponent(button, index) : [];
  });
}

function buttonComponent({ type, values: [value] }: ButtonUse, index: number): Component[] {
  if (value === undefined || type === "phone") return [];
  const parameter = type === "url" ? textParameter(value) : { type: "payload", payload: value };
  const sub_type = type === "url" ? "url" : "quick_reply";
  return [{ type: "button", sub_type, index: String(index), parameters: [parameter] }];
}

const textParameters = (values: string[], names: string[] = []) =>
  values.map((value, n) => textParameter(value, names[n]));

/** Meta refuses values with line ends, tabs or more than four spaces in a row (132018). */
const textParameter = (value: string, name?: string) => ({
  type: "text",
  ...(name !== undefined && { parameter_name: name }),
  text: value.replace(/[\r\n\t]+/g, " ").replace(/ {5,}/g, "    ") || "-",
});
