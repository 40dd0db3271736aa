import type { ChannelId, ChatId, CustomerId } from "gangway-messenger/ids";
import { cutText } from "gangway-messenger/text";
import { type Context, Hono } from "hono";
import type { Erasing } from "../../module/account/erasing.ts";
import { CustomersPage, ErasePage, ReceiptPage } from "../../pages/customers.tsx";
import { type Env, pageIn } from "../serving/request.ts";
import { visitFrameOf } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import type { VisitGuard } from "../visit/visit-guard.ts";

export interface CustomersParts {
  moduleName: string;
  erasing: Erasing;
  guard: Pick<VisitGuard, "requireVisit">;
}

type C = Context<Env>;

/** Maximum length of a search or id, in characters. */
const MAX_TEXT = 200;

/** Finds, exports and erases customers. Posts pass the account page's guards first. */
export function customerRoutes({ moduleName, erasing, guard }: CustomersParts): Hono<Env> {
  const site = new Hono<Env>();
  const say = createSay(moduleName);
  const account = (c: C) => c.get("visit").account;
  const common = (c: C) => visitFrameOf(c, moduleName);
  site.get("/customers", guard.requireVisit, async (c) => c.html(CustomersPage(await common(c))));
  for (const path of ["/customers/confirm", "/customers/export", "/customers/erase"])
    site.get(path, (c) => c.redirect(`${pageIn(c)}/customers`, 303));
  site.post("/customers", async (c) => {
    const text = cutText(c.get("form").get("text") ?? "", MAX_TEXT).trim();
    return c.html(CustomersPage({ ...(await common(c)), text, found: await erasing.find(account(c), text) }));
  });
  site.post("/customers/confirm", async (c) => {
    const person = personIn(c.get("form"));
    const channelName = await erasing.channelName(account(c), person.channelId);
    const who = cutText(c.get("form").get("who") ?? "", MAX_TEXT) || person.chat;
    return c.html(ErasePage({ ...(await common(c)), person, who, channelName }));
  });
  site.post("/customers/export", async (c) => {
    const records = await erasing.records(account(c), personIn(c.get("form")), c.get("visit").browser);
    if (!records) return say(c, 404, "notFound");
    if (records === "too-large") return say(c, 413, "recordsTooLarge");
    return c.body(JSON.stringify(records, null, 2), 200, {
      "content-type": "application/json; charset=utf-8",
      "content-disposition": 'attachment; filename="customer.json"',
    });
  });
  site.post("/customers/erase", async (c) => {
    const receipt = await erasing.customer(account(c), personIn(c.get("form")));
    return receipt ? c.html(ReceiptPage({ ...(await common(c)), receipt })) : say(c, 404, "notFound");
  });
  return site;
}

const personIn = (form: URLSearchParams) => ({
  channelId: (form.get("channel") ?? "") as ChannelId,
  chat: (form.get("chat") ?? "") as ChatId,
  customer: (form.get("customer") || undefined) as CustomerId | undefined,
});
