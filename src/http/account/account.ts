import type { Clock } from "gangway-messenger/clock";
import { Hono } from "hono";
import { createRateLimit } from "../doors/rate-limit.ts";
import { compressed } from "../serving/assets.ts";
import { type AddressOf, BodyTooLarge, type Env } from "../serving/request.ts";
import { type ConnectFormParts, connectForm } from "../visit/connect-form.ts";
import { pageHeaders } from "../visit/cross-site.ts";
import { entryRoutes } from "../visit/entry.ts";
import { languageChoice } from "../visit/language.ts";
import { createSay } from "../visit/message.ts";
import { supportRoutes } from "../visit/support.ts";
import { type VisitParts, visitRoutes } from "../visit/visit.ts";
import { createVisitGuard } from "../visit/visit-guard.ts";

export type AccountParts = Omit<VisitParts, "guard"> &
  Omit<ConnectFormParts, "guard"> & {
    embedding: boolean;
    clock: Pick<Clock, "monotonic">;
    addressOf: AddressOf;
  };

/** Failed entries to account pages per minute and client address. */
const MAX_FAILED_ENTRIES = 20;

export function accountPages(parts: AccountParts): Hono<Env> {
  const site = new Hono<Env>();
  const guard = createVisitGuard(parts);
  const say = createSay(parts.moduleName);
  const failedEntries = createRateLimit(MAX_FAILED_ENTRIES, parts.clock);

  site.use(pageHeaders(parts.embedding));
  site.onError((error, c) => {
    if (!(error instanceof BodyTooLarge)) throw error;
    c.header("Connection", "close");
    return say(c, 413, "tooLarge");
  });
  site.use(compressed);
  site.route("/", connectForm({ ...parts, guard }));
  site.post("/language", languageChoice(parts));
  // Browsers send GET when a refused form's page is reloaded.
  site.get("/language", (c) => c.redirect("/", 303));
  site.route("/", supportRoutes({ ...parts, guard, failedEntries }));
  site.route("/account", entryRoutes({ ...parts, guard, failedEntries }));
  site.route("/account/:account{[\\w-]{22}}", visitRoutes({ ...parts, guard }));
  return site;
}
