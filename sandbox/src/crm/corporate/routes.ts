import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { Judge } from "../../judge.ts";
import { Refusal } from "../../refusal.ts";
import { withChatsOf } from "../customers/chats.ts";
import { combineRoute, moveNotes } from "../customers/combine.ts";
import { CORPORATE_NOTE } from "../customers/notes.ts";
import { moveFiles } from "../files/attachment.ts";
import { listed } from "../listing.ts";
import { moveOrders } from "../orders/moved.ts";
import type { Entry } from "../records.ts";
import { keep, type Reference, recordBy } from "../resource/resource.ts";
import { fixExternalIdsRoute, resourceRoutes, writingOf } from "../resource/routes.ts";
import { uploadRoute } from "../resource/upload.ts";
import { moveTasks } from "../tasks/moved.ts";
import { ADDRESS } from "./address.ts";
import { COMPANY } from "./company.ts";
import { CONTACT } from "./contact.ts";
import { CORPORATE } from "./corporate.ts";
import { joined } from "./joined.ts";
import { isSame, type Part, partsOf, withPart } from "./part.ts";

const ROOT = `/api/v5/${CORPORATE.path}`;

export function corporateRoutes(site: Hono<Env>, gateway: Gateway, judge: Judge): void {
  const { world, unknowns } = gateway;
  site.use(`${ROOT}/*`, async (_, next) => {
    if (!world.corporateOn && unknowns().corporateOff === "refuse")
      throw new Refusal(403, "Access denied.", "corporate customers are on");
    await next();
  });
  resourceRoutes(site, gateway, CORPORATE_NOTE);
  combineRoute(site, gateway, {
    resource: CORPORATE,
    carry: (from, into) => {
      moveNotes(gateway, "corporateNotes", from, into);
      moveTasks(gateway, "customer", from, into);
      moveFiles(world, "customer", from, into);
      moveOrders(gateway, from, into);
    },
    joined: (from, into) => joined(gateway, from, withChatsOf(from, into)),
  });
  uploadRoute(site, gateway, judge, CORPORATE, {
    many: CORPORATE.many,
    uploaded: "uploadedCustomers",
    failed: "failedCustomers",
    words: "Customers are loaded with errors",
    errors: "map",
  });
  fixExternalIdsRoute(site, gateway, CORPORATE);
  resourceRoutes(site, gateway, CORPORATE);
  for (const part of [ADDRESS, COMPANY, CONTACT]) partRoutes(site, gateway, part);
}

type Body = Reference & { entityBy?: string } & Record<string, unknown>;

function partRoutes(site: Hono<Env>, gateway: Gateway, kind: Part): void {
  const path = `${ROOT}/:key/${kind.path}`;
  const owner = (c: Context<Env>, reference: Reference) =>
    recordBy(gateway, "corporate", c.req.param("key") ?? "", reference);
  const write = (c: Context<Env>, find: (corporate: Entry) => Entry | undefined): Entry => {
    const before = owner(c, bodyOf<Body>(c));
    const writing = writingOf(c, gateway);
    const part = find(before);
    const given = bodyOf<Body>(c)[kind.one] as Entry;
    const after = keep(CORPORATE, writing, withPart(kind, writing, before, given, part), before);
    return part ?? (partsOf(after, kind).at(-1) as Entry);
  };
  site.get(path, (c) => {
    const corporate = owner(c, { by: c.req.query("by"), site: c.req.query("site") });
    return listed(c, {
      name: kind.path,
      entries: partsOf(corporate, kind),
      supported: kind.filters(gateway),
      shown: (part) => kind.shown(gateway, corporate, part),
    });
  });
  site.post(`${path}/create`, (c) => c.json({ success: true, id: write(c, () => undefined).id }, 201));
  site.post(`${path}/:entity/edit`, (c) => {
    const key = c.req.param("entity");
    const reference = bodyOf<Body>(c).entityBy === "id" ? { id: Number(key) } : { externalId: key };
    const { id } = write(c, (corporate) => partBy(gateway, kind, corporate, reference));
    return c.json({ success: true, id });
  });
}

/** Throws a Refusal. */
function partBy(gateway: Gateway, kind: Part, corporate: Entry, reference: object): Entry {
  const part = partsOf(corporate, kind).find((each) => isSame(kind.reference(gateway, each), reference));
  if (!part) throw new Refusal(404, "Not found", `the ${kind.one} exists`);
  return part;
}
