import { CORPORATE } from "../crm/corporate/corporate.ts";
import { CUSTOMER } from "../crm/customers/customer.ts";
import { summedUp } from "../crm/orders/after.ts";
import type { Entry } from "../crm/records.ts";
import type { Actor } from "../crm/resource/change.ts";
import { SANDBOX_KEY } from "../crm/rights.ts";
import { crmTime } from "../crm/times.ts";
import type { World } from "../world.ts";
import type { Draw } from "./draw.ts";
import { firmOf } from "./firms.ts";
import type { History, Log } from "./log.ts";
import { countryOf, personOf } from "./people.ts";

export const BY_API: Actor = { source: "api", key: SANDBOX_KEY };

/** A customer that orders, from `at` on, ms. */
export interface Buyer {
  at: number;
  entry: Entry;
}
/** In order of arrival; `ofId` finds persons. */
export interface Buyers {
  all: Buyer[];
  ofId(id: unknown): Entry | undefined;
}

interface Arrivals {
  count: number;
  /** When the first and the last one come, ms. */
  from: number;
  to: number;
  managers: readonly number[];
}

/** Each of so many customers is a firm. */
const FIRM_EVERY = 12;

export function drawBuyers(world: World, draw: Draw, log: Log, { count, from, to, managers }: Arrivals): Buyers {
  const all: Buyer[] = [];
  const places = new Map<unknown, number>();
  const persons: number[] = [];
  for (let n = 0; n < count; n++) {
    const at = from + ((to - from) * (n + draw.share())) / count;
    const coming = { id: world.nextId(), n, createdAt: crmTime(at), country: countryOf(draw), managers };
    const isFirm = n % FIRM_EVERY === FIRM_EVERY - 1;
    const contacts = isFirm ? contactsIn(draw, all, persons) : [];
    const entry = isFirm ? firmOf(draw, coming, contacts, world.nextId) : personOf(draw, coming);
    log.add((isFirm ? CORPORATE : CUSTOMER).history as History, at, BY_API, entry);
    places.set(coming.id, n);
    if (!isFirm) persons.push(n);
    for (const person of contacts) {
      const met = { ...person, isContact: true };
      log.add(CUSTOMER.history as History, at, BY_API, met, person);
      (all[places.get(person.id) ?? 0] as Buyer).entry = met;
    }
    all.push({ at, entry });
  }
  return { all, ofId: (id) => all[places.get(id) ?? -1]?.entry };
}

/** One or two persons who came before. */
function contactsIn(draw: Draw, all: Buyer[], persons: number[]): Entry[] {
  const [one, other] = [draw.one(persons), draw.one(persons)];
  const numbers = draw.chance(0.5) || one === other ? [one] : [one, other];
  return numbers.map((number) => (all[number] as Buyer).entry);
}

/** Keeps the customers, with the sums of the orders that are kept. */
export function keepBuyers(world: World, { all }: Buyers): void {
  const { customers, corporate } = world.tables;
  for (const { entry } of all) (entry.type === "customer" ? customers : corporate).put(summedUp(world, entry));
}
