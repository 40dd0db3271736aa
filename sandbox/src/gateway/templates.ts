import { Refusal } from "../refusal.ts";
import type { Customer, SandboxChannel, SentTemplate, Template } from "../world.ts";
import type { Gateway } from "./gateway.ts";
import { forbidden } from "./policy.ts";

type Fields = Template["body"];

const FIELDS =
  "body buttons category example footer header lang name quality rejection_reason template verification_status".split(
    " ",
  );

/** Keeps the contract's fields; null counts as absent. */
const known = (fields: Record<string, unknown>): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => FIELDS.includes(name) && value !== null && value !== undefined),
  ) as Fields;

export const templateRecord = ({ id, channelId, code, enabled, type, body }: Template) => ({
  ...body,
  id,
  channel_id: channelId,
  code,
  enabled,
  type,
});

const OWN_NAMES = ["first_name", "last_name", "name"];

/** The text with placeholders: `{{1}}` is an argument; `{{name}}` and the like are the customer's. */
function textOf(fields: Record<string, unknown>): string {
  if (typeof fields.body === "string") return fields.body;
  let variables = 0;
  const piece = (item: unknown): string => {
    if (typeof item === "string") return item;
    const { text, var: name } = item as { text?: string; var?: unknown };
    if (text) return text;
    if (typeof name === "string" && OWN_NAMES.includes(name)) return `{{${name}}}`;
    variables += 1;
    return `{{${variables}}}`;
  };
  return (Array.isArray(fields.template) ? fields.template : []).map(piece).join("");
}

export function templateOf(gateway: Gateway, channel: SandboxChannel, code: string): Template {
  const found = gateway.world.templates.find((t) => t.channelId === channel.id && t.code === code);
  if (!found) throw new Refusal(404, "Template not found", "the template is known in the channel");
  return found;
}

/** Creates or updates the template by code; true when it is new. */
export function putTemplate(
  gateway: Gateway,
  channel: SandboxChannel,
  given: Fields & { code: string; type: string },
): boolean {
  const { code, type, ...rest } = given;
  const { world } = gateway;
  const before = world.templates.find((t) => t.channelId === channel.id && t.code === code);
  const body = { ...before?.body, ...known(rest) };
  const enabled = usable(body);
  if (before) Object.assign(before, { type, body, enabled });
  else world.templates.push({ id: world.nextId(), channelId: channel.id, code, type, body, enabled });
  return !before;
}

/** Usable without a verification status: most messengers verify nothing. */
const usable = (fields: Record<string, unknown>): boolean =>
  fields.verification_status === undefined || fields.verification_status === "approved";

export function changeTemplate(template: Template, change: Record<string, unknown>): void {
  // In the contract an empty status means unchanged.
  const { verification_status: status, ...rest } = change;
  template.body = { ...template.body, ...known(rest), ...(status ? { verification_status: status } : {}) };
  template.enabled = usable(template.body);
}

export function dropTemplate(gateway: Gateway, template: Template): void {
  const { world } = gateway;
  world.templates.splice(world.templates.indexOf(template), 1);
}

const contentOf = ({ body }: Template) => ({
  name: body.name,
  body: textOf(body),
  lang: String(body.lang ?? "en"),
  category: String(body.category ?? "utility"),
  ...Object.fromEntries(
    ["header", "footer", "buttons", "example"].flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]]])),
  ),
});

interface Answered {
  code?: string;
  verification_status?: string;
  error?: { code: string; message: string };
}

/** A page waits no longer for the module's answer. */
const ANSWER_MS = 10_000;

/** An agent's new template: asks the module, which answers with its code. */
export function draftTemplate(gateway: Gateway, channel: SandboxChannel, fields: Fields): Promise<Template> {
  if (channel.settings.template?.creation !== true)
    throw forbidden(channel, "Channel does not create templates", "settings.template.creation");
  const { world } = gateway;
  const header = (fields.header as { content?: { type?: string } } | undefined)?.content?.type;
  const type = header && header !== "text" ? "media" : "text";
  const body = { ...known(fields), verification_status: "pending" };
  const template: Template = { id: world.nextId(), channelId: channel.id, code: null, enabled: false, type, body };
  world.templates.push(template);
  return new Promise((resolve, reject) => {
    const late = new Refusal(
      400,
      "The module has not answered yet; the template stays pending",
      "the module answers within 10 s",
    );
    gateway.clock.after(ANSWER_MS, () => reject(late));
    gateway.courier.ask(channel, "template_create", { channel_id: channel.id, ...contentOf(template) }, (answer) => {
      const answered = answer as Answered | undefined;
      if (!answered?.code) {
        dropTemplate(gateway, template);
        const words = answered?.error?.message ?? "The module did not create the template";
        return reject(new Refusal(400, words, "the answer to template_create has a code"));
      }
      const own = world.templates.find((t) => t.channelId === channel.id && t.code === answered.code);
      if (own) {
        // The module activated the template before answering.
        dropTemplate(gateway, template);
        return resolve(own);
      }
      template.code = answered.code;
      const status = answered.verification_status;
      changeTemplate(template, { verification_status: !status || status === "new" ? "pending" : status });
      resolve(template);
    });
  });
}

export function updateTemplate(gateway: Gateway, channel: SandboxChannel, template: Template, change: object): void {
  changeTemplate(template, { ...change, verification_status: "pending" });
  gateway.courier.send(channel, "template_update", {
    channel_id: channel.id,
    code: template.code,
    ...contentOf(template),
  });
}

export function deleteTemplate(gateway: Gateway, channel: SandboxChannel, template: Template): void {
  dropTemplate(gateway, template);
  gateway.courier.send(channel, "template_delete", {
    channel_id: channel.id,
    code: template.code,
    ...contentOf(template),
  });
}

export interface TemplateArguments {
  header?: string[];
  body?: string[];
  buttons?: string[][];
  attachments?: { id: string; caption?: string }[];
}
const CATEGORIES = ["authentication", "marketing", "utility"];

interface Button {
  type: string;
  label: string;
  url?: string;
}

function needs(text: string | undefined, args: string[], what: string): void {
  const wanted = Math.max(0, ...[...(text ?? "").matchAll(/\{\{(\d+)\}\}/g)].map(([, n]) => Number(n)));
  if (wanted > args.length)
    throw new Refusal(400, `${what} needs ${wanted} arguments`, "a template has all its arguments");
}

/** The text for the customer, and the arguments for the webhook. */
export function renderTemplate(template: Template, given: TemplateArguments, customer: Customer | undefined) {
  if (!template.code || !template.enabled)
    throw new Refusal(400, "Template is not approved", "an approved template is sent");
  const args = given.body ?? [];
  const text = textOf(template.body);
  const { content: head } = (template.body.header ?? {}) as { content?: { type?: string; body?: string } };
  const buttons = (template.body.buttons as { items?: Button[] } | undefined)?.items ?? [];
  needs(text, args, "Template");
  needs(head?.body, given.header ?? [], "Header");
  for (const [n, { label, url }] of buttons.entries()) needs(url, given.buttons?.[n] ?? [], `Button ${label}`);
  const own: Record<string, string | undefined> = {
    first_name: customer?.firstName,
    last_name: customer?.lastName,
    name: customer?.nickname,
  };
  const filled = text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => args[Number(name) - 1] ?? own[name] ?? "");
  const category = String(template.body.category ?? "").toLowerCase();
  const header = head?.type;
  const sent: SentTemplate = {
    code: template.code,
    args,
    ...(CATEGORIES.includes(category) && { category }),
    variables: {
      ...(args.length > 0 && { body: { args } }),
      ...(header && {
        header: {
          type: header,
          ...(given.header && { args: given.header }),
          ...(given.attachments && { attachments: given.attachments }),
        },
      }),
      ...(buttons.length > 0 && {
        buttons: buttons.map(({ type, label }, n) => ({ type, title: label, args: given.buttons?.[n] ?? [] })),
      }),
    },
  };
  return { text: filled, sent };
}
