import { type Context, Hono } from "hono";
import type { Core } from "./core.ts";
import type { Community } from "./world.ts";

const SECOND_MS = 1_000;
const MAX_WAIT_S = 90;
const DEFAULT_WAIT_S = 25;

/** `/longpoll/<community>`: the server that groups.getLongPollServer names. */
export function longPollSite(core: Core): Hono {
  const site = new Hono();
  site.get("/:id", async (c) => {
    const community = core.world.communities.find(({ id }) => String(id) === c.req.param("id"));
    if (!community) return c.text("Not Found", 404);
    const plan = core.faults.next("longPoll");
    if (plan?.drop || plan?.status) return c.text("Bad Gateway", (plan.status ?? 502) as 502);
    const answer = await polled(core, community, c);
    core.journal.add({
      ...{ at: core.clock.now(), kind: "call", operation: "longPoll", method: "GET", path: c.req.path },
      ...{ query: { ts: c.req.query("ts") ?? "" }, status: 200, request: undefined, answer, headers: {} },
    });
    return c.json(answer);
  });
  return site;
}

async function polled(core: Core, community: Community, c: Context): Promise<object> {
  const { key = "", ts: given = "", wait = String(DEFAULT_WAIT_S), act } = c.req.query();
  const { longPoll } = community;
  if (act !== "a_check" || !/^\d+$/.test(given)) return { failed: 3 };
  if (key !== longPoll.key || core.clock.now() >= longPoll.keyUntil) return { failed: 2 };
  const from = Number(given);
  const oldest = community.polled[0]?.ts ?? community.ts;
  if (from > community.ts || from < oldest) {
    if (from < 1 || community.ts !== from) return { failed: 1, ts: community.ts };
  }
  const waitS = Math.min(MAX_WAIT_S, Number(wait) || DEFAULT_WAIT_S);
  if (community.ts === from) await woken(core, community, waitS * SECOND_MS, c.req.raw.signal);
  const updates = community.polled.filter(({ ts }) => ts >= from).map(({ body }) => body);
  return { ts: String(community.ts), updates };
}

/** Resolves with the next event, after the time, or when the caller has left. */
function woken({ clock }: Core, { waiting }: Community, ms: number, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      waiting.delete(end);
      cancel();
      resolve();
    };
    const cancel = clock.after(ms, end);
    waiting.add(end);
    gone.addEventListener("abort", end, { once: true });
  });
}
