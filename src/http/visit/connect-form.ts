import { cutText } from "gangway-messenger/text";
import { type Context, Hono } from "hono";
import { accountPage } from "../../domain/account.ts";
import type { Visits } from "../../module/account/visits.ts";
import type { Connect } from "../../module/connecting/connect.ts";
import type { CheckForm } from "../../module/connecting/form-check.ts";
import type { Refused } from "../../module/connecting/key-trial.ts";
import { CheckedFields } from "../../pages/check-result.tsx";
import { ConnectPage } from "../../pages/connect.tsx";
import { type AddressOf, type Env, readBody } from "../serving/request.ts";
import { browserName } from "./browser-name.ts";
import { isForm, ownOrigin } from "./cross-site.ts";
import { doneIn } from "./done.ts";
import { frameOf } from "./language.ts";
import { createSay } from "./message.ts";
import type { VisitGuard } from "./visit-guard.ts";

export interface ConnectFormParts {
  publicUrl: string;
  moduleName: string;
  formBytes: number;
  visits: Pick<Visits, "enterAs">;
  guard: Pick<VisitGuard, "admit" | "entry" | "open">;
  addressOf: AddressOf;
  connect: Connect;
  checkForm: CheckForm;
}

type C = Context<Env>;

const MAX_FIELD_LENGTH = 255;

/** The form that connects an account, and its live check. */
export function connectForm({ publicUrl, moduleName, formBytes, guard, addressOf, ...parts }: ConnectFormParts) {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  /** The submitted fields, or a refusal if another site sent the form. */
  const entered = async (c: C) => {
    if (!ownOrigin(c, publicUrl)) return say(c, 403, "foreign");
    const form = new URLSearchParams(await readBody(c, formBytes));
    if (!isForm(c)) return say(c, 415, "foreign");
    const crmUrl = cutText(form.get("crmUrl") ?? "", MAX_FIELD_LENGTH + 1);
    return { crmUrl, apiKey: form.get("apiKey") ?? "", from: addressOf(c) };
  };
  site.get("/", async (c) => {
    // Signed-in users go to their account, unless the link names an account or reports what was done.
    if (new URL(c.req.url).search === "" && (await guard.open(c)).length > 0) return c.redirect("/account", 303);
    const frame = await frameOf(c, moduleName);
    const done = doneIn(c, frame.t.doneAtStart).map((code) => frame.t.doneAtStart[code]);
    return c.html(ConnectPage({ ...frame, entered: cleaned(c.req.query("account") ?? ""), done: done.join(" ") }));
  });
  site.post("/", async (c) => {
    const form = await entered(c);
    if (form instanceof Response) return form;
    const result = await parts.connect(form);
    if (!result.ok) {
      const page = ConnectPage({ ...(await frameOf(c, moduleName)), ...result, entered: form.crmUrl });
      return c.html(page, refusalStatus(c, result.fault));
    }
    const { id } = result.account;
    guard.admit(c, id, await parts.visits.enterAs(id, browserName(c)));
    await guard.entry.decline(c);
    return c.redirect(`${accountPage(id)}?done=${result.isNew ? "connected" : "reconnected"}`, 303);
  });
  site.post("/check", async (c) => {
    const form = await entered(c);
    if (form instanceof Response) return form;
    // The browser aborts the request when the form is changed or submitted.
    const checked = await parts.checkForm(form, c.req.raw.signal);
    const page = CheckedFields({ ...(await frameOf(c, moduleName)), checked });
    // A check that finds a fault still succeeds with 200: browsers log every 4xx as an error.
    return checked.fault?.code === "too-many" ? c.html(page, refusalStatus(c, checked.fault)) : c.html(page);
  });
  return site;
}

/** Status of the response to a refused key. */
export function refusalStatus(c: C, fault: Refused["fault"]): 422 | 429 {
  if (fault.code !== "too-many") return 422;
  c.header("Retry-After", "10");
  return 429;
}

/** Cleans the prefilled address: drops the path that a marketplace link may contain. */
function cleaned(account: string): string {
  const text = cutText(account.trim(), MAX_FIELD_LENGTH);
  const isAddress = /^https?:/i.test(text) && URL.canParse(text);
  return isAddress ? new URL(text).origin : text.replace(/(?<!\/)\/+$/, "");
}
