import { type Context, Hono } from "hono";
import { accountPage } from "../domain/account.ts";
import type { Connect, ConnectFault } from "../module/connect.ts";
import { ConnectPage } from "../pages/connect.tsx";
import { createAdmission } from "./admission.ts";
import { BodyTooLarge, readBody } from "./body.ts";
import { browserName } from "./browser-name.ts";
import { isForm, ownOrigin, pageHeaders } from "./cross-site.ts";
import { compressed } from "./encoding.ts";
import { entryRoutes } from "./entry.ts";
import type { AddressOf, Env } from "./env.ts";
import { frameOf, languageChoice } from "./language.ts";
import { createSay } from "./message.ts";
import { createRateLimit } from "./rate-limit.ts";
import { type VisitParts, visitRoutes } from "./visit.ts";

export type AccountParts = Omit<VisitParts, "admission"> & {
  publicUrl: string;
  formBytes: number;
  now(): number;
  addressOf: AddressOf;
  connect: Connect;
};

/** Failed entries to an account page, per minute and address. */
const MAX_FAILED_ENTRIES = 20;
const MAX_FIELD_LENGTH = 255;

export function accountPages(parts: AccountParts): Hono<Env> {
  const site = new Hono<Env>();
  const { moduleName, publicUrl, formBytes } = parts;
  const admission = createAdmission(parts);
  const say = createSay(moduleName);
  const refused = (c: Context<Env>, crmUrl: string, fault: ConnectFault) => {
    const isTooMany = fault.code === "too-many";
    if (isTooMany) c.header("Retry-After", "10");
    return c.html(ConnectPage({ ...frameOf(c, moduleName), crmUrl, fault }), isTooMany ? 429 : 422);
  };
  const failedEntries = createRateLimit(MAX_FAILED_ENTRIES, parts.now);

  site.use(pageHeaders);
  site.onError((error, c) => {
    if (!(error instanceof BodyTooLarge)) throw error;
    c.header("Connection", "close");
    return say(c, 413, "tooLarge");
  });
  site.use(compressed);
  site.get("/", (c) => {
    const frame = frameOf(c, moduleName);
    const done = doneIn(frame.t.doneAtStart, c.req.query("done"));
    return c.html(ConnectPage({ ...frame, crmUrl: cleaned(c.req.query("account") ?? ""), done }));
  });
  site.post("/", async (c) => {
    if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    const form = new URLSearchParams(await readBody(c, formBytes));
    if (!isForm(c)) return say(c, 415, "foreign");
    const crmUrl = (form.get("crmUrl") ?? "").slice(0, MAX_FIELD_LENGTH + 1);
    const result = await parts.connect({ crmUrl, apiKey: form.get("apiKey") ?? "", from: parts.addressOf(c) });
    if (!result.ok) return refused(c, crmUrl, result.fault);
    const { id } = result.account;
    admission.admit(c, id, await parts.visits.enterAs(id, browserName(c)));
    await admission.entry.decline(c);
    return c.redirect(`${accountPage(id)}?done=${result.isNew ? "connected" : "reconnected"}`, 303);
  });
  site.post("/language", languageChoice(parts));
  site.route("/account", entryRoutes({ ...parts, admission, failedEntries }));
  site.route("/account/:account{[\\w-]{22}}", visitRoutes({ ...parts, admission }));
  return site;
}

const doneIn = <Texts extends object>(texts: Texts, code = ""): Texts[keyof Texts] | undefined =>
  Object.hasOwn(texts, code) ? texts[code as keyof Texts] : undefined;

/** Prefills the address field: drops the path that a marketplace link may carry. */
function cleaned(account: string): string {
  const text = account.trim().slice(0, MAX_FIELD_LENGTH);
  const isAddress = /^https?:/i.test(text) && URL.canParse(text);
  return isAddress ? new URL(text).origin : text.replace(/(?<!\/)\/+$/, "");
}
