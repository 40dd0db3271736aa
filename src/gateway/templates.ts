import type { FilePart, TemplateUse } from "../domain/message/message.ts";
import type { Template, TemplateDraft } from "../domain/message/template.ts";
import { cutText } from "../domain/text/split.ts";
import type { WireDraft, WireTemplate, WireTemplateUse } from "./wire.ts";

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
