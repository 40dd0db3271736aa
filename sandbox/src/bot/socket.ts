import { upgradeWebSocket } from "@hono/node-server";
import type { Context, Next } from "hono";
import type { WSContext } from "hono/ws";
import type { Bench, Env } from "../exchange.ts";
import { EVENT_TYPES, SILENT_EVENT_TYPES } from "../gateway/events.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { emitOnline } from "../gateway/people.ts";
import { Refusal } from "../refusal.ts";
import type { Speaker } from "../world.ts";
import { callerOf, speakerOf, tokenOf } from "./speaker.ts";

/** WebSockets of the bots, each with its subscriptions. */
export interface Sockets {
  open(c: Context<Env>, next: Next): Promise<Response>;
  /** Closes every socket, or only those whose token is no longer valid; code 0 drops the connection. */
  close(code: number, all?: boolean): void;
  count(): number;
}

const EVENTS: readonly string[] = [...EVENT_TYPES, ...SILENT_EVENT_TYPES];
const OPTIONS = ["include_mass_communication"];
const NORMAL_CLOSURE = 1000;
/** A reader with this much unsent is dropped, bytes. */
const MAX_BUFFERED = 4 * 1024 * 1024;

interface Raw {
  terminate(): void;
  bufferedAmount: number;
}
interface Listener {
  socket: WSContext<Raw>;
  token: string;
  events: Set<string>;
  mass: boolean;
}

export function createSockets(gateway: Gateway, bench: Bench): Sockets {
  const open = new Set<Listener>();
  const close = (code: number, all = true) => {
    for (const { socket, token } of open) {
      if (!all && speakerOf(gateway.world, token)) continue;
      if (code === 0) socket.raw?.terminate();
      else socket.close(code, "");
    }
  };
  gateway.events.listen(({ type, data, mass }) => {
    // A token may have just been revoked.
    if (type === "bot_updated" || type === "user_updated") close(NORMAL_CLOSURE, false);
    const to = [...open].filter((each) => each.events.has(type) && (each.mass || !mass));
    if (to.length === 0) return;
    const text = JSON.stringify({ type, meta: { timestamp: Math.floor(bench.clock.now() / 1000) }, data: data() });
    record(bench, type, JSON.parse(text));
    for (const each of to) sendTo(each, text);
  });
  return {
    async open(c, next) {
      const caller = callerOf(gateway.world, c);
      const wanted = wantedBy(c);
      // Without an upgrade the helper calls the next handler.
      if (c.req.header("upgrade")?.toLowerCase() !== "websocket")
        throw new Refusal(400, "WebSocket upgrade is required", "GET /ws is an upgrade");
      const token = tokenOf(c);
      let listener: Listener | undefined;
      const handler = upgradeWebSocket(() => ({
        onOpen: (_, socket) => {
          listener = { socket: socket as unknown as WSContext<Raw>, token, ...wanted };
          open.add(listener);
          connected(gateway, caller, token, open);
        },
        onClose: () => {
          if (listener) open.delete(listener);
          connected(gateway, caller, token, open);
        },
      }));
      return (await handler(c, next)) ?? c.body(null, 500);
    },
    close,
    count: () => open.size,
  };
}

function wantedBy(c: Context<Env>): Pick<Listener, "events" | "mass"> {
  const split = (name: string) =>
    (c.req.query(name) ?? "")
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean);
  const events = split("events");
  const options = split("options");
  const unknown = [...events.filter((name) => !EVENTS.includes(name)), ...options.filter((o) => !OPTIONS.includes(o))];
  if (unknown.length > 0)
    throw new Refusal(400, `Unknown: ${unknown.join(", ")}`, "events and options are the contract's");
  if (events.length === 0) throw new Refusal(400, "events is empty", "a socket asks for events");
  return { events: new Set(events), mass: options.length > 0 };
}

function sendTo({ socket }: Listener, text: string): void {
  if (socket.readyState !== 1) return;
  if ((socket.raw?.bufferedAmount ?? 0) > MAX_BUFFERED) socket.raw?.terminate();
  else socket.send(text);
}

/** An agent counts as connected while it has a socket open. */
function connected(gateway: Gateway, { type, id }: Speaker, token: string, open: Set<Listener>): void {
  const user = type === "user" ? gateway.world.users.get(id) : undefined;
  const now = [...open].some((each) => each.token === token);
  if (!user || user.connected === now) return;
  user.connected = now;
  emitOnline(gateway, id);
}

function record({ calls, judge, clock }: Bench, type: string, body: unknown): void {
  calls.add({
    at: clock.now(),
    side: "socket",
    operation: type,
    method: "WS",
    path: "/ws",
    query: {},
    status: 101,
    ms: 0,
    faults: judge.event(body).map((fault) => `sandbox: ${fault}`),
    request: body,
    answer: undefined,
  });
}
