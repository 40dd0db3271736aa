import type { Template, TemplateButton } from "gangway-messenger/template";
import { codeOf } from "./codes.ts";
import { shapeOf } from "./shapes.ts";
import { numbered, variablesOf } from "./variables.ts";
import type { Component, NamedExample, WireTemplate } from "./wire.ts";

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

/** A template from Meta; parts that the gateway cannot express are left out. */
export function templateOf(wire: WireTemplate): Template {
  const { name, language, category = "utility", components } = wire;
  const { header: headerNames, body: bodyNames, unusable } = shapeOf(wire);
  const part = (type: string) => components?.find((each) => each.type === type);
  const quality = QUALITY[wire.quality_score?.score ?? ""];
  const rejection = REJECTION[wire.rejected_reason?.toUpperCase() ?? ""];
  const footer = part("FOOTER")?.text;
  const header = headerOf(part("HEADER"), headerNames);
  const examples = examplesOf(part("HEADER"), part("BODY"), part("BUTTONS"));
  return {
    code: codeOf(name, language),
    name,
    language,
    category: category.toLowerCase(),
    status: STATUS[wire.status?.toUpperCase() ?? ""] ?? "pending",
    body: numbered(part("BODY")?.text ?? "", bodyNames),
    ...(header && { header }),
    ...(footer && { footer }),
    buttons: (part("BUTTONS")?.buttons ?? []).flatMap(buttonOf),
    ...(examples && { examples }),
    ...(quality && { quality }),
    ...(rejection && { rejection }),
    ...(unusable && { unusable }),
  };
}

function headerOf(header: Component | undefined, names?: string[]): Template["header"] {
  const format = header?.format;
  if (format === "TEXT") return { type: "text", text: numbered(header?.text ?? "", names) };
  if (format === "IMAGE") return { type: "image" };
  if (format === "VIDEO") return { type: "video" };
  return format === "DOCUMENT" ? { type: "document" } : undefined;
}

type Button = NonNullable<Component["buttons"]>[number];

function buttonOf({ type, text: title = "", url, phone_number: phone }: Button): TemplateButton[] {
  if (type === "QUICK_REPLY") return [{ type: "plain", title }];
  if (type === "URL") return [{ type: "url", title, ...(url && { url: numbered(url, variablesOf(url)) }) }];
  return type === "PHONE_NUMBER" ? [{ type: "phone", title, ...(phone && { phone }) }] : [];
}

function examplesOf(header?: Component, body?: Component, buttons?: Component): Template["examples"] {
  const ofHeader = header?.example?.header_text ?? inOrder(header, header?.example?.header_text_named_params);
  const ofBody = body?.example?.body_text?.[0] ?? inOrder(body, body?.example?.body_text_named_params);
  const known = buttons?.buttons?.filter((each) => buttonOf(each).length > 0);
  const ofButtons = known?.map(valuesOfButton);
  const hasButtons = ofButtons?.some((each) => each.length > 0);
  if (!ofHeader && !ofBody && !hasButtons) return undefined;
  return {
    ...(ofHeader && { header: ofHeader }),
    ...(ofBody && { body: ofBody }),
    ...(hasButtons && { buttons: ofButtons }),
  };
}

/** Examples by name, in the order in which the text has the names. */
function inOrder(part: Component | undefined, examples: NamedExample[] | null | undefined): string[] | undefined {
  const exampleOf = (name: string) => examples?.find(({ param_name }) => param_name === name)?.example ?? "";
  return examples?.length ? variablesOf(part?.text).map(exampleOf) : undefined;
}

/** The address of the file that reviewers see above the text, if the template has one of this type. */
export function exampleAddress({ components }: WireTemplate, type: string): string | undefined {
  const header = components?.find((each) => each.type === "HEADER");
  return headerOf(header)?.type === type ? header?.example?.header_handle?.[0] : undefined;
}

/** Meta shows whole URLs; ours are the values of their variables. */
function valuesOfButton({ url = "", example }: Button): string[] {
  const [fixed = ""] = url.split("{{");
  return [example ?? []].flat().map((each) => (fixed && each.startsWith(fixed) ? each.slice(fixed.length) : each));
}
