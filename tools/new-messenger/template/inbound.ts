import type { ChannelContext, Receipt } from "../../../src/channels/port.ts";
import { sameSecret } from "../../../src/domain/ids.ts";
import type { ChannelEvent } from "../../../src/domain/message.ts";
import { isOverNested } from "../../../src/domain/nesting.ts";
import { type Settings, type Update, update } from "./wire.ts";

/** The header by which the network proves itself (write me). */
export const PROOF = "x-acme-secret";

const nothing = (status: number): Receipt => ({ events: [], reply: new Response(null, { status }) });

/** Whatever cannot be read is answered with 200: it would be repeated otherwise. */
export function receiving({ settings }: ChannelContext<Settings>): (request: Request) => Promise<Receipt> {
  return async (request) => {
    if (!sameSecret(request.headers.get(PROOF) ?? "", settings.webhookSecret)) return nothing(401);
    if (request.method !== "POST") return nothing(405);
    const read = readBody(await request.text());
    if (!read) return { ...nothing(200), unknown: "a body that is no update" };
    return { ...nothing(200), events: eventsOf(read) };
  };
}

function readBody(text: string): Update | undefined {
  if (isOverNested(text)) return undefined;
  try {
    return update.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** `key` is what the network repeats with the same event; nothing that a customer says is dropped. */
function eventsOf({ id }: Update): ChannelEvent[] {
  throw new Error(`write me: the update ${id} as events`);
}
