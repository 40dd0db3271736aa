import { DeliveryError } from "../domain/delivery/delivery.ts";
import type { GatewayChannelId } from "../domain/ids.ts";
import type { FilePart, TemplateUse } from "../domain/message/message.ts";
import type { Template, TemplateDraft } from "../domain/message/template.ts";
import { cutText } from "../domain/text/text.ts";
import type { Operation, Request } from "./sending.ts";
import { listedTemplate, type WireDraft, type WireTemplate, type WireTemplateUse } from "./wire.ts";

// Templates as the gateway has them, and as we have them.

/** A text's pieces: a bare text, or a variable, which the older client writes as `{}` or `{"var": name}`. */
type Piece = string | { var?: string };

/** Maximum characters of a name (contract). */
const NAME_LENGTH = 512;
const VARIABLE = /(\{\{\s*\w+\s*\}\})/;
const OWN_NAMES = ["first_name", "last_name", "name"];

function piecesOf(body: string): Piece[] {
  const pieces = body.split(VARIABLE).filter(Boolean);
  return pieces.map((piece) => {
    const [, name] = /^\{\{\s*(\w+)\s*\}\}$/.exec(piece) ?? [];
    if (name === undefined) return piece;
    return OWN_NAMES.includes(name) ? { var: name } : {};
  });
}

/** The pieces as one text; variables without a name are numbered. */
function textOf(pieces: NonNullable<WireTemplate["template"]>): string {
  let variables = 0;
  const written = (piece: (typeof pieces)[number]): string => {
    if (typeof piece === "string") return piece;
    if (piece.text) return piece.text;
    if (piece.var && OWN_NAMES.includes(piece.var)) return `{{${piece.var}}}`;
    variables += 1;
    return `{{${variables}}}`;
  };
  return pieces.map(written).join("");
}

/** The body of a change. Empty values take away what the template no longer has. */
export const toTemplateChange = (template: Template) => ({
  name: cutText(template.name, NAME_LENGTH),
  lang: template.language,
  category: template.category,
  body: template.body,
  template: piecesOf(template.body),
  header: template.header && { content: { type: template.header.type, body: template.header.text } },
  footer: template.footer ?? "",
  buttons: { items: template.buttons.map(({ type, title, url, phone }) => ({ type, label: title, url, phone })) },
  quality: template.quality,
  rejection_reason: template.status === "rejected" ? template.rejection : undefined,
  verification_status: statusOf(template),
});

/** What agents cannot send is not offered to them. */
const statusOf = ({ status, unusable }: Template) => (unusable && status === "approved" ? "disabled" : status);

const typeOf = ({ header }: TemplateDraft) => (header && header.type !== "text" ? "media" : "text");

export const toNewTemplate = (template: Template) => ({
  code: template.code,
  type: typeOf(template),
  ...toTemplateChange(template),
});

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#34": '"', "#39": "'" };
/** The gateway trims and HTML-escapes what it is given (contract: x-normalize). */
const normal = (text: string | undefined): string =>
  (text ?? "").replace(/&(amp|lt|gt|quot|#34|#39);/g, (_, name: string) => ENTITIES[name] ?? "").trim();

type Words = Pick<WireTemplate, "name" | "lang" | "category" | "body" | "header" | "footer" | "buttons">;
const readable = ({ name, lang, category, body, header, footer, buttons }: Words) =>
  JSON.stringify([
    ...[name, lang, category?.toLowerCase(), body, footer, header?.content?.type, header?.content?.body].map(normal),
    (buttons?.items ?? []).map(({ type, label, url, phone }) => [type, ...[label, url, phone].map(normal)]),
  ]);

/** How the gateway's template differs from the messenger's. `kind`: in what no change can mend. */
export function difference(listed: WireTemplate, template: Template): "none" | "words" | "kind" {
  const wanted = toNewTemplate(template);
  const hasHeader = listed.header?.content !== undefined;
  if ((listed.type && listed.type !== wanted.type) || (hasHeader && !wanted.header)) return "kind";
  const same =
    readable(withBody(listed)) === readable(listed.body === undefined ? withBody(withoutBody(wanted)) : wanted) &&
    listed.verification_status === wanted.verification_status &&
    (wanted.quality ?? listed.quality) === listed.quality &&
    (wanted.rejection_reason ?? listed.rejection_reason) === listed.rejection_reason;
  return same ? "none" : "words";
}

const withoutBody = <T extends object>(fields: T) => ({ ...fields, body: undefined });
const withBody = <T extends Pick<WireTemplate, "body" | "template">>(fields: T): T => ({
  ...fields,
  body: fields.body ?? textOf(fields.template ?? []),
});

type Attached = NonNullable<NonNullable<WireDraft["example"]>["attachments"]>;
const toFiles = (attached: Attached | undefined): FilePart[] =>
  (attached ?? []).map(({ id, caption }) => ({ file: { at: "gateway", id }, caption }));

/** What an agent has written. */
export function toDraft({ name, lang, category, body, header, footer, buttons, example }: WireDraft): TemplateDraft {
  const { type, body: headerText } = header?.content ?? {};
  return {
    ...{ name, language: lang, category, body },
    header: type && { type, ...(type === "text" && { text: headerText }) },
    footer: footer || undefined,
    buttons: (buttons?.items ?? []).map(({ label, url, phone, ...button }) => {
      return { type: button.type, title: label, url: url || undefined, phone: phone || undefined };
    }),
    examples: example && {
      ...{ header: example.header, body: example.body, buttons: example.buttons },
      files: toFiles(example.attachments),
    },
  };
}

/** Undefined when no template is named. */
export function toTemplateUse(info: WireTemplateUse | undefined): TemplateUse | undefined {
  if (!info?.code) return undefined;
  const { header, body, buttons = [] } = info.variables ?? {};
  return {
    code: info.code,
    category: info.category,
    header: header && { type: header.type, values: header.args ?? [], files: toFiles(header.attachments) },
    body: body?.args ?? info.args ?? [],
    buttons: buttons.map(({ type, title = "", args = [] }) => ({ type, title, values: args })),
  };
}

/** Templates at the gateway. Every method throws DeliveryError. */
export interface TemplateCalls {
  /** Those of a channel that have a code; one that cannot be read is left out. */
  list(channel: GatewayChannelId, signal: AbortSignal): Promise<ListedTemplate[]>;
  create(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  update(channel: GatewayChannelId, template: Template, signal: AbortSignal): Promise<void>;
  /** A missing one counts as deleted. */
  delete(channel: GatewayChannelId, code: string, signal: AbortSignal): Promise<void>;
}
/** `difference` (templates.ts) compares it. */
export type ListedTemplate = WireTemplate;

interface Parts {
  list(request: Request, signal: AbortSignal): Promise<unknown[]>;
  json(operation: Operation, method: "POST" | "PUT", path: string, body: unknown): Request;
  done(request: Request, signal: AbortSignal, orMissing?: "or missing"): Promise<void>;
}

/** The gateway lists the templates of all channels at once, without pages. */
const LIST_BYTES = 32 * 1024 * 1024;
const LIST_MS = 60_000;

export function templateCalls({ list, json, done }: Parts): TemplateCalls {
  return {
    async list(channel, signal) {
      const request: Request = { operation: "getTemplates", method: "GET", path: "/templates", priority: "bulk" };
      const found = await list({ ...request, timeoutMs: LIST_MS, maxBytes: LIST_BYTES }, signal);
      return found.flatMap((each) => {
        const { data } = listedTemplate.safeParse(each);
        return data?.channel_id === channel ? [data] : [];
      });
    },
    create: async (channel, template, signal) =>
      done(json("activateTemplate", "POST", `/channels/${channel}/templates`, toNewTemplate(template)), signal),
    update: async (channel, template, signal) =>
      done(json("updateTemplate", "PUT", pathOf(channel, template.code), toTemplateChange(template)), signal),
    delete: async (channel, code, signal) =>
      done(
        { operation: "deactivateTemplate", method: "DELETE", path: pathOf(channel, code), priority: "bulk" },
        signal,
        "or missing",
      ),
  };
}

/** A code may hold `#` and slashes. As a whole segment, dots would name the channel itself. */
function pathOf(channel: GatewayChannelId, code: string): string {
  if (/^\.{1,2}$/.test(code))
    throw new DeliveryError({ type: "reject", code: "general" }, "the template's code is no part of an address");
  return `/channels/${channel}/templates/${encodeURIComponent(code)}`;
}
