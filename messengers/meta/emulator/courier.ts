import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { isCorrupted, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { type Fault, isSent } from "gangway-messenger/kit/emulator/faults";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import { type MetaFaults, WEBHOOK } from "./faults.ts";
import { escaped, signatureOf } from "./signature.ts";
import type { CourierSwitches } from "./switches.ts";

/** Where events go, and the app secret that signs them. */
export interface Destination {
  url: string;
  /** Absent: whoever forwards it does not sign. */
  secret?(): string;
  headers?: Record<string, string>;
  /** Still subscribed: a repetition stops when it no longer is. */
  isLive(): boolean;
}
export interface Courier {
  /** Brings an entry of a webhook. Resolves when the first try of its body is over; repeats go on by the clock. */
  post(to: Destination, entry: object): Promise<void>;
  /** Sends gathered entries now. */
  flush(): Promise<void>;
  /** Bodies that wait for a repetition. */
  waiting(): number;
  clear(): void;
  stop(): void;
}
export interface CourierParts {
  /** The webhook's `object`. */
  object: string;
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  deliver: EmulatorOptions["deliver"];
  switches(): CourierSwitches;
  /** What signatures cover. */
  signature(): "raw" | "escaped";
  faults: MetaFaults;
  journal: Journal;
}

interface Gathered {
  to: Destination;
  entries: object[];
  done: Promise<void>;
  leave(): void;
}
interface Parcel {
  to: Destination;
  body: string;
  firstAt: number;
  attempts: number;
}

const ANSWER_WITHIN_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
/** "Decreasing frequency": the pause doubles up to this. */
const MAX_PAUSE_MS = 3_600_000;

/** Meta's delivery: no order, every answer but 200 is repeated for days, one body may bring many entries. */
export function createCourier(parts: CourierParts): Courier {
  const gathered = new Map<string, Gathered>();
  const cancels = new Set<() => void>();
  const aborts = new Set<AbortController>();
  let stopped = false;

  const later = (ms: number, run: () => void) => {
    const cancel = parts.clock.after(ms, () => {
      cancels.delete(cancel);
      if (!stopped) run();
    });
    cancels.add(cancel);
  };
  const attempt = async (parcel: Parcel): Promise<void> => {
    if (stopped || !parcel.to.isLive()) return;
    const abort = new AbortController();
    aborts.add(abort);
    const taken = await tried(parts, parcel, abort);
    aborts.delete(abort);
    if (stopped) return;
    const { duplicates, disorderMs, retryForMs } = parts.switches();
    if (taken) {
      if (parts.random() < duplicates) later(parts.random() * disorderMs, () => void attempt(parcel));
      return;
    }
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** parcel.attempts);
    parcel.attempts += 1;
    if (parts.clock.now() + pause <= parcel.firstAt + retryForMs) later(pause, () => void attempt(parcel));
  };
  const leave = async (to: Destination, entries: object[]): Promise<void> => {
    const written = JSON.stringify({ object: parts.object, entry: entries });
    const body = parts.switches().body === "escaped" ? escaped(written) : written;
    const parcel = { to, body, firstAt: parts.clock.now(), attempts: 0 };
    const { disorder, disorderMs } = parts.switches();
    if (parts.random() >= disorder) return attempt(parcel);
    later(parts.random() * disorderMs, () => void attempt(parcel));
  };
  const gather = (to: Destination, entry: object): Promise<void> => {
    const { batchMs, batchEntries } = parts.switches();
    const batch = gathered.get(to.url) ?? begun(to, batchMs);
    batch.entries.push(entry);
    if (batch.entries.length >= batchEntries) batch.leave();
    return batch.done;
  };
  const begun = (to: Destination, batchMs: number): Gathered => {
    let finish: (sent: Promise<void>) => void = () => {};
    const done = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const batch: Gathered = {
      to,
      entries: [],
      done,
      leave() {
        if (gathered.get(to.url) === batch) gathered.delete(to.url);
        finish(leave(to, batch.entries.splice(0)));
      },
    };
    gathered.set(to.url, batch);
    later(batchMs, () => {
      if (batch.entries.length > 0) batch.leave();
    });
    return batch;
  };
  const clear = () => {
    gathered.clear();
    for (const cancel of cancels) cancel();
    cancels.clear();
  };
  const post = async (to: Destination, entry: object): Promise<void> => {
    const { withheld, batchMs } = parts.switches();
    if (withheld > 0 && parts.random() < withheld) return;
    await (batchMs > 0 ? gather(to, entry) : leave(to, [entry]));
  };
  return {
    post,
    async flush() {
      const batches = [...gathered.values()];
      for (const batch of batches) batch.leave();
      await Promise.all(batches.map(({ done }) => done));
    },
    waiting: () => cancels.size,
    clear,
    stop() {
      stopped = true;
      for (const abort of aborts) abort.abort();
      clear();
    },
  };
}

/** True: answered 200. */
async function tried(parts: CourierParts, { to, body }: Parcel, abort: AbortController): Promise<boolean> {
  const plan = parts.faults.next(WEBHOOK);
  const { code: _, subcode: __, operation: ___, ...fault } = plan ?? { operation: "" };
  if (fault.delayMs) await new Promise<void>((resolve) => parts.clock.after(fault.delayMs ?? 0, resolve));
  if (!isSent(fault)) return false;
  // Own timer: Node may garbage-collect an `AbortSignal.any` over a timeout.
  const timer = setTimeout(() => abort.abort(), ANSWER_WITHIN_MS);
  const status = await posted(parts, to, body, fault, abort.signal).catch(() => 0);
  clearTimeout(timer);
  if (isCorrupted(fault)) return false;
  note(parts, to, body, status);
  return status === 200 && fault.drop !== "after" && fault.status === undefined;
}

async function posted(
  { deliver, signature }: CourierParts,
  to: Destination,
  body: string,
  fault: Fault,
  signal: AbortSignal,
): Promise<number> {
  const headers = {
    "content-type": "application/json",
    "user-agent": "facebookexternalua",
    accept: "*/*",
    ...(to.secret && { "x-hub-signature-256": signatureOf(to.secret(), body, signature()) }),
    ...to.headers,
  };
  if (isCorrupted(fault) || fault.body === "drip")
    return (await send({ url: to.url, headers, body, signal }, fault)).status;
  const answer = await deliver(new Request(to.url, { method: "POST", redirect: "manual", headers, body, signal }));
  await answer.arrayBuffer();
  return answer.status;
}

function note({ clock, journal }: CourierParts, { url }: Destination, body: string, status: number): void {
  journal.add({
    at: clock.now(),
    kind: "webhook",
    operation: "webhook",
    method: "POST",
    path: URL.canParse(url) ? new URL(url).pathname : url,
    query: {},
    status,
    request: JSON.parse(body),
    answer: undefined,
    headers: {},
  });
}
