import type { ChatId } from "gangway-messenger/ids";
import { lastRandomKey, oursKey, randomKey } from "../notes.ts";
import type { Context } from "../wire.ts";

// VK never sends two messages with the same random_id in a chat within an hour. Two equal ids by chance would lose a
// message, so they are counted: seconds since 1970, or one more than the chat's last; negative, since other programs of
// the community use positive seconds.

const SECOND_MS = 1_000;
/** An int32, never 0, which means none. */
const MODULUS = 2_147_483_647;

type Known = Pick<Context, "notes" | "clock">;

/** The random_id under which a step was sent; undefined: no call for it was made. */
export async function knownRandomId({ notes }: Pick<Context, "notes">, key: string): Promise<number | undefined> {
  return Number(await notes.get(randomKey(key))) || undefined;
}

/** The step's random_id, stored before its first call. A chat's steps are sent one at a time. */
export async function randomIdOf({ notes, clock }: Known, chat: ChatId, key: string): Promise<number> {
  const known = await knownRandomId({ notes }, key);
  if (known !== undefined) return known;
  const last = Number(await notes.get(lastRandomKey(chat))) || 0;
  const next = Math.max(last + 1, Math.floor(clock.now() / SECOND_MS));
  const random = -(next % MODULUS || 1);
  await notes.set([
    { key: randomKey(key), value: String(random) },
    { key: lastRandomKey(chat), value: String(next) },
    { key: oursKey(chat, random), value: key },
  ]);
  return random;
}
