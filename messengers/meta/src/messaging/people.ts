import { deadline } from "gangway-messenger/clock";
import { eachOf } from "gangway-messenger/concurrency";
import { type CustomerId, cleanName } from "gangway-messenger/ids";
import type { Customer } from "gangway-messenger/message";
import type { ChannelSession, Note } from "gangway-messenger/port";
import * as z from "zod";
import { id } from "../envelope.ts";
import { GraphError } from "../verdict.ts";
import type { Login } from "./network.ts";
import { whoKey } from "./notes.ts";

/** Maximum number of profiles requested for one webhook, and their timeout, ms: the webhook's answer waits for them. */
const MAX_ASKED = 20;
const AT_ONCE = 8;
const ASK_MS = 2_000;
/** Pause after a request without an answer, ms: each webhook would wait, and Meta gives up on slow ones. */
const REST_MS = 60_000;

const text = z.string().nullish();
const profile = z.object({
  id,
  name: text,
  first_name: text,
  last_name: text,
  username: text,
  profile_pic: text,
});
const kept = z.object({
  nickname: z.string(),
  firstName: z.string().optional(),
  lastName: z.string().optional(),
  profileUrl: z.string().optional(),
});

export interface People {
  of(customer: string): Customer;
  /** What was learned about them. */
  notes: Note[];
}

export type AskPeople = (customers: Iterable<string>) => Promise<People>;

/**
 * Webhooks contain no names: the author of a first message is looked up. Without an answer the customer's name is a
 * number.
 */
export function askingPeople(login: Login): AskPeople {
  let restUntil = 0;
  return async (customers) => {
    const now = login.context.clock.now();
    const mayAsk = now >= restUntil || now < restUntil - REST_MS;
    const { isAway, ...people } = await peopleOf(login, customers, mayAsk ? MAX_ASKED : 0);
    if (isAway) restUntil = now + REST_MS;
    return people;
  };
}

async function peopleOf(login: Login, customers: Iterable<string>, most: number) {
  const known = new Map<string, Omit<Customer, "id">>();
  const notes: Note[] = [];
  const asked: string[] = [];
  for (const each of new Set(customers)) {
    const found = readKept(await login.context.notes.get(whoKey(each)));
    if (found) known.set(each, found);
    else if (asked.length < most) asked.push(each);
  }
  const { clock, closed } = login.context;
  const { signal, end } = deadline(clock, ASK_MS, closed);
  let isAway = false;
  await eachOf(asked, AT_ONCE, async (each) => {
    const found = await find(login, each, signal).catch((error: unknown) => {
      isAway ||= !(error instanceof GraphError);
    });
    if (!found) return;
    const customer = login.network.customerOf(found);
    if (!customer.nickname) return;
    known.set(each, customer);
    notes.push({ key: whoKey(each), value: JSON.stringify(customer) });
  });
  end();
  const { title } = login.network;
  return {
    isAway,
    of: (customer: string): Customer => ({
      id: customer as CustomerId,
      hasAvatar: true,
      ...(known.get(customer) ?? { nickname: `${title} ${customer.slice(-4)}` }),
    }),
    notes,
  };
}

function readKept(value: string | undefined): Omit<Customer, "id"> | undefined {
  if (!value) return undefined;
  try {
    return kept.safeParse(JSON.parse(value)).data;
  } catch {
    return undefined;
  }
}

const find = ({ graph, network }: Login, customer: string, signal: AbortSignal) =>
  graph.call(
    { method: "GET", path: customer, query: { fields: network.profileFields }, result: profile, what: "a profile" },
    signal,
  );

/** Names as people read them. */
export const nameIn = (...parts: (string | null | undefined)[]): string => cleanName(parts.filter(Boolean).join(" "));

/** Pictures, by URLs that expire. Their path stays the same as long as the picture does. */
export const avatars = (login: Login): NonNullable<ChannelSession["avatars"]> => ({
  async find(customer, signal) {
    if (!/^\d+$/.test(customer)) return undefined;
    const { profile_pic: url } = await find(login, customer, signal);
    if (!url || !URL.canParse(url)) return undefined;
    return { version: new URL(url).pathname, ref: url };
  },
});
