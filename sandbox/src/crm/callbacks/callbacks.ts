import type { Bench } from "../../exchange.ts";
import type { World } from "../../world.ts";
import type { Callback } from "../tables.ts";
import { type Attempt, attempt, type CallbackRequest, type Ended } from "./attempt.ts";
import type { Result } from "./post.ts";

/** The CRM's calls to modules, listed in `world.callbacks`. */
export interface Callbacks {
  /** In order within a lane, with retries. Resolves with the first attempt's answer. */
  call(call: Call): Promise<Result>;
  /** One attempt, in no lane. Resolves with the module's result; undefined: it gives none. */
  ask(question: Question): Promise<unknown>;
  stop(): void;
}
export interface Call {
  /** The module's code. */
  module: string;
  action: string;
  /** What the call is about. A later call of the same action in the lane replaces one that waits for its next attempt. */
  lane: string;
  /** Made for each attempt: it tells the state as it is then. Undefined: there is nothing to tell any more. */
  request(): CallbackRequest | undefined;
  /** With the module's result, before the lane goes on. */
  done?(result: unknown): void;
}
export interface Question extends Pick<Call, "module" | "action"> {
  request: CallbackRequest;
}
type Parts = Bench & { world: World };

// As the gateway's webhooks.
const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 2_000;
/** Listed at most. */
const MAX_CALLBACKS = 500;
/** Of an answer, characters. */
const MAX_SHOWN = 500;

interface Running {
  entry: Callback;
  replaced: boolean;
  /** Ends the pause before the next attempt. */
  wake(): void;
}
interface Lane {
  tail: Promise<unknown>;
  last?: Running;
}

export function createCallbacks(parts: Parts): Callbacks {
  const lanes = new Map<string, Lane>();
  let stopped = false;
  return {
    stop: () => {
      stopped = true;
    },
    call({ module, action, lane: subject, request, done }) {
      const name = `${module} ${subject}`;
      const { tail, last } = lanes.get(name) ?? { tail: Promise.resolve() };
      if (last?.entry.action === action) replace(last);
      const running = { entry: listed(parts, module, action), replaced: false, wake: () => {} };
      let answered: (result: Result) => void = () => {};
      const first = new Promise<Result>((resolve) => {
        answered = resolve;
      });
      const due = () => (stopped || running.replaced ? undefined : request());
      const ended = tail.then(async () => {
        const outcome = await untilEnded(parts, running, { due, answered });
        if (outcome?.type === "done") done?.(outcome.result);
        answered(NOT_CALLED);
        if (lanes.get(name)?.last === running) lanes.delete(name);
      });
      lanes.set(name, { tail: ended, last: running });
      return first;
    },
    async ask({ module, action, request }) {
      const entry = listed(parts, module, action);
      const { outcome } = await attempted(parts, entry, request);
      entry.state = outcome.type === "again" ? "unanswered" : outcome.type;
      return outcome.type === "done" ? outcome.result : undefined;
    },
  };
}

const NOT_CALLED: Result = { status: 0, answer: "(not called)" };

function replace(running: Running): void {
  running.replaced = true;
  running.wake();
}

function listed({ world, clock }: Parts, module: string, action: string): Callback {
  const entry: Callback = { at: clock.now(), module, action, state: "waiting", attempts: 0, status: 0, answer: "" };
  world.callbacks.push(entry);
  if (world.callbacks.length > MAX_CALLBACKS) world.callbacks.shift();
  return entry;
}

async function attempted(parts: Parts, entry: Callback, request: CallbackRequest): Promise<Attempt> {
  const attempted = await attempt(parts, request);
  const { status, answer } = attempted;
  Object.assign(entry, { attempts: entry.attempts + 1, status, answer: answer.slice(0, MAX_SHOWN) });
  return attempted;
}

interface Run {
  /** The request of the next attempt, if it is still to be made. */
  due: Call["request"];
  answered(result: Result): void;
}

async function untilEnded(parts: Parts, running: Running, { due, answered }: Run): Promise<Ended | undefined> {
  const { entry } = running;
  const since = parts.clock.now();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
    const request = due();
    if (!request) {
      entry.state = "dropped";
      return undefined;
    }
    const { outcome, status, answer } = await attempted(parts, entry, request);
    answered({ status, answer });
    if (outcome.type !== "again") {
      entry.state = outcome.type;
      return outcome;
    }
    if (parts.clock.now() - since >= parts.unknowns().callbackRetryForMs) {
      entry.state = "unanswered";
      return undefined;
    }
    await new Promise<void>((resolve) => {
      running.wake = resolve;
      parts.clock.after(pause, resolve);
    });
  }
}
