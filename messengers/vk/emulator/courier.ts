import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import { isCorrupted, send } from "gangway-messenger/kit/emulator/corrupted-request";
import { type Fault, isSent } from "gangway-messenger/kit/emulator/faults";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import { randomText } from "gangway-messenger/kit/emulator/random";
import type { VkFaults } from "./faults.ts";
import type { Switches } from "./switches.ts";
import type { CallbackServer, Community } from "./world.ts";

export interface Courier {
  /** Brings an event to every callback server and long poll that wants it. Resolves when the first tries are over. */
  post(community: Community, type: string, object: object): Promise<void>;
  /** Asks an address for the confirmation string, and sets the server's status. */
  confirm(community: Community, server: CallbackServer): Promise<void>;
  /** Bodies that wait for a repetition. */
  waiting(): number;
  clear(): void;
  stop(): void;
}
interface CourierParts {
  clock: Pick<Clock, "now" | "after">;
  random(): number;
  deliver: EmulatorOptions["deliver"];
  switches(): Switches;
  faults: VkFaults;
  journal: Journal;
}
interface Parcel {
  community: Community;
  server: CallbackServer;
  body: Record<string, unknown>;
  firstAt: number;
  tries: number;
}
interface Tried {
  isTaken: boolean;
  /** When the module asks to come again, ms from now. */
  afterMs?: number;
}

const ANSWER_WITHIN_MS = 20_000;
/** The schedule is not published. */
const [FIRST_PAUSE_MS, MAX_PAUSE_MS] = [1_000, 3_600_000];
/** Longest Retry-After that VK believes, ms. */
const MAX_ASKED_MS = 3 * 3_600_000;
/** Answers that may ask for a time. */
const MAY_ASK = [410, 429, 503];
/** Events that the long poll keeps. */
const MAX_POLLED = 1_000;

/** Leaves a byte order mark where it is. */
const exact = new TextDecoder("utf-8", { ignoreBOM: true });

/** VK's delivery: no order, and whatever is not exactly `ok` comes again. */
export function createCourier(parts: CourierParts): Courier {
  const { clock, random, switches } = parts;
  const cancels = new Set<() => void>();
  const aborts = new Set<AbortController>();
  let isStopped = false;
  const later = (ms: number, run: () => void) => {
    const cancel = clock.after(ms, () => {
      cancels.delete(cancel);
      if (!isStopped) run();
    });
    cancels.add(cancel);
  };
  const attempt = async (parcel: Parcel): Promise<void> => {
    if (isStopped || !parcel.community.servers.includes(parcel.server)) return;
    const abort = new AbortController();
    aborts.add(abort);
    const { isTaken, afterMs } = await tried(parts, parcel, abort);
    aborts.delete(abort);
    if (isStopped) return;
    const { duplicates, disorderMs, retryForMs } = switches();
    if (isTaken) {
      if (random() < duplicates) later(random() * disorderMs, () => void attempt(parcel));
      return;
    }
    const pause = afterMs ?? Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** parcel.tries);
    parcel.tries += 1;
    if (clock.now() + pause <= parcel.firstAt + retryForMs) later(pause, () => void attempt(parcel));
  };
  const leave = async (parcel: Parcel): Promise<void> => {
    const { disorder, disorderMs } = switches();
    if (random() >= disorder) return attempt(parcel);
    later(random() * disorderMs, () => void attempt(parcel));
  };
  const clear = () => {
    for (const cancel of cancels) cancel();
    cancels.clear();
  };
  return {
    async post(community, type, object) {
      const { withheld } = switches();
      if (withheld > 0 && random() < withheld) return;
      const body = { type, object, group_id: community.id, event_id: randomText(40, random).toLowerCase() };
      poll(community, type, body);
      const wants = ({ status, events }: CallbackServer) => status === "ok" && events[type] === 1;
      const posts = community.servers.filter(wants).map((server) => {
        const whole = { ...body, v: server.version, ...(server.secret && { secret: server.secret }) };
        return leave({ community, server, body: whole, firstAt: clock.now(), tries: 0 });
      });
      await Promise.all(posts);
    },
    async confirm(community, server) {
      const body = { type: "confirmation", group_id: community.id, ...(server.secret && { secret: server.secret }) };
      server.status = "wait";
      const answer = await posted(parts, server.url, body, "confirmation", {}).catch(() => undefined);
      const isRight = answer?.status === 200 && answer.answer.trim() === community.confirmation;
      server.status = isRight ? "ok" : "failed";
    },
    waiting: () => cancels.size,
    clear,
    stop() {
      isStopped = true;
      for (const abort of aborts) abort.abort();
      clear();
    },
  };
}

function poll(community: Community, type: string, body: Record<string, unknown>): void {
  const { longPoll, polled, waiting } = community;
  if (!longPoll.isEnabled || longPoll.events[type] !== 1) return;
  polled.push({ ts: community.ts, body: { ...body, v: longPoll.version } });
  community.ts += 1;
  if (polled.length > MAX_POLLED) polled.shift();
  for (const wake of [...waiting]) wake();
}

async function tried(parts: CourierParts, { server, body, tries }: Parcel, abort: AbortController): Promise<Tried> {
  const headers = tries > 0 ? { "x-retry-counter": String(tries) } : undefined;
  const reply = await posted(parts, server.url, body, "callback", { abort, headers }).catch(() => undefined);
  if (!reply) return { isTaken: false };
  // Exactly these two letters.
  if (reply.status === 200 && reply.answer === "ok") return { isTaken: true };
  const at = MAY_ASK.includes(reply.status) ? Date.parse(reply.retryAfter ?? "") : Number.NaN;
  const afterMs = at - parts.clock.now();
  return { isTaken: false, ...(afterMs > 0 && afterMs < MAX_ASKED_MS && { afterMs }) };
}

interface Reply {
  status: number;
  answer: string;
  retryAfter?: string;
}
interface Sending {
  abort?: AbortController;
  headers?: Record<string, string>;
}

/** Throws when there is no answer. */
async function posted(
  parts: CourierParts,
  url: string,
  json: object,
  operation: "callback" | "confirmation",
  { abort = new AbortController(), headers: more }: Sending,
): Promise<Reply> {
  const { clock, faults } = parts;
  const { code: _, inside: __, operation: ___, ...fault } = faults.next(operation) ?? { operation: "" };
  if (fault.delayMs) await new Promise<void>((resolve) => clock.after(fault.delayMs ?? 0, resolve));
  if (!isSent(fault)) throw new Error("not sent");
  const body = JSON.stringify(json);
  // Own timer: Node may garbage-collect an `AbortSignal.any` over a timeout.
  const timer = setTimeout(() => abort.abort(), ANSWER_WITHIN_MS);
  const headers = { "content-type": "application/json", ...more };
  const reply = await carried(parts, { url, headers, body, signal: abort.signal }, fault).finally(() =>
    clearTimeout(timer),
  );
  note(parts, url, json, operation, reply);
  if (fault.drop === "after" || fault.status !== undefined || isCorrupted(fault))
    throw new Error("the answer was lost");
  return reply;
}

async function carried(parts: CourierParts, request: Parameters<typeof send>[0], fault: Fault): Promise<Reply> {
  if (isCorrupted(fault) || fault.body === "drip") return send(request, fault);
  const { url, ...init } = request;
  const answer = await parts.deliver(new Request(url, { method: "POST", redirect: "manual", ...init }));
  const retryAfter = answer.headers.get("retry-after") ?? undefined;
  return { status: answer.status, answer: exact.decode(await answer.arrayBuffer()), retryAfter };
}

function note({ clock, journal }: CourierParts, url: string, body: object, operation: string, reply: Reply): void {
  journal.add({
    at: clock.now(),
    kind: "webhook",
    operation: "callback",
    method: operation,
    path: URL.canParse(url) ? new URL(url).pathname : url,
    query: {},
    status: reply.status,
    request: "secret" in body ? { ...body, secret: "***" } : body,
    answer: reply.answer,
    headers: {},
  });
}
