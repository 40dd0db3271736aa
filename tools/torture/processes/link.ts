import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The network between one process and PostgreSQL, or between the outside and the processes: bytes, whatever they mean. */
export interface Link {
  port: number;
  /** Chooses the port for each new connection; undefined refuses it. */
  target(choose: () => number | undefined): void;
  /** Ends all connections at once. */
  cut(): void;
  /** Holds every byte, both ways, until it is called with false. Nothing is lost, and nothing ends. */
  silence(silent: boolean): void;
  /** Delays what is sent to the target, ms. */
  delay(ms: number): void;
  /** Ends the connection before the answer to a chunk for which this is true, once the target has answered it. */
  loseAnswers(of: (chunk: Buffer) => boolean): void;
  /** Answers lost so far. */
  lost(): number;
  close(): Promise<void>;
}

interface State {
  target(): number | undefined;
  isLost(chunk: Buffer): boolean;
  silent: boolean;
  delayMs: number;
  lost: number;
  /** What waits while it is silent. */
  held: (() => void)[];
}

/** How long a target may still work on what was sent to it once the answer is lost, ms. */
const LINGER_MS = 100;

/** `port`: where it listens (default: a free one). */
export async function createLink(port = 0): Promise<Link> {
  const sockets = new Set<Socket>();
  const state: State = {
    target: () => undefined,
    isLost: () => false,
    ...{ silent: false, delayMs: 0, lost: 0, held: [] },
  };
  const server = createServer((client) => {
    const port = state.target();
    if (port === undefined) return void client.destroy();
    const upstream = connect(port, "127.0.0.1");
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true).on("close", () => sockets.delete(socket));
    }
    forward(client, upstream, state);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    target: (choose) => void Object.assign(state, { target: choose }),
    silence(silent) {
      state.silent = silent;
      if (!silent) for (const pass of state.held.splice(0)) pass();
    },
    delay: (ms) => void Object.assign(state, { delayMs: ms }),
    loseAnswers: (of) => void Object.assign(state, { isLost: of }),
    lost: () => state.lost,
    close: () =>
      new Promise((resolve) => {
        cut();
        server.close(() => resolve());
      }),
  };
}

function forward(client: Socket, target: Socket, state: State): void {
  let losing = false;
  /** When the last chunk goes: none overtakes another. */
  let last = 0;
  const end = () => {
    client.destroy();
    target.destroy();
  };
  const pass = (act: () => void) => {
    if (state.silent) state.held.push(act);
    else act();
  };
  client.on("data", (chunk: Buffer) => {
    losing ||= state.isLost(chunk);
    const send = () => pass(() => target.write(chunk));
    last = Math.max(last, Date.now() + state.delayMs);
    if (last > Date.now()) setTimeout(send, last - Date.now());
    else send();
  });
  target.on("data", (chunk: Buffer) => {
    if (!losing) return pass(() => client.write(chunk));
    if (client.destroyed) return;
    state.lost += 1;
    client.destroy();
  });
  for (const socket of [client, target])
    socket.on("error", end).on("close", () => pass(() => setTimeout(end, losing ? LINGER_MS : 0)));
}
