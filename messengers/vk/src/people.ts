import { deadline } from "gangway-messenger/clock";
import { type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import type { ChannelSession, Note } from "gangway-messenger/port";
import * as z from "zod";
import type { Api } from "./api.ts";
import { VkError } from "./verdict.ts";
import type { Context } from "./wire.ts";

/** How long a webhook waits for names, and a list, ms; and the pause after a missing answer, ms. */
const [ASK_MS, LIST_ASK_MS, REST_MS] = [2_000, 10_000, 60_000];
/** Maximum number of people per call. */
const MAX_ASKED = 500;

export interface People {
  of(person: number): Customer;
  /** What was learned about them. */
  notes: Note[];
}
/** The first ones matter most. `signal`: of a list, which waits longer, but no longer than that. */
export type AskPeople = (people: Iterable<number>, signal?: AbortSignal) => Promise<People>;

const text = z.string().nullish();
const profile = z.object({ id: z.int(), first_name: text, last_name: text, photo_200: text });
const profiles = z.array(z.unknown()).transform((all) => all.flatMap((each) => profile.safeParse(each).data ?? []));
const kept = z.object({ nickname: z.string(), firstName: z.string().optional(), lastName: z.string().optional() });
type Kept = z.infer<typeof kept>;

const personKey = (person: number) => `person:${person}`;

/**
 * Events contain no names: the author of a first message is looked up. Without an answer the customer's name is a
 * number.
 */
export function askingPeople(context: Context, api: Api): AskPeople {
  let restUntil = 0;
  return async (people, listing) => {
    const { notes, clock, closed } = context;
    const known = new Map<number, Kept>();
    const fresh: Note[] = [];
    const asked: number[] = [];
    for (const each of new Set(people)) {
      const found = readKept(await notes.get(personKey(each)));
      if (found) known.set(each, found);
      else if (each > 0) asked.push(each);
    }
    const now = clock.now();
    if (asked.length > 0 && (now >= restUntil || now < restUntil - REST_MS)) {
      const { signal, end } = deadline(clock, listing ? LIST_ASK_MS : ASK_MS, listing ?? closed);
      const found = await profilesOf(api, asked.slice(0, MAX_ASKED), signal).catch((error: unknown) => {
        listing?.throwIfAborted();
        // A refusal is an answer.
        if (!(error instanceof VkError)) restUntil = now + REST_MS;
        return [];
      });
      end();
      for (const each of found) {
        const person = personOf(each);
        if (!person.nickname) continue;
        known.set(each.id, person);
        fresh.push({ key: personKey(each.id), value: JSON.stringify(person) });
      }
    }
    const of = (person: number): Customer => ({
      ...{ id: String(person) as CustomerId, hasAvatar: true, profileUrl: `https://vk.com/id${person}` },
      ...(known.get(person) ?? { nickname: `VK ${String(person).slice(-4)}` }),
    });
    return { of, notes: fresh };
  };
}

function personOf({ first_name: first, last_name: last }: z.infer<typeof profile>): Kept {
  const [firstName, lastName] = [cleanName(first ?? ""), cleanName(last ?? "")];
  const nickname = cleanName(`${firstName} ${lastName}`);
  return { nickname, ...(firstName && { firstName }), ...(lastName && { lastName }) };
}

function readKept(value: string | undefined): Kept | undefined {
  if (!value) return undefined;
  try {
    return kept.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

const profilesOf = (api: Api, people: (number | string)[], signal: AbortSignal) =>
  api.call(
    { method: "users.get", params: { user_ids: people.join(","), fields: "photo_200" }, result: profiles },
    signal,
  );

/** Pictures, by URLs whose path stays the same as long as the picture does. */
export const avatars = (api: Api): NonNullable<ChannelSession["avatars"]> => ({
  async find(customer, signal) {
    if (!/^\d+$/.test(customer)) return undefined;
    const [found] = await profilesOf(api, [customer], signal);
    const url = found?.photo_200;
    if (!url || !URL.canParse(url)) return undefined;
    return { version: new URL(url).pathname, ref: url };
  },
});
