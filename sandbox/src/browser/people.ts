import { type Api, queryOf } from "./api.ts";
import type { Person } from "./model.ts";
import { personFrom, type WireActor } from "./wire.ts";

interface WireUser {
  id: number;
  first_name?: string;
  last_name?: string;
  username?: string;
  is_technical_account: boolean;
}
interface WireBot {
  id: number;
  name: string;
  is_active: boolean;
  is_system: boolean;
  roles: string[];
}

export interface People {
  load(): Promise<void>;
  get(id: number | undefined): Person | undefined;
  assignable(): Person[];
  put(person: WireActor, active?: boolean): void;
  onChange(listener: () => void): void;
}

const LIMIT = 1000;
/** A bot without roles is unrestricted. */
const mayBeResponsible = ({ roles, is_system: system }: WireBot) =>
  !system && (roles.length === 0 || roles.includes("responsible"));

export function createPeople(api: Api): People {
  const known = new Map<number, Person>();
  const assignable = new Set<number>();
  const listeners = new Set<() => void>();
  const tell = () => {
    for (const listener of listeners) listener();
  };
  const keep = (person: Person, able: boolean) => {
    known.set(person.id, person);
    if (able) assignable.add(person.id);
    else assignable.delete(person.id);
  };
  let puts = 0;
  const loadOnce = async (): Promise<void> => {
    const before = puts;
    const query = queryOf({ active: true, limit: LIMIT });
    const [users, bots] = await Promise.all([
      api.bot<WireUser[]>("GET", `/users${query}`),
      api.bot<WireBot[]>("GET", `/bots${query}`),
    ]);
    // The answers may be older than an event that came meanwhile.
    if (puts !== before) return loadOnce();
    assignable.clear();
    for (const user of users) keep(personFrom({ ...user, type: "user" }), !user.is_technical_account);
    for (const bot of bots) keep(personFrom({ ...bot, type: "bot" }), mayBeResponsible(bot));
    tell();
  };
  // One after the other: the last answer is the newest.
  let loading = Promise.resolve();
  return {
    load() {
      loading = loading.catch(() => {}).then(loadOnce);
      return loading;
    },
    get: (id) => (id === undefined ? undefined : known.get(id)),
    assignable: () => [...known.values()].filter((person) => assignable.has(person.id)),
    put(actor, active) {
      puts += 1;
      keep(personFrom(actor), active ?? assignable.has(actor.id));
      tell();
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
