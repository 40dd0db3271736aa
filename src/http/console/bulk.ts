import type { Clock } from "gangway-messenger/clock";
import { cutText } from "gangway-messenger/text";
import { Hono } from "hono";
import type { JobId } from "../../domain/ids.ts";
import type { BulkActs, Which } from "../../module/vendor/bulk.ts";
import { AskBulkPage, addressOf, type BulkProps, ReasonPage, type WhichProps } from "../../pages/console/bulk.tsx";
import type { Env } from "../serving/request.ts";
import { type Guarded, numberIn, utcTime } from "./guarded.ts";

interface Parts extends Guarded {
  bulk: BulkActs;
  clock: Pick<Clock, "now">;
}

/** Undelivered messages of all accounts by reason: a page per reason, and acts on all of its messages. */
export function bulkRoutes({ bulk, clock, frameOf, requireForm }: Parts): Hono<Env> {
  const site = new Hono<Env>();
  const read = (given: URLSearchParams) => readWhich(bulk, given);
  site.get("/undelivered/reason", async (c) => {
    const query = new URL(c.req.url).searchParams;
    const { shown: which, filter, problem } = await read(query);
    const page = { ...frameOf(c), which, problem, ran: readRan(query) };
    if (!filter) return c.html(ReasonPage(page), 422);
    return c.html(ReasonPage({ ...page, found: await bulk.look(filter) }));
  });
  site.get("/undelivered/all", async (c) => {
    const query = new URL(c.req.url).searchParams;
    const { shown: which, filter, problem } = await read(query);
    const what = readWhat(query);
    if (!filter || !what) return c.html(ReasonPage({ ...frameOf(c), which, problem: problem ?? NO_ACT }), 422);
    const found = await bulk.rehearse(filter);
    // Somebody else has decided meanwhile.
    if (found.count === 0) return c.redirect(addressOf("/undelivered/reason", which), 303);
    return c.html(AskBulkPage({ ...frameOf(c), which, what, found }));
  });
  site.post("/undelivered/all", requireForm, async (c) => {
    const form = c.get("form");
    const { shown: which, filter, problem } = await read(form);
    const [what, until] = [readWhat(form), numberIn(form.get("until"))];
    if (!filter || !what || until === undefined)
      return c.html(ReasonPage({ ...frameOf(c), which, problem: problem ?? NO_ACT }), 422);
    const ran = await bulk.run(what, filter, Math.min(until, clock.now()));
    return c.redirect(addressOf("/undelivered/reason", { ...which, what, until, ...ran, ran: "1" }), 303);
  });
  for (const what of ["again", "discard"] as const) {
    site.get(`${MESSAGE}/${what}`, (c) => c.redirect(`/messages/${c.req.param("id")}`, 303));
    site.post(`${MESSAGE}/${what}`, requireForm, async (c) => {
      const id = Number(c.req.param("id")) as JobId;
      const isDone = await bulk.one(what, id);
      return c.redirect(`/messages/${id}?done=${isDone ? what : "not"}`, 303);
    });
  }
  return site;
}

const MESSAGE = "/messages/:id{[1-9][0-9]{0,14}}";
const NO_ACT = "The form is not complete: start again from the list.";
const MAX_TEXT = 2_000;

async function readWhich(
  bulk: Pick<BulkActs, "accountOf">,
  given: URLSearchParams,
): Promise<{ shown: WhichProps; filter?: Which; problem?: string }> {
  const text = (name: string) => cutText(given.get(name) ?? "", MAX_TEXT) || undefined;
  const [code, error, account, from, to] = ["code", "error", "account", "from", "to"].map(text);
  const state = given.get("state") === "held" ? "held" : "dead";
  const shown = { state, code, error, account, from, to } as const;
  const owner = account === undefined ? undefined : await bulk.accountOf(account.trim());
  const times = { from: from && utcTime(from), to: to && utcTime(to) };
  if (account !== undefined && !owner) return { shown, problem: `There is no account “${account}”.` };
  for (const name of ["from", "to"] as const)
    if (shown[name] && times[name] === undefined)
      return {
        shown: { ...shown, [name]: undefined },
        problem: `“${shown[name]}” is no time such as 2026-01-31T14:30.`,
      };
  const [start, end] = [times.from || undefined, times.to || undefined];
  if (start !== undefined && end !== undefined && start > end)
    return { shown, problem: "The first time is after the second." };
  return { shown, filter: { state, code, error, accountId: owner?.id, from: start, to: end } };
}

const readWhat = (given: URLSearchParams) =>
  (["again", "discard"] as const satisfies BulkProps[]).find((each) => each === given.get("what"));

/** Reads from the redirect's query what was done. */
function readRan(given: URLSearchParams) {
  const what = readWhat(given);
  if (!what || given.get("ran") === null) return undefined;
  const number = (name: string) => numberIn(given.get(name)) ?? 0;
  return { what, done: number("done"), failed: number("failed"), left: number("left"), until: number("until") };
}
