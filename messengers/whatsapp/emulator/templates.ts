import type { Asked } from "gangway-meta/emulator/graph";
import { unknownField } from "gangway-meta/emulator/graph-error";
import { listed } from "gangway-meta/emulator/listing";
import { withMetasWords } from "./authentication.ts";
import { badParam } from "./codes.ts";
import { exampleUrl } from "./example-uploads.ts";
import { announce, type Network } from "./network.ts";
import { ownAccount, ownTemplate } from "./owned.ts";
import {
  changeOf,
  creationOf,
  missingFile,
  type Template,
  type TemplateComponent,
  type TemplateStatus,
  templateRefusal,
} from "./template.ts";
import type { Account } from "./world.ts";

/** POST /{account id}/message_templates. */
export function createTemplate(network: Network, asked: Asked): object {
  const account = ownAccount(network, asked, "post");
  const { name, language, category, parameter_format = "POSITIONAL", components: given } = creationOf(asked.body);
  const components = shownParts(network, category, given);
  if (!/^[a-z]{2,3}(_[A-Za-z]{2,4})?$/.test(language))
    throw badParam(`Param language must be one of the supported languages - got "${language}".`);
  if ([...account.templates.values()].some((each) => each.name === name && each.language === language))
    throw templateRefusal(
      2388024,
      "Content in This Language Already Exists",
      `There is already ${language} content for this template. You can create a new template and try again.`,
    );
  const template: Template = {
    id: String(Math.floor(1e14 + network.core.random() * 8e14)),
    name,
    language,
    category,
    status: "PENDING",
    parameterFormat: parameter_format,
    components,
    quality: "UNKNOWN",
    rejectedReason: "NONE",
  };
  account.templates.set(template.id, template);
  submit(network, account, template);
  return { id: template.id, status: template.status, category };
}

/** As they are listed. */
const shownParts = (network: Network, category: string, components: TemplateComponent[]): TemplateComponent[] =>
  category === "AUTHENTICATION" ? withMetasWords(components) : withExamples(network, components);

/** An example is handed in by a handle, and shown by an address. Throws GraphRefusal. */
const withExamples = (network: Network, components: TemplateComponent[]): TemplateComponent[] =>
  components.map((each) => {
    const { type, format = "TEXT", example } = each;
    if (type !== "HEADER" || !["IMAGE", "VIDEO", "DOCUMENT", "GIF"].includes(format)) return each;
    const url = exampleUrl(network, example?.header_handle?.[0] ?? "", format);
    if (!url) throw missingFile(format);
    return { ...each, example: { header_handle: [url] } };
  });

/** Reviewed at once, or by hand. */
function submit(network: Network, account: Account, template: Template): void {
  if (network.switches.values().review === "now")
    network.soon(async () => {
      if (template.status === "PENDING") await review(network, account, template, { event: "APPROVED" });
    });
}

export interface Review {
  event: TemplateStatus | "FLAGGED" | "REINSTATED";
  reason?: string;
  recommendation?: string;
}

/** What Meta's reviewers, or its quality watch, decide. */
export async function review(
  network: Network,
  account: Account,
  template: Template,
  { event, reason, recommendation }: Review,
): Promise<void> {
  if (event === "REINSTATED") template.status = "APPROVED";
  else if (event !== "FLAGGED") template.status = event;
  template.rejectedReason = event === "REJECTED" ? (reason ?? "INVALID_FORMAT") : "NONE";
  const more = recommendation !== undefined && {
    rejection_info: { reason: reason ?? template.rejectedReason, recommendation },
  };
  await announce(network, account, "message_template_status_update", {
    event,
    ...named(template),
    reason: event === "PAUSED" || event === "DISABLED" ? (reason ?? null) : template.rejectedReason,
    message_template_category: template.category,
    ...(event === "PAUSED" && {
      other_info: {
        title: "FIRST_PAUSE",
        description: "Your template has been paused for 3 hours because it received negative feedback.",
      },
    }),
    ...more,
  });
}

const named = ({ id, name, language }: Template) => ({
  message_template_id: Number(id),
  message_template_name: name,
  message_template_language: language,
});

export async function rate(
  network: Network,
  account: Account,
  template: Template,
  quality: Template["quality"],
): Promise<void> {
  const previous = template.quality;
  template.quality = quality;
  const value = { previous_quality_score: previous, new_quality_score: quality, ...named(template) };
  await announce(network, account, "message_template_quality_update", value);
}

export async function recategorize(
  network: Network,
  account: Account,
  template: Template,
  category: string,
): Promise<void> {
  template.previousCategory = template.category;
  template.category = category;
  const value = { ...named(template), previous_category: template.previousCategory, new_category: category };
  await announce(network, account, "template_category_update", value);
}

/** POST /{template id}. */
export function editTemplate(network: Network, asked: Asked): object {
  const found = ownTemplate(network, asked, "post");
  const { account, template } = found;
  if (!["APPROVED", "REJECTED", "PAUSED"].includes(template.status))
    throw templateRefusal(
      2388025,
      "Template can't be edited",
      "Only approved, rejected or paused templates can be edited.",
    );
  const change = changeOf(asked.body, template.parameterFormat);
  if (change.category && change.category !== template.category && template.status === "APPROVED")
    throw templateRefusal(
      2388026,
      "Category can't be changed",
      "The category of an approved template can't be changed.",
    );
  template.category = change.category ?? template.category;
  if (change.components) template.components = shownParts(network, template.category, change.components);
  template.status = "PENDING";
  submit(network, account, template);
  return { success: true };
}

/** DELETE /{account id}/message_templates: all languages of a name, or one by `hsm_id`. */
export function deleteTemplate(network: Network, asked: Asked): object {
  const { templates } = ownAccount(network, asked, "delete");
  const { name, hsm_id } = asked.query;
  if (!name) throw badParam("The parameter name is required.");
  const found = [...templates.values()].filter(
    (each) => each.name === name && (hsm_id === undefined || each.id === hsm_id),
  );
  if (found.length === 0)
    throw templateRefusal(2593002, "Message Template Not Found", "The message template was not found.");
  for (const { id } of found) templates.delete(id);
  return { success: true };
}

const USUAL = ["name", "parameter_format", "components", "language", "status", "category"];

/** GET /{account id}/message_templates, by pages. */
export function listTemplates(network: Network, asked: Asked): object {
  const { id, templates } = ownAccount(network, asked, "get");
  const { name, status, language, category, fields } = asked.query;
  const wanted = [...templates.values()].filter(
    (each) =>
      (name === undefined || each.name === name) &&
      (status === undefined || each.status === status) &&
      (language === undefined || each.language === language) &&
      (category === undefined || each.category === category),
  );
  const views = wanted.map((template) => templateView(template, fields));
  return listed({ origin: network.core.origin, path: `${id}/message_templates` }, asked, views);
}

export function templateView(template: Template, fields = USUAL.join(",")): object {
  const view: Record<string, unknown> = {
    id: template.id,
    name: template.name,
    language: template.language,
    status: template.status,
    category: template.category,
    parameter_format: template.parameterFormat,
    components: template.components,
    quality_score: { score: template.quality, date: 0 },
    rejected_reason: template.rejectedReason,
    ...(template.previousCategory && { previous_category: template.previousCategory }),
  };
  const asked = fields
    .split(",")
    .map((field) => field.trim())
    .filter(Boolean);
  const known = [...Object.keys(view), "previous_category"];
  const unknown = asked.find((field) => !known.includes(field));
  if (unknown !== undefined) throw unknownField(unknown, "WhatsAppMessageTemplate");
  return {
    ...Object.fromEntries(asked.flatMap((field) => (field in view ? [[field, view[field]]] : []))),
    id: template.id,
  };
}
