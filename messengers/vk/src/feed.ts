import { foreignAnswer } from "gangway-messenger/answers";
import { answerJson } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Feed, FeedBatch, Note } from "gangway-messenger/port";
import * as z from "zod";
import type { Login } from "./login.ts";
import { type Reading, readEvent } from "./reading/reading.ts";
import { type Envelope, envelope } from "./wire.ts";

/** How long VK holds an empty poll open, s; and timeout of the call, ms. */
const [HOLD_S, CALL_MS] = [25, 40_000];
/** Shortest interval between polls that brought nothing, ms. */
const MIN_POLL_MS = 1_000;
const POLL_BYTES = 32 * 1024 * 1024;
/** How often VK is asked for what an event lacks; each pause is longer than the last by this, ms. */
const [TRIES, TRY_MS] = [5, 1_000];

const POSITION = "poll:position";
/** The number after the last stored event, and its community: another one counts differently. */
const position = z.object({ ts: z.string(), community: z.int(), apiUrl: z.string() });

const ts = z.union([z.string(), z.int()]).transform(String);
const server = z.object({ server: z.url({ protocol: /^https?$/ }), key: z.string(), ts });
type Server = z.infer<typeof server>;
const answer = z.union([
  z.object({ failed: z.int(), ts: ts.optional() }),
  z.object({ ts, updates: z.array(z.unknown()) }),
]);

/** Long polling (dev.vk.com/api/bots/getting-started, Bots Long Poll). The next poll follows once its events are stored. */
export function polling(login: Login): Feed {
  const { context } = login;
  return {
    async run(save, signal) {
      const community = await login.communityId(signal);
      const about = { community, apiUrl: context.server.VK_API_URL };
      let at = await serverOf(login, signal);
      let from = (await kept(login, about)) ?? at.ts;
      while (!signal.aborted) {
        const started = context.clock.monotonic();
        const given = await poll(login, { ...at, ts: from }, signal);
        if ("failed" in given) {
          // 1: events are lost, 2: the key has ended, 3: both.
          if (given.failed !== 1) at = await serverOf(login, signal);
          if (given.failed !== 2) from = given.ts ?? at.ts;
          await pause(context.clock, MIN_POLL_MS - (context.clock.monotonic() - started), signal);
          continue;
        }
        from = given.ts;
        const note: Note = { key: POSITION, value: JSON.stringify({ ...about, ts: from }) };
        const batch = await read(login, given.updates, signal);
        await save({ ...batch, notes: [...(batch.notes ?? []), note] });
        if (given.updates.length === 0)
          await pause(context.clock, MIN_POLL_MS - (context.clock.monotonic() - started), signal);
      }
    },
  };
}

async function kept({ context }: Login, about: { community: number; apiUrl: string }): Promise<string | undefined> {
  const found = position.safeParse(JSON.parse((await context.notes.get(POSITION)) || "null")).data;
  return found?.community === about.community && found.apiUrl === about.apiUrl ? found.ts : undefined;
}

const serverOf = async ({ api, communityId }: Login, signal: AbortSignal): Promise<Server> =>
  api.call(
    { method: "groups.getLongPollServer", params: { group_id: await communityId(signal) }, result: server },
    signal,
  );

async function poll({ context }: Login, { server: url, key, ts: from }: Server, signal: AbortSignal) {
  const query = new URLSearchParams({ act: "a_check", key, ts: from, wait: String(HOLD_S) });
  const request = { method: "GET" as const, url: `${url}?${query}`, timeoutMs: CALL_MS, waiting: true };
  const result = await context.call({ ...request, maxBytes: POLL_BYTES, signal });
  if (result.type === "failure") throw new DeliveryError({ type: "retry" }, `VK: ${result.reason} (the long poll)`);
  const given = answer.safeParse(answerJson(result)).data;
  if (!given) throw foreignAnswer("VK", result.status, "the long poll", true);
  return given;
}

async function read(login: Login, updates: unknown[], signal: AbortSignal): Promise<FeedBatch> {
  const batch: Required<Pick<FeedBatch, "events" | "notes">> & { unknown?: string } = { events: [], notes: [] };
  for (const each of updates) {
    const about: Envelope | undefined = envelope.safeParse(each).data;
    const reading = about && (await eventIn(login, about, signal));
    batch.events.push(...(reading?.events ?? []));
    batch.notes.push(...(reading?.notes ?? []));
    batch.unknown ??= reading ? reading.unknown : "an update that is no event";
  }
  return batch;
}

/** An event for which VK repeatedly fails to give the rest is read as it came: it blocks no others. */
async function eventIn(login: Login, about: Envelope, signal: AbortSignal): Promise<Reading> {
  for (let tries = 1; ; tries++)
    try {
      return await readEvent(login, { ...about, isAsIs: tries > TRIES }, signal);
    } catch (error) {
      const isLate = error instanceof DeliveryError && error.verdict.type === "retry" && !error.verdict.afterMs;
      if (!isLate || tries > TRIES || signal.aborted) throw error;
      await pause(login.context.clock, tries * TRY_MS, signal);
    }
}
