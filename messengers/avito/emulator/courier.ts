import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { isCorrupted, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { type Fault, isSent } from "gangway-messenger/kit/emulator/faults";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import { type AvitoFaults, WEBHOOK } from "./faults.ts";
import type { Switches } from "./switches.ts";
import { pushedMessage } from "./wire.ts";
import type { Account, Chat, Message, World } from "./world.ts";

export interface CourierParts {
  world: World;
  clock: Pick<Clock, "now" | "after">;
  origin(): string;
  random(): number;
  deliver: EmulatorOptions["deliver"];
  switches(): Switches;
  faults: AvitoFaults;
  journal: Journal;
}
export interface Courier {
  /** Brings a message to all addresses of its account; resolves when the first tries are over. */
  bring(chat: Chat, message: Message): Promise<void>;
  /** Whether an address answers `{}` with 200 in time. */
  probe(url: string): Promise<boolean>;
  stop(): void;
}

/** An answer that comes later is none. */
const ANSWER_WITHIN_MS = 2_000;
/** Before the second try, ms; it doubles. The real pauses are not published. */
const FIRST_PAUSE_MS = 1_000;

export function createCourier(parts: CourierParts): Courier {
  const cancels = new Set<() => void>();
  let isStopped = false;
  const later = (ms: number, run: () => void) => {
    const cancel = parts.clock.after(ms, () => {
      cancels.delete(cancel);
      if (!isStopped) run();
    });
    cancels.add(cancel);
  };
  const attempt = async (account: Account, url: string, body: string, tried = 1): Promise<void> => {
    if (isStopped || !account.webhooks.some((each) => each.url === url)) return;
    const isTaken = await posted(parts, url, body);
    const { duplicates, tries } = parts.switches();
    if (isTaken && parts.random() < duplicates) later(FIRST_PAUSE_MS, () => void attempt(account, url, body, tries));
    if (!isTaken && tried < tries)
      later(FIRST_PAUSE_MS * 2 ** (tried - 1), () => void attempt(account, url, body, tried + 1));
  };
  return {
    async bring(chat, message) {
      const { withheld } = parts.switches();
      if (withheld > 0 && parts.random() < withheld) return;
      const body = JSON.stringify(bodyOf(parts, chat, message));
      const { account } = chat;
      await Promise.all(account.webhooks.map(({ url }) => attempt(account, url, body)));
    },
    probe: async (url) => (await tried(parts, url, "{}")) === 200,
    stop() {
      isStopped = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
}

function bodyOf({ world, clock, origin, switches }: CourierParts, chat: Chat, message: Message): object {
  const { clockMs: aheadMs, quotes } = switches();
  return {
    id: world.newId(),
    version: "v3.0.0",
    timestamp: Math.floor((clock.now() + aheadMs) / 1_000),
    payload: {
      type: "message",
      value: pushedMessage(message, chat, { origin: origin(), aheadMs }, quotes === "webhook"),
    },
  };
}

async function posted(parts: CourierParts, url: string, body: string): Promise<boolean> {
  const { operation: _, ...fault } = parts.faults.next(WEBHOOK) ?? { operation: "" };
  if (fault.delayMs) await new Promise<void>((resolve) => parts.clock.after(fault.delayMs ?? 0, resolve));
  if (!isSent(fault)) return false;
  const status = await tried(parts, url, body, fault);
  return status === 200 && !isCorrupted(fault) && fault.drop !== "after" && fault.status === undefined;
}

/** Nobody knows how the signature is made. */
const headersFor = ({ world }: Pick<CourierParts, "world">) => ({
  "content-type": "application/json",
  "x-avito-messenger-signature": `${world.newId()}${world.newId()}`,
});

/** The status; 0: no answer in time. */
async function tried(parts: CourierParts, url: string, body: string, fault: Fault = {}): Promise<number> {
  const { clock, journal, deliver } = parts;
  const abort = new AbortController();
  const cancel = clock.after(ANSWER_WITHIN_MS, () => abort.abort());
  const outgoing = { url, headers: headersFor(parts), body, signal: abort.signal };
  const { status } = await send(outgoing, fault, deliver).catch(() => ({ status: 0 }));
  cancel();
  const request = JSON.parse(body);
  if (Object.keys(request).length > 0)
    journal.add({
      ...{ at: clock.now(), kind: "webhook", operation: "webhook", method: "POST", path: new URL(url).pathname },
      ...{ query: {}, status, request, answer: undefined, headers: {} },
    });
  return status;
}
