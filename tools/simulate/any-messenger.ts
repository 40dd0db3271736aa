import type { Sandbox } from "gangway-sandbox";
import type { Customer, Messenger } from "./customers.ts";
import { UNSURE } from "./customers.ts";

/** How a message of the shop begins; a quote may stand above it. */
const OWN_LINE = /^out \d+-\d+-\d+[\s\S]*/m;

/** Any messenger whose package has an emulator with a customer: one chat of texts, which nobody edits. */
export function messengerIn({ crm }: { crm: Sandbox }, kind: string): Messenger {
  const emulator = crm.emulators[kind];
  const person = emulator?.customer;
  if (!emulator || !person) throw new Error(`${kind} has no emulator with a customer`);
  /** What the gateway had when each of the customer's messages was written. */
  const before = new Map<string, Set<string>>();
  const arrived = () => new Set(crm.world.messages.map(({ text }) => text));
  const customer: Customer = {
    get id() {
      return [...crm.world.chats.values()][0]?.externalId ?? "";
    },
    get called() {
      return this.id;
    },
    album: 1,
    async say(said) {
      for (const each of said) {
        each.hasPhoto = false;
        before.set(each.name, arrived());
        await person.says(each.text);
      }
      return [];
    },
    shown() {
      const texts = person.sees();
      if (!Array.isArray(texts)) throw new Error(`${kind} shows its texts later: the simulation cannot wait`);
      return texts.map((text) => ({ text: OWN_LINE.exec(text)?.[0] ?? text, answers: "" }));
    },
    failed: () => [],
    precedes: (one, other) => before.get(other.name)?.has(one.text) ?? false,
  };
  return {
    async join(visit, n) {
      const { name, settings } = emulator.channel();
      await emulator.register?.(new URL(visit.home, "http://127.0.0.1:3000").origin);
      await visit.add(kind, `${name} ${n}`, settings, UNSURE);
      return { customers: [customer], kind, name: `${name} ${n}`, settings: () => settings };
    },
    isQuiet: () => true,
    secrets: () => [],
  };
}
