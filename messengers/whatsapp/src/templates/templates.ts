import { DeliveryError } from "gangway-messenger/errors";
import type { Templates } from "gangway-messenger/port";
import type { Template, TemplateDraft } from "gangway-messenger/template";
import * as z from "zod";
import { type CloudApi, MANAGEMENT } from "../api.ts";
import type { Context } from "../server.ts";
import { codeOf, nameAndLanguage } from "./codes.ts";
import { componentsOf, nameOf } from "./drafts.ts";
import { exampleHeader, fileHeaderOf } from "./examples.ts";
import { exampleAddress, templateOf } from "./reading.ts";
import { noteShapes, shapeOf } from "./shapes.ts";
import { type WireTemplate, wireTemplate } from "./wire.ts";

const page = z.object({
  data: z.array(z.unknown()),
  paging: z
    .object({ cursors: z.object({ after: z.string().nullish() }).nullish(), next: z.string().nullish() })
    .nullish(),
});
/** 360dialog gives all at once, under a name of its own. */
const dialogPage = z.union([
  z.object({ waba_templates: z.array(z.unknown()) }).transform(({ waba_templates: all }) => all),
  z.object({ data: z.array(z.unknown()) }).transform(({ data }) => data),
]);
const created = z.object({
  id: z.union([z.string(), z.number()]).transform(String),
  status: z.string().nullish(),
  category: z.string().nullish(),
});
const done = z.unknown();

const FIELDS = "id,name,language,status,category,parameter_format,components,quality_score,rejected_reason";
/** Templates of one page, and pages that are read at most: an account has 6,000 at most. */
const PAGE = 100;
const MAX_PAGES = 100;

/** The account's templates, which Meta reviews (docs/whatsapp/business-management-api/message-templates). */
export function templates(context: Context, api: CloudApi): Templates {
  const { settings } = context;
  const path = api.paths.templates;
  const isMeta = settings.via === "meta";
  const needs = MANAGEMENT;

  async function pages(query: Record<string, string>, signal: AbortSignal): Promise<WireTemplate[]> {
    const all: WireTemplate[] = [];
    let after: string | undefined;
    for (let n = 0; n < MAX_PAGES; n++) {
      const request = { method: "GET", path, query: { limit: String(PAGE), fields: FIELDS, ...query, after } } as const;
      const { data, paging } = await api.call({ ...request, result: page, what: "the templates", needs }, signal);
      // One of a new shape hides none of the others.
      all.push(...data.flatMap((each) => wireTemplate.safeParse(each).data ?? []));
      after = paging?.next ? (paging.cursors?.after ?? undefined) : undefined;
      if (!after) break;
    }
    return all;
  }

  async function find(code: string, signal: AbortSignal): Promise<WireTemplate | undefined> {
    const { name, language } = nameAndLanguage(code);
    // Meta searches for a part of the name.
    const found = isMeta ? await pages({ name }, signal) : await dialogList(signal);
    return found.find((each) => each.name === name && each.language === language);
  }

  async function dialogList(signal: AbortSignal): Promise<WireTemplate[]> {
    const request = { method: "GET", path, result: dialogPage, what: "the templates" } as const;
    const all = await api.call(request, signal);
    return all.flatMap((each) => wireTemplate.safeParse(each).data ?? []);
  }

  /** Checked before anything is uploaded. */
  async function partsOf(
    draft: TemplateDraft,
    known: WireTemplate | undefined,
    signal: AbortSignal,
  ): Promise<object[]> {
    const components = componentsOf(draft, known && shapeOf(known));
    const type = fileHeaderOf(draft);
    if (!type) return components;
    const before = known && exampleAddress(known, type);
    return [await exampleHeader(context, api, { type, draft, before }, signal), ...components];
  }

  return {
    async list(signal) {
      const all = isMeta ? await pages({}, signal) : await dialogList(signal);
      await noteShapes(context, all);
      return all.map(templateOf);
    },
    async create(draft, signal) {
      ensureOwnWords(draft);
      const name = nameOf(draft.name);
      const { language } = draft;
      const components = await partsOf(draft, undefined, signal);
      const body = { name, language, category: categoryOf(draft), components };
      const answer = await api.call({ method: "POST", path, body, result: created, what: "a template", needs }, signal);
      return { ...draft, name, ...reviewed(answer), code: codeOf(name, language) };
    },
    async edit(code, draft, signal) {
      const known = await find(code, signal);
      if (!known) throw refused("Meta no longer has this template");
      // 360dialog has no change of a template: a new one takes its place.
      if (!isMeta) throw refused("360dialog cannot change a template: delete it, and add a new one");
      ensureOwnWords(templateOf(known));
      const { unusable, buttons } = shapeOf(known);
      // A change replaces all parts at once.
      if (unusable || buttons)
        throw refused("the CRM does not know all parts of this template: change it in WhatsApp Manager");
      // An approved one keeps its category.
      const category = known.status === "APPROVED" ? {} : { category: categoryOf(draft) };
      const body = { ...category, components: await partsOf(draft, known, signal) };
      await api.call(
        { method: "POST", path: known.id, body, result: done, what: "a change of a template", repeatable: true, needs },
        signal,
      );
      const { name, language } = nameAndLanguage(code);
      return { ...draft, name, language, code, status: "pending" };
    },
    async delete(code, signal) {
      const known = await find(code, signal);
      if (!known) return;
      const request = isMeta
        ? { path, query: { name: known.name, hsm_id: known.id } }
        : { path: `${path}/${encodeURIComponent(known.name)}` };
      await api.call({ method: "DELETE", ...request, result: done, what: "the end of a template", needs }, signal);
    },
  };
}

const categoryOf = ({ category }: TemplateDraft): string => category.toUpperCase();

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);

function ensureOwnWords(template: TemplateDraft): void {
  if (categoryOf(template) === "AUTHENTICATION")
    throw refused(
      "WhatsApp writes the text of authentication templates itself: make and change them in WhatsApp Manager",
    );
}

const reviewed = ({ status, category }: z.infer<typeof created>): Pick<Template, "status"> & Partial<Template> => ({
  status: status === "APPROVED" ? "approved" : status === "REJECTED" ? "rejected" : "pending",
  ...(category && { category: category.toLowerCase() }),
});
