import type { ChatId } from "gangway-messenger/ids";
import type { ChannelSession, LookupResult, LookupTarget } from "gangway-messenger/port";
import { type AvitoApi, REQUEST_MS } from "./api.ts";
import { sayingOf } from "./content.ts";
import { askMessages, MAX_OFFSET, PAGE, SECOND_MS } from "./messages.ts";
import {
  digestOf,
  holdsOf,
  oursKey,
  postedIn,
  postedKey,
  settled,
  staffKey,
  type Tried,
  triedIn,
  tryingKey,
} from "./notes.ts";
import { sentAs } from "./sending.ts";
import type { Context, WireMessage } from "./wire.ts";

/** A message that is not listed so long after its call will not arrive any more, ms. */
const SETTLE_MS = 15_000;
const ASK_AGAIN_MS = 5_000;
/** Maximum lag of Avito's clock behind ours, ms; its list gives whole seconds. */
const SKEW_MS = 5_000;
/** An equal message older than that may still be ours if the clock is far behind, ms: then nobody can tell. */
const FAR_SKEW_MS = 30_000;

/** Avito has no idempotency keys: after a lost answer the chat is searched for the message's content. */
export function lookingUp(context: Context, api: AvitoApi): NonNullable<ChannelSession["lookup"]> {
  const { notes, clock } = context;
  return async (step, target, signal): Promise<LookupResult> => {
    signal.throwIfAborted();
    const known = postedIn(await notes.get(postedKey(target.key)));
    if (known) return { found: "arrived", ...sentAs(step, known) };
    const note = await notes.get(tryingKey(target.key));
    // Stored before any byte leaves: without it nothing was sent.
    if (!note) return { found: "absent" };
    const tried = triedIn(note);
    if (!tried) return { found: "unknown" };
    const { found, isSure } = await find(context, api, { target, tried }, signal);
    if (found) {
      const posted = { id: found.id, holds: holdsOf(found) };
      await notes.set(settled(target, tried.digest, posted));
      return { found: "arrived", ...sentAs(step, posted) };
    }
    if (!isSure) return { found: "unknown" };
    const { began, ended = began + REQUEST_MS } = tried;
    return clock.now() - ended < SETTLE_MS ? { found: "unknown", askAgainMs: ASK_AGAIN_MS } : { found: "absent" };
  };
}

interface Sought {
  target: LookupTarget;
  tried: Tried;
}

/**
 * The account's oldest message since its call began that has the same content and belongs to nobody else. `isSure`: if
 * none is found, there is none.
 */
async function find({ notes }: Context, api: AvitoApi, { target, tried }: Sought, signal: AbortSignal) {
  const { id: ownId } = await api.self(signal);
  const from = tried.began - FAR_SKEW_MS;
  const isTaken = async (id: string) => (await notes.get(oursKey(id))) || (await notes.get(staffKey(id)));
  let found: WireMessage | undefined;
  let isSure = true;
  for (let offset = 0; offset <= MAX_OFFSET; offset += PAGE) {
    const page = await askMessages(api, { chat: target.chat as ChatId, offset, from }, signal);
    isSure &&= !page.isPartial;
    for (const message of page.messages) {
      const at = (message.created ?? 0) * SECOND_MS;
      if (at < from || message.author_id !== ownId) continue;
      if (digestOf(sayingOf(message)) !== tried.digest || (await isTaken(message.id))) continue;
      if (at < tried.began - SKEW_MS) isSure = false;
      else if (!found || at <= (found.created ?? 0) * SECOND_MS) found = message;
    }
    if (!page.goesOn) return { found, isSure };
  }
  return { found, isSure: false };
}
