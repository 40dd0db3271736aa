import { deadline } from "gangway-messenger/clock";
import { singleFlight } from "gangway-messenger/concurrency";
import { type ChatId, type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import type { ChannelSession, Note } from "gangway-messenger/port";
import * as z from "zod";
import type { AvitoApi } from "./api.ts";
import { IMAGE_REF, isWeb, largest } from "./content.ts";
import { chatKey, faceKey } from "./notes.ts";
import { chatPath } from "./paths.ts";
import { within } from "./shared.ts";
import { AvitoError } from "./verdict.ts";
import { type Context, chat as chatSchema, type WireChat, type WireUser } from "./wire.ts";

/** How long a webhook waits for its chat's details, ms: Avito wants an answer within two seconds. */
const ASK_MS = 1_200;
/** Pause of all requests after a missing answer, or of those for a chat that was refused, ms. */
const REST_MS = 60_000;
/** A key that is no chat's id. */
const ALL = "";
const WHAT = "a chat";

/** Learns who writes in a chat, and about which listing: webhooks state neither. */
const about = z.object({
  customer: z.object({ id: z.string(), name: z.string(), url: z.string().optional(), face: z.string().optional() }),
  item: z.object({ title: z.string(), url: z.string().optional(), price: z.string().optional() }).optional(),
});
export type About = z.infer<typeof about>;

export interface Known {
  about?: About;
  /** What was learned. */
  notes: Note[];
}

/** The customer is the participant that we are not. */
export function aboutOf({ users, context }: WireChat, ownId: string): About | undefined {
  const user = users?.find((each) => each && each.id !== ownId);
  if (!user) return undefined;
  const { title, url, price_string: price } = context?.value ?? {};
  const item = title ? { title, ...(isWeb(url) && { url }), ...(price && { price }) } : undefined;
  return { customer: personOf(user), ...(item && { item }) };
}

function personOf({ id, name, public_user_profile: profile }: WireUser): About["customer"] {
  const face = largest(profile?.avatar?.images)?.file;
  const url = face?.at === "messenger" ? face.ref.slice(IMAGE_REF.length) : undefined;
  return {
    id,
    name: cleanName(name ?? ""),
    ...(isWeb(profile?.url) && { url: profile.url }),
    // Pictures that Avito shows for people without one of their own.
    ...(url && !url.includes("/stub_avatars/") && { face: url }),
  };
}

/** `id`: the author's, if only that is known. */
export function customerOf({ customer }: About): Customer {
  const { id, name, url, face } = customer;
  return {
    id: id as CustomerId,
    nickname: name || nameless(id),
    ...(url && { profileUrl: url }),
    ...(face && { hasAvatar: true }),
  };
}
export const nameless = (id: string): string => `Avito ${id.slice(-4)}`;

/** Notes that record it; none if nothing is new. `kept`: the existing note. */
export function notesOf(chat: string, known: About, kept: string | undefined): Note[] {
  const value = JSON.stringify(known);
  if (value === kept) return [];
  const { id, face } = known.customer;
  return [{ key: chatKey(chat), value }, ...(face ? [{ key: faceKey(id), value: face }] : [])];
}

export function readAbout(kept: string | undefined): About | undefined {
  if (!kept) return undefined;
  try {
    return about.safeParse(JSON.parse(kept)).data;
  } catch {
    return undefined;
  }
}

/** Details of a chat; asks Avito once. Never throws. */
export type AskChat = (chat: ChatId) => Promise<Known>;

export function askingChats({ clock, closed, notes }: Context, api: AvitoApi): AskChat {
  const flight = singleFlight<About | undefined>();
  /** When each chat's pause ends; ALL: the pause of all requests. */
  const rests = new Map<string, number>();
  const rest = (key: string) => {
    const now = clock.now();
    for (const [each, until] of rests) if (!isAhead(until, now)) rests.delete(each);
    rests.set(key, now + REST_MS);
  };
  const ask = async (chat: ChatId): Promise<About | undefined> => {
    const { signal, end } = deadline(clock, ASK_MS, closed);
    try {
      return await within(askChat(api, chat, signal), WHAT, signal);
    } catch (error) {
      rest(isOfChat(error) ? chat : ALL);
      return undefined;
    } finally {
      end();
    }
  };
  return async (chat) => {
    const kept = await notes.get(chatKey(chat));
    const known = readAbout(kept);
    if (known) return { about: known, notes: [] };
    const now = clock.now();
    const mayAsk = [ALL, chat].every((each) => !isAhead(rests.get(each) ?? 0, now));
    const found = mayAsk ? await flight(chat, () => ask(chat)) : undefined;
    return found ? { about: found, notes: notesOf(chat, found, kept) } : { notes: [] };
  };
}

async function askChat(api: AvitoApi, chat: ChatId, signal: AbortSignal): Promise<About | undefined> {
  const path = await chatPath(api, 2, chat, "", signal);
  const found = await api.call({ method: "GET", path, result: chatSchema, what: WHAT }, signal);
  return aboutOf(found, (await api.self(signal)).id);
}

/** A refusal of this chat says nothing about others. */
const isOfChat = (error: unknown): boolean => error instanceof AvitoError && error.verdict.type === "reject";

/** Putting the clock back must not prolong a pause. */
const isAhead = (until: number, now: number): boolean => now < until && now >= until - REST_MS;

/** Pictures of customers, by the URL that came with their chat. */
export const avatars = ({ notes }: Pick<Context, "notes">): NonNullable<ChannelSession["avatars"]> => ({
  async find(customer) {
    const url = await notes.get(faceKey(customer));
    return url ? { version: new URL(url).pathname, ref: `${IMAGE_REF}${url}` } : undefined;
  },
});
