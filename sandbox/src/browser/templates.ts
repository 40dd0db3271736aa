import { button, el, present } from "gangway-messenger/kit/emulator/browser/dom";
import { type Api, queryOf } from "./api.ts";
import { openBox } from "./box.ts";
import { wordsOfError } from "./notice.ts";

interface TemplateButton {
  type: string;
  label: string;
  url?: string;
  phone?: string;
}
export interface Template {
  code: string | null;
  name: string;
  enabled: boolean;
  lang?: string;
  category?: string;
  body?: string;
  footer?: string;
  verification_status?: string;
  header?: { content?: { type: string; body?: string } };
  buttons?: { items?: TemplateButton[] };
  template?: (string | { text?: string; var?: string | number })[];
}

export const templatesOf = async (api: Api, channelId: number): Promise<Template[]> => {
  const list = await api.agent<Template[]>("GET", `/templates${queryOf({ channel_id: channelId })}`);
  return list.filter((template) => template.code !== null);
};

/** The text; the older kind consists of pieces, and each variable piece is an argument. */
const bodyOf = ({ body, template }: Template): string => {
  let n = 0;
  return body ?? (template ?? []).map((piece) => (typeof piece === "string" ? piece : `{{${++n}}}`)).join("");
};
const holesIn = (text: string | undefined): number =>
  new Set([...(text ?? "").matchAll(/\{\{\s*(\w+)\s*\}\}/g)].map(([, name]) => name)).size;
const filled = (text: string, args: string[]): string =>
  text.replaceAll(/\{\{\s*(\d+)\s*\}\}/g, (hole, n) => args[Number(n) - 1] || hole);

/** Template picker: choose, fill in the arguments, send. */
export async function openTemplates(api: Api, channelId: number, send: (body: object) => Promise<void>): Promise<void> {
  const pane = el("div", { class: "stack" }, el("p", { class: "soft" }, "Loading …"));
  const box = openBox("Send a template", pane);
  const toList = (list: Template[]) => {
    const none = el("p", { class: "soft" }, "This channel has no templates yet.");
    const choices = list.map((template) => choiceOf(template, () => toForm(template, list)));
    pane.replaceChildren(el("div", { class: "choices" }, ...(choices.length > 0 ? choices : [none])));
    pane.querySelector<HTMLElement>("button:not(:disabled)")?.focus();
  };
  const toForm = (template: Template, list: Template[]) => {
    const back = button({ class: "quiet" }, () => toList(list), "All templates");
    const form = formOf(api, template, (body) => {
      box.problem("");
      body.then(send).then(box.close, (error: unknown) => box.problem(wordsOfError(error)));
    });
    pane.replaceChildren(back, form);
    form.querySelector<HTMLElement>("input, button")?.focus();
  };
  await templatesOf(api, channelId).then(toList, (error: unknown) => {
    pane.replaceChildren();
    box.problem(wordsOfError(error));
  });
}

function choiceOf(template: Template, run: () => void): HTMLElement {
  const { name, lang, category, enabled, verification_status: status } = template;
  return button(
    { class: "choice", disabled: !enabled },
    run,
    el(
      "span",
      { class: "card-words" },
      el("strong", {}, name),
      el("small", {}, [lang, category, enabled ? undefined : (status ?? "not approved")].filter(Boolean).join(" · ")),
      el("span", { class: "text", dir: "auto" }, bodyOf(template)),
    ),
  );
}

interface Field {
  part: "header" | "body" | "button";
  of: number;
  input: HTMLInputElement;
}

function formOf(api: Api, template: Template, submit: (body: Promise<object>) => void): HTMLFormElement {
  const header = template.header?.content;
  const fields = fieldsOf(template);
  const media = header && header.type !== "text" ? el("input", { type: "file", id: "template-file" }) : undefined;
  const preview = el("div", { class: "preview", "aria-label": "Preview", role: "group" });
  const argumentsOf = (part: Field["part"], of = 0) =>
    fields.filter((field) => field.part === part && field.of === of).map(({ input }) => input.value.trim());
  const show = () => preview.replaceChildren(...previewOf(template, argumentsOf));
  const form = el(
    "form",
    { class: "stack" },
    preview,
    ...fields.map(({ input }) => el("label", { class: "field" }, input.dataset.label ?? "", input)),
    media && el("label", { class: "field" }, `Header: a file (${header?.type})`, media),
    el("button", { class: "primary" }, "Send template"),
  );
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const buttons = (template.buttons?.items ?? []).map((_, n) => argumentsOf("button", n));
    const given = { header: argumentsOf("header"), body: argumentsOf("body"), buttons };
    const bodyWith = (attachments: { id: string }[] | undefined) => ({
      code: template.code,
      ...(given.header.length > 0 && { header: given.header }),
      body: given.body,
      ...(buttons.some((list) => list.length > 0) && { buttons }),
      ...(attachments && { attachments }),
    });
    submit(withFile(api, media?.files?.[0]).then(bodyWith));
  });
  show();
  return form;
}

async function withFile(api: Api, file: File | undefined): Promise<{ id: string }[] | undefined> {
  return file && [{ id: (await api.upload(file)).id }];
}

function fieldsOf(template: Template): Field[] {
  const header = template.header?.content;
  const field = (part: Field["part"], n: number, label: string, of = 0): Field => {
    const input = el("input", {
      type: "text",
      required: true,
      autocomplete: "off",
      "data-label": `${label} {{${n + 1}}}`,
    });
    return { part, of, input };
  };
  const many = (count: number, make: (n: number) => Field) => Array.from({ length: count }, (_, n) => make(n));
  return [
    ...(header?.type === "text" ? many(holesIn(header.body), (n) => field("header", n, "Header")) : []),
    ...many(holesIn(bodyOf(template)), (n) => field("body", n, "Text")),
    ...(template.buttons?.items ?? []).flatMap(({ label, url }, of) =>
      many(holesIn(url), (n) => field("button", n, `Button “${label}”`, of)),
    ),
  ];
}

function previewOf(template: Template, args: (part: Field["part"]) => string[]): Node[] {
  const header = template.header?.content;
  return present([
    header?.type === "text" && el("strong", {}, filled(header.body ?? "", args("header"))),
    header && header.type !== "text" && el("span", { class: "badge" }, header.type),
    el("div", { class: "text", dir: "auto" }, filled(bodyOf(template), args("body"))),
    template.footer && el("small", {}, template.footer),
    ...(template.buttons?.items ?? []).map(({ label }) => el("span", { class: "badge" }, label)),
  ]) as Node[];
}
