import type { Socket } from "node:net";
import { type ClientAddress, clientAddresses, type Proxies, proxySockets } from "../../domain/call/proxies.ts";

/** Maximum number of open sockets, idle ones included. */
export interface SocketLimits {
  all: number;
  /** Per client address. Trusted proxies are exempt: they carry many clients. */
  perAddress: number;
}
export const SOCKET_LIMITS: SocketLimits = { all: 10_000, perAddress: 1_000 };
/** Sockets for everything but streams. */
const OTHER_SOCKETS = 6_000;

/** Descriptors that the process may have, and those that it needs for calls. */
export interface Descriptors {
  all: number;
  calls: number;
}
/** Database, kept files, threads, Node itself (measured: 40 of an idle server). */
const OTHER_DESCRIPTORS = 100;

/** Each stream holds a socket, beside those of webhooks and pages; all together leave descriptors for calls and files. */
export function socketLimits(maxStreams = 0, { all, calls }: Descriptors = { all: Infinity, calls: 0 }): SocketLimits {
  const wanted = Math.max(SOCKET_LIMITS.all, maxStreams + OTHER_SOCKETS);
  const free = Math.max(all / 4, all - calls - OTHER_DESCRIPTORS);
  return { ...SOCKET_LIMITS, all: Math.floor(Math.min(wanted, free)) };
}

export interface SocketsOptions {
  limits?: SocketLimits;
  proxies?: Proxies;
  /** Called when a limit closes or refuses a socket of `address`; `count` is the total since the start. */
  onPressure?(address: string, count: number): void;
}

interface Holder {
  address: string;
  isProxy: boolean;
  /** Oldest first. */
  open: Set<Socket>;
  /** Sockets without a running request, longest idle first. */
  idle: Set<Socket>;
}

/** Shares the server's sockets among client addresses. */
export class Sockets {
  readonly #options: SocketsOptions;
  readonly #limits: SocketLimits;
  readonly #addressOf: ClientAddress;
  readonly #isProxy: (address: string | undefined) => boolean;
  readonly #holders = new Map<string, Holder>();
  readonly #holderOf = new Map<Socket, Holder>();
  #closed = 0;

  constructor(options: SocketsOptions = {}) {
    this.#options = options;
    this.#limits = options.limits ?? socketLimits();
    this.#addressOf = clientAddresses(options.proxies);
    this.#isProxy = proxySockets(options.proxies);
  }

  /** Admits a new socket. At a limit, evicts another socket or closes the new one. */
  admit(socket: Socket): void {
    const address = this.#addressOf(socket.remoteAddress, undefined);
    const isProxy = this.#isProxy(socket.remoteAddress);
    const holder = this.#holders.get(address) ?? { address, isProxy, open: new Set(), idle: new Set() };
    if (!this.#makeRoom(holder)) {
      this.#close(socket, address);
      return;
    }
    this.#holders.set(address, holder);
    this.#holderOf.set(socket, holder);
    holder.open.add(socket);
    holder.idle.add(socket);
    socket.once("close", () => this.#forget(socket));
  }

  busy(socket: Socket): void {
    this.#holderOf.get(socket)?.idle.delete(socket);
  }

  idle(socket: Socket): void {
    this.#holderOf.get(socket)?.idle.add(socket);
  }

  #makeRoom(newcomer: Holder): boolean {
    const isOverShare = !newcomer.isProxy && newcomer.open.size >= this.#limits.perAddress;
    if (!isOverShare && this.#holderOf.size < this.#limits.all) return true;
    const victim = isOverShare ? first(newcomer.idle) : this.#victimFor(newcomer);
    if (!victim) return false;
    this.#close(victim, this.#holderOf.get(victim)?.address ?? "");
    return true;
  }

  /** On a full server: an idle socket, else a busy one of an address with at least two more sockets than the newcomer's. */
  #victimFor(newcomer: Holder): Socket | undefined {
    const fullest = (kind: "idle" | "open", holders: Holder[]) =>
      holders.reduce<Holder | undefined>(
        (most, each) => (each[kind].size > 0 && each.open.size > (most?.open.size ?? 0) ? each : most),
        undefined,
      );
    const all = [...this.#holders.values()];
    const idle = fullest("idle", all);
    if (idle) return first(idle.idle);
    // A proxy's busy sockets carry the requests of many clients.
    const busy = fullest(
      "open",
      all.filter(({ isProxy }) => !isProxy),
    );
    return busy && busy.open.size > newcomer.open.size + 1 ? first(busy.open) : undefined;
  }

  #close(socket: Socket, address: string): void {
    this.#forget(socket);
    socket.destroy();
    this.#closed += 1;
    this.#options.onPressure?.(address, this.#closed);
  }

  #forget(socket: Socket): void {
    const holder = this.#holderOf.get(socket);
    if (!holder) return;
    this.#holderOf.delete(socket);
    holder.open.delete(socket);
    holder.idle.delete(socket);
    if (holder.open.size === 0) this.#holders.delete(holder.address);
  }
}

const first = (sockets: Set<Socket>): Socket | undefined => sockets.values().next().value;
