import type { Chance } from "./chance.ts";
import { type Said, UNSURE } from "./customers.ts";
import type { Network } from "./network.ts";
import { type Account, type Chat, heard } from "./people.ts";
import type { Time } from "./time.ts";

/** Acts on accounts while people write. */
export interface Merchants {
  /** From now on until `end`, ms of virtual time. */
  act(end: number): void;
  /** Undoes whatever still lasts. */
  settle(): Promise<void>;
  /**
   * Names of messages that the server had when their customers were erased, and that nothing has brought back since.
   */
  erased(): string[];
}

interface Parts {
  time: Time;
  chance: Chance;
  network: Network;
  accounts: Account[];
  /** Of a person's messages, on average, ms. */
  intervalMs: number;
}

/** On average one act per this many messages of a person. */
const PER_ACT = 10;
/** Average duration, and retry interval, ms. */
const [LASTS_MS, AGAIN_MS] = [60_000, 5_000];

/** A messenger that is removed and added again within this time may see that in another order, ms. */
const LATE_MS = 60_000;
/** A half-added channel is open after this time, ms. */
const OPENED_MS = 120_000;

interface Act {
  begin(): Promise<void>;
  /** Undoes it; both fail while the server is down. */
  end?(): Promise<void>;
}

/** What is written until now may be missing at the other side. */
const excuse = ({ inbound, outbound }: Chat) => {
  for (const said of [...inbound, ...outbound]) said.isExcused = true;
};

/**
 * A merchant pauses the messenger, gives it new credentials, removes and adds it, erases a customer, disconnects and
 * connects again; the CRM freezes the account; its gateway gets a new token.
 */
export function createMerchants({ time, chance, network, accounts, intervalMs }: Parts): Merchants {
  const lasting = new Set<() => Promise<void>>();
  const control = async ({ origin }: Account, path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    await network.direct(`${origin}/sandbox${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  };
  const freeze = (account: Account, isFrozen: boolean) =>
    control(account, "/activity", { code: "gangway", active: true, freeze: isFrozen });
  const press = async ({ visit }: Account, button: string) => {
    for (const id of await visit.channels()) await visit.press(`/channels/${id}/${button}`);
  };
  const erased = new Map<string, Said>();
  /** The people found by the customer's name. */
  const erase = async ({ visit, chats }: Account, c: number) => {
    const page = await visit.press("/customers", { text: chats[c]?.customer.called ?? "" });
    // A channel that was added anew is found beside the old one.
    for (const form of page.split("<form").slice(1)) {
      const inputs = [...form.matchAll(/<input type="hidden" name="(channel|chat|customer)" value="([^"]*)"/g)];
      const person = Object.fromEntries(inputs.map(([, name = "", value = ""]) => [name, value]));
      if (person.channel) await visit.press("/customers/erase", person);
    }
  };
  const erasing = (account: Account): Act => {
    const c = Math.floor(chance.draw("erased") * account.chats.length);
    const chat = account.chats[c] as Chat;
    return {
      async begin() {
        const names = heard(account, chat).map(({ name }) => name);
        for (const said of chat.inbound) if (names.includes(said.name)) erased.set(said.name, said);
      },
      async end() {
        excuse(chat);
        await erase(account, c);
        excuse(chat);
      },
    };
  };
  /** The messenger is away until its channel is there again. */
  const away = (account: Account, leave: () => Promise<unknown>, comeBack?: () => Promise<void>): Act => {
    const excuseAll = () => {
      for (const chat of account.chats) excuse(chat);
    };
    let [isLeft, isHalfAdded, leftAt] = [false, false, time.now()];
    return {
      async begin() {
        excuseAll();
        await leave().finally(() => {
          leftAt = time.now();
        });
        isLeft = true;
      },
      async end() {
        await comeBack?.();
        const { visit, presence } = account;
        const isThere = (await visit.channels()).length > 0;
        // Acts that failed half-way are repeated.
        if (isThere && !isLeft) {
          leftAt = time.now();
          await visit.removeAll();
        }
        if (!isThere || !isLeft) {
          await time.pause(Math.max(0, leftAt + LATE_MS - time.now()));
          [isLeft, isHalfAdded] = [true, true];
          await visit.add(presence.kind, presence.name, presence.settings(), UNSURE);
          isHalfAdded = false;
        }
        if (isHalfAdded) await time.pause(OPENED_MS);
        excuseAll();
      },
    };
  };
  const renewing = ({ visit, presence }: Account): Act => ({
    begin: async () => presence.revoke?.(),
    async end() {
      for (const id of await visit.channels()) await visit.change(id, presence.name, presence.settings(), UNSURE);
    },
  });
  const acts: [kind: string, (account: Account) => Act][] = [
    ["pause", (account) => ({ begin: () => press(account, "pause"), end: () => press(account, "resume") })],
    ["freeze", (account) => ({ begin: () => freeze(account, true), end: () => freeze(account, false) })],
    ["rotate", (account) => ({ begin: () => control(account, "/token/rotate", {}) })],
    ["new credentials", renewing],
    ["erase", erasing],
    ["remove", (account) => away(account, () => account.visit.removeAll())],
    ["disconnect", (account) => away(account, () => account.visit.disconnect(), account.connect)],
  ];
  const undo = async (end: () => Promise<void>) => {
    if (!lasting.delete(end)) return;
    for (let ended = false; !ended; ) {
      ended = await end().then(
        () => true,
        () => false,
      );
      if (!ended) await time.pause(AGAIN_MS);
    }
  };
  const strike = async (account: Account, n: number) => {
    const [kind, actOn] = chance.pick(`merchant's act ${n}`, acts);
    const ms = chance.wait(`merchant's patience ${n}`, LASTS_MS);
    if (!chance.strikes(`merchant ${n}`, 1, `${kind} ${Math.round(ms)} ms`)) return;
    const { begin, end } = actOn(account);
    // Of failed acts it is unknown whether they took effect.
    await begin().catch(() => undefined);
    if (!end) return;
    lasting.add(end);
    await time.pause(ms);
    await undo(end);
  };
  const all = () =>
    accounts.flatMap(({ chats }) => chats).flatMap(({ inbound, outbound }) => [...inbound, ...outbound]);
  return {
    /** An edit, or an answer that quotes it, may have come later. */
    erased() {
      const answered = new Set(all().flatMap(({ name, answers }) => (answers && !erased.has(name) ? [answers] : [])));
      const isUntouched = ({ name, text }: Said) => text === name && !answered.has(name);
      return [...erased.values()].filter(isUntouched).map(({ name }) => name);
    },
    act(end) {
      for (const [n, account] of accounts.entries()) {
        const next = () => {
          const wait = chance.wait(`merchant's rest ${n}`, PER_ACT * intervalMs);
          if (time.now() + wait > end) return;
          time.after(wait, () => void strike(account, n).then(next));
        };
        next();
      }
    },
    async settle() {
      await Promise.all([...lasting].map(undo));
    },
  };
}
