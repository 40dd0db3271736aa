import type { ChatId } from "gangway-messenger/ids";
import type { ChannelSession, LookupResult, LookupTarget } from "gangway-messenger/port";
import type { AvitoApi } from "./api.ts";
import { sayingOf } from "./content.ts";
import { askMessages, MAX_OFFSET, PAGE } from "./messages.ts";
import { digestOf, oursKey, postedKey, settled, tryingKey } from "./notes.ts";
import { sentAs } from "./sending.ts";
import type { Context, WireMessage } from "./wire.ts";

/** What is not listed so long after its call is not on its way any more, ms. */
const SETTLE_MS = 15_000;
const ASK_AGAIN_MS = 5_000;
/** How far Avito's clock may be behind ours, ms; its list gives whole seconds. */
const SKEW_MS = 30_000;

/** Avito has no keys: after a lost answer the chat is read back for what the message says. */
export function lookingUp(context: Context, api: AvitoApi): NonNullable<ChannelSession["lookup"]> {
  const { notes, clock } = context;
  return async (step, target, signal): Promise<LookupResult> => {
    signal.throwIfAborted();
    const path = step.files.length > 0 ? "/messages/image" : "/messages";
    const known = await notes.get(postedKey(target.key));
    if (known) return { found: "arrived", ...sentAs({ path }, known) };
    const digest = await notes.get(tryingKey(target.key));
    // Written before a byte leaves: without it none has.
    if (!digest) return { found: "absent" };
    const { found, isWhole } = await find(context, api, { target, digest }, signal);
    if (found) {
      await notes.set(settled(target, digest, found.id));
      return {
        found: "arrived",
        ...sentAs({ path: found.type === "image" ? "/messages/image" : "/messages" }, found.id),
      };
    }
    if (!isWhole) return { found: "unknown" };
    return clock.now() - target.since < SETTLE_MS
      ? { found: "unknown", askAgainMs: ASK_AGAIN_MS }
      : { found: "absent" };
  };
}

interface Sought {
  target: LookupTarget;
  digest: string;
}

/** The account's oldest message since then that says the same and is of no other key. `isWhole`: all were looked at. */
async function find({ notes }: Context, api: AvitoApi, { target, digest }: Sought, signal: AbortSignal) {
  const { id: ownId } = await api.self(signal);
  const from = target.since - SKEW_MS;
  let found: WireMessage | undefined;
  for (let offset = 0; offset <= MAX_OFFSET; offset += PAGE) {
    const { messages, goesOn } = await askMessages(api, { chat: target.chat as ChatId, offset, from }, signal);
    for (const message of messages) {
      if ((message.created ?? 0) * 1_000 < from || message.author_id !== ownId) continue;
      if (digestOf(sayingOf(message)) !== digest || (await notes.get(oursKey(message.id)))) continue;
      if (!found || (message.created ?? 0) <= (found.created ?? 0)) found = message;
    }
    if (!goesOn) return { found, isWhole: true };
  }
  return { found, isWhole: false };
}
