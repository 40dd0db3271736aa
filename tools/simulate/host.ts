import crypto from "node:crypto";
import { EventEmitter } from "node:events";
import { createRequire } from "node:module";
import type { Time } from "./time.ts";

/** A program's view of its machine. */
export interface Conditions {
  time: Time;
  /** When the process started, on the virtual clock, ms. */
  startedAt: number;
  /** In [0, 1). */
  random(): number;
  /** Unix time, ms; it may jump. */
  wall(): number;
  fetch(request: Request): Promise<Response>;
  /** Called before each operation that the machine carries out; throws once the machine is gone. */
  operation(what: string): void;
  isGone(): boolean;
  /** Node's modules that touch the disk. */
  modules?: Record<string, object>;
}

/** The machine as a program sees it: globals and Node's modules that act as the current conditions say. */
export interface Host {
  globals: Record<string, unknown>;
  modules: Record<string, unknown>;
}

const real = createRequire(import.meta.url);

/** `runThread`: runs the program at a URL, with modules of its own. */
export function createHost(current: () => Conditions, runThread: (url: string, own: object) => void): Host {
  const timers = createTimers(current);
  const random = () => current().random();
  const performance = {
    get timeOrigin() {
      return current().startedAt;
    },
    now: () => current().time.now() - current().startedAt,
  };
  const chance = randomness(random);
  const globals: Record<string, unknown> = {
    ...timers.globals,
    ...{ Date: dateFrom(() => current().wall()), performance, fetch: fetchThrough(current) },
    Math: Object.create(Math, { random: { value: random } }),
    crypto: Object.create(crypto.webcrypto, {
      randomUUID: { value: chance.randomUUID },
      getRandomValues: { value: chance.getRandomValues },
      subtle: { value: crypto.webcrypto.subtle },
    }),
    process: processOf(),
    AbortSignal: new Proxy(AbortSignal, {
      get: (signal, name) => (name === "timeout" ? timers.abortAfter : Reflect.get(signal, name)),
    }),
  };
  globals.globalThis = Object.create(globalThis, Object.getOwnPropertyDescriptors(globals));
  globals.global = globals.globalThis;
  const modules = {
    timers: timers.globals,
    "timers/promises": timers.promises,
    crypto: { ...crypto, ...chance, webcrypto: globals.crypto },
    perf_hooks: { performance, monitorEventLoopDelay: () => ({ ...NO_DELAY, enable() {}, reset() {} }) },
    os: { ...real("node:os"), hostname: () => "simulated" },
    worker_threads: { Worker: threads(current, runThread), parentPort: null, workerData: undefined },
    ...Object.fromEntries(DISK.map((name) => [name, diskModule(current, name)])),
  };
  return { globals, modules };
}

const DISK = ["fs", "fs/promises", "better-sqlite3"];

/** The current conditions' module at each use, or else the real one. */
function diskModule(current: () => Conditions, name: string) {
  const own = real(name);
  const module = () => (current().modules?.[name] ?? own) as Record<string, unknown>;
  const target = typeof own === "function" ? function module() {} : {};
  const names = Object.keys(own).filter((key) => key !== "default");
  const given = names.map((key) => [key, { enumerable: true, get: () => module()[key] }]);
  Object.defineProperties(target, Object.fromEntries(given));
  const all = new Proxy(target, { construct: (_, args) => Reflect.construct(module() as never, args) });
  return Object.defineProperty(all, "default", { value: all });
}

function processOf() {
  const ignore = () => {};
  const values = { env: {}, pid: 1, on: ignore, once: ignore, off: ignore };
  return Object.create(process, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, { value }])));
}

const THREAD_MS = 20;

/** A thread's program runs as one operation, some time after it was started. */
function threads(current: () => Conditions, run: (url: string, own: object) => void) {
  return class extends EventEmitter {
    #cancel: () => void;
    constructor(url: URL, { workerData }: { workerData: unknown }) {
      super();
      const { time, operation, isGone } = current();
      this.#cancel = time.after(THREAD_MS, () => {
        if (isGone()) return;
        try {
          operation("thread");
          const parentPort = { postMessage: (message: unknown) => this.emit("message", message) };
          run(url.href, { worker_threads: { parentPort, workerData } });
        } catch (error) {
          if (!isGone()) this.emit("error", error);
        }
        this.emit("exit", 0);
      });
    }
    unref() {}
    async terminate() {
      this.#cancel();
      this.emit("exit", 1);
    }
  };
}

const NO_DELAY = { min: 0, max: 0, mean: 0, stddev: 0, percentile: () => 0 };

function createTimers(current: () => Conditions) {
  const timer = (ms: number, run: () => void) => {
    const { time, operation, isGone } = current();
    const cancel = time.after(ms, () => {
      if (isGone()) return;
      try {
        operation("timer");
        run();
      } catch (error) {
        if (!isGone()) throw error;
      }
    });
    const handle = { cancel, unref: () => handle, ref: () => handle, hasRef: () => true, [Symbol.dispose]: cancel };
    return handle;
  };
  // Node's shortest timer: 1 ms.
  const delay = (ms: unknown) => (Number(ms) >= 1 ? Math.trunc(Number(ms)) : 1);
  const clear = (handle?: { cancel?(): void }) => handle?.cancel?.();
  const repeat = (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
    let current = { cancel() {} };
    const again = () => {
      current = timer(delay(ms), () => {
        again();
        run(...args);
      });
    };
    again();
    const handle = { cancel: () => current.cancel(), unref: () => handle, ref: () => handle };
    return handle;
  };
  const waitFor = (begin: (end: () => void) => { cancel(): void }, value: unknown, signal?: AbortSignal) =>
    new Promise((resolve, reject) => {
      const handle = begin(() => resolve(value));
      signal?.addEventListener("abort", () => {
        handle.cancel();
        reject(signal.reason);
      });
    });
  return {
    globals: {
      setTimeout: (run: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) =>
        timer(delay(ms), () => run(...args)),
      setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) => timer(0, () => run(...args)),
      setInterval: repeat,
      ...{ clearTimeout: clear, clearInterval: clear, clearImmediate: clear },
    },
    promises: {
      setTimeout: (ms?: number, value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
        waitFor((end) => timer(delay(ms), end), value, signal),
      setImmediate: (value?: unknown, { signal }: { signal?: AbortSignal } = {}) =>
        waitFor((end) => timer(0, end), value, signal),
    },
    abortAfter: (ms: number) => {
      const controller = new AbortController();
      timer(delay(ms), () => controller.abort(new DOMException("The operation timed out", "TimeoutError")));
      return controller.signal;
    },
  };
}

function dateFrom(wall: () => number): DateConstructor {
  class SimulatedDate extends Date {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(Math.floor(wall()));
      else super(...(given as [number]));
    }
    static override now = () => Math.floor(wall());
    static override [Symbol.hasInstance] = (value: unknown) =>
      Object.prototype.toString.call(value) === "[object Date]";
  }
  return SimulatedDate as DateConstructor;
}

const fetchThrough = (current: () => Conditions) => async (input: string | URL | Request, init?: RequestInit) =>
  current().fetch(input instanceof Request && !init ? input : new Request(input, init));

/** Node's random functions, from one sequence. */
function randomness(random: () => number) {
  const fill = (bytes: Uint8Array) => {
    for (let n = 0; n < bytes.length; n++) bytes[n] = Math.floor(random() * 256);
    return bytes;
  };
  const randomUUID = () => {
    const hex = Buffer.from(fill(new Uint8Array(16))).toString("hex");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  };
  return {
    randomUUID,
    randomBytes: (size: number) => Buffer.from(fill(new Uint8Array(size))),
    randomFillSync: fill,
    randomInt: (...given: [number] | [number, number]) => {
      const [min, max] = given.length === 1 ? [0, given[0]] : given;
      return min + Math.floor(random() * (max - min));
    },
    getRandomValues: <T extends ArrayBufferView>(view: T): T => {
      fill(new Uint8Array(view.buffer, view.byteOffset, view.byteLength));
      return view;
    },
  };
}
