import { pause } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Feed } from "gangway-messenger/port";
import * as z from "zod";
import type { MaxApi } from "./api.ts";
import { type Reading, read } from "./reading/reading.ts";
import { MaxError } from "./verdict.ts";
import { apiUrlOf, type Context, CURSOR, UPDATE_TYPES } from "./wire.ts";

/** How long MAX holds an empty poll open, s; and timeout of the call, ms. */
const HOLD_S = 30;
const CALL_MS = 45_000;
/** Shortest interval between empty polls, ms. */
const MIN_POLL_MS = 1_000;
const MAX_UPDATES = 100;
const ANSWER_BYTES = 32 * 1024 * 1024;

/** Marker after the last stored updates; another server has markers of its own. */
const position = z.object({ marker: z.string().optional(), apiUrl: z.string() });
const id = z.union([z.number(), z.string()]).transform(String);
const updates = z.object({ updates: z.array(z.unknown()), marker: id.nullish() });

/**
 * Long polling, for servers without a public address: MAX says that it is not for production. The next poll's marker
 * confirms the last updates, so it waits until they are stored.
 */
export function polling(context: Context, api: MaxApi): Feed {
  const { clock } = context;
  const apiUrl = apiUrlOf(context);
  return {
    async run(save, signal) {
      const known = position.safeParse(JSON.parse((await context.notes.get(CURSOR)) ?? "null")).data;
      let marker = known?.apiUrl === apiUrl ? known.marker : undefined;
      while (!signal.aborted) {
        const started = clock.monotonic();
        const answer = await poll(api, marker, signal);
        const { events, notes, unknown } = await readAll(context, answer.updates);
        marker = answer.marker ?? marker;
        if (answer.updates.length > 0) notes.push({ key: CURSOR, value: JSON.stringify({ marker, apiUrl }) });
        await save({ events, notes, unknown });
        if (answer.updates.length === 0) await pause(clock, MIN_POLL_MS - (clock.monotonic() - started), signal);
      }
    },
  };
}

function poll(api: MaxApi, marker: string | undefined, signal: AbortSignal) {
  const query = {
    limit: String(MAX_UPDATES),
    timeout: String(HOLD_S),
    types: UPDATE_TYPES.join(","),
    ...(marker !== undefined && { marker }),
  };
  const limits = { timeoutMs: CALL_MS, waiting: true, maxBytes: ANSWER_BYTES };
  const request = { method: "GET", path: "updates", query, result: updates, what: "updates", ...limits } as const;
  return api.ask(request, signal).catch(subscribed);
}

/** A subscription disables polling. */
function subscribed(error: unknown): never {
  if (!(error instanceof MaxError) || error.refusal.status !== 405) throw error;
  throw new DeliveryError({ type: "retry" }, SUBSCRIBED);
}

const SUBSCRIBED =
  "another service has subscribed to this bot's messages, so MAX gives them to nobody who asks. Disconnect it there, or save this channel with the takeover allowed";

async function readAll(context: Context, batch: unknown[]): Promise<Reading> {
  const all: Reading = { events: [], notes: [] };
  // With the notes of earlier updates in the batch, which later ones may need.
  const get = async (key: string) => all.notes.findLast((note) => note.key === key)?.value ?? context.notes.get(key);
  const view = { ...context, notes: { ...context.notes, get } };
  for (const each of batch) {
    const reading = await read(view, each);
    all.events.push(...(reading?.events ?? []));
    all.notes.push(...(reading?.notes ?? []));
    all.unknown ??= reading ? reading.unknown : "a body that is not an update";
  }
  return all;
}
