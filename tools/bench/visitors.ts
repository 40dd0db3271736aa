import { connect, type Socket } from "node:net";
import { answer } from "./child.ts";

// Web chat visitors with an open stream each, behind a proxy, in a process of its own.

export interface Visits {
  port: number;
  door: string;
  /** One visitor each. */
  tokens: string[];
  /** First part of the visitors' addresses. */
  network: number;
}

/** Streams opened at once. */
const AT_ONCE = 100;
const open: Socket[] = [];

/** Resolves with whether the stream opened. */
function visit({ port, door, network }: Visits, token: string, n: number): Promise<boolean> {
  const headers = [
    `GET /m/${door}/events?after=0 HTTP/1.1`,
    "Host: gangway",
    "Accept: text/event-stream",
    `Authorization: Bearer ${token}`,
    `X-Forwarded-For: ${network}.0.${n >> 8}.${n & 255}`,
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(`${headers.join("\r\n")}\r\n\r\n`));
    socket.once("data", (bytes: Buffer) => {
      open.push(socket.resume());
      resolve(bytes.toString().startsWith("HTTP/1.1 200"));
    });
    socket.once("error", reject);
  });
}

answer({
  /** Resolves with how many streams opened. */
  visit: async (visits: Visits) => {
    let opened = 0;
    for (let at = 0; at < visits.tokens.length; at += AT_ONCE) {
      const batch = visits.tokens.slice(at, at + AT_ONCE).map((token, n) => visit(visits, token, at + n));
      opened += (await Promise.all(batch)).filter(Boolean).length;
    }
    return opened;
  },
});
