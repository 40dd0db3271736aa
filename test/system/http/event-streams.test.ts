import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, type Socket } from "node:net";
import { eventResponse, type Sink } from "gangway-messenger/event-stream";
import { describe, expect, it, onTestFinished } from "vitest";
import { listen } from "../../../src/http/serving/listening.ts";
import { until } from "../../support/until.ts";

/** A server with one stream at each address, and what became of them. */
async function streaming() {
  const happened = { drained: 0, gone: 0 };
  const sinks: Sink[] = [];
  const open = () =>
    eventResponse((sink) => {
      sinks.push(sink);
      sink.write(new TextEncoder().encode(": open\n\n"));
      return {
        drained: () => {
          happened.drained += 1;
        },
        gone: () => {
          happened.gone += 1;
        },
      };
    });
  const server = listen(open, { hostname: "127.0.0.1", port: 0 });
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { port, sinks, happened };
}

/** A browser that reads only when told to. */
async function browser(port: number): Promise<{ socket: Socket; heard(): string }> {
  let heard = "";
  const socket = connect(port, "127.0.0.1");
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    heard += bytes.toString("latin1");
  });
  socket.write("GET / HTTP/1.1\r\nhost: gangway\r\naccept: text/event-stream\r\n\r\n");
  await until("the stream to open", () => heard.includes(": open"));
  return { socket, heard: () => heard };
}

describe("an event stream on a socket", () => {
  it("sends each event at once, and ends when its writer closes it", async () => {
    const { port, sinks, happened } = await streaming();
    const { socket, heard } = await browser(port);
    expect(heard()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(heard()).toMatch(/content-type: text\/event-stream; charset=utf-8\r\n/i);
    sinks[0]?.write(new TextEncoder().encode("data: 1\n\n"));
    await until("the event", () => heard().includes("data: 1\n\n"));
    sinks[0]?.close();
    await until("the end of the answer", () => heard().endsWith("0\r\n\r\n"));
    await until("the writer to learn of it", () => happened.gone === 1);
    socket.destroy();
  });

  it("takes no more from a writer that has closed it, also while a browser has not read all", async () => {
    const { port, sinks, happened } = await streaming();
    const { socket, heard } = await browser(port);
    socket.pause();
    const [sink] = sinks;
    for (let n = 0; n < 10; n++) sink?.write(new Uint8Array(1_000_000));
    sink?.close();
    // As an error it would end the process.
    sink?.write(new TextEncoder().encode("data: late\n\n"));
    socket.resume();
    await until("the writer to learn of the end", () => happened.gone === 1);
    expect(heard()).not.toContain("late");
    socket.destroy();
  });

  it("knows what a slow browser has not read, and goes on when it reads", async () => {
    const { port, sinks, happened } = await streaming();
    const { socket, heard } = await browser(port);
    socket.pause();
    const [sink, piece] = [sinks[0] as Sink, new Uint8Array(1024 * 1024)];
    await until("unread megabytes", () => {
      sink.write(piece);
      return sink.unread() >= 4 * piece.length;
    });
    const before = happened.drained;
    socket.resume();
    await until("the rest to be read", () => happened.drained > before && heard().length > 4 * piece.length);
    socket.destroy();
  });

  it("tells its writer when the browser is gone", async () => {
    const { port, sinks, happened } = await streaming();
    const { socket } = await browser(port);
    socket.destroy();
    await until("the writer to learn of it", () => happened.gone === 1);
    // Nothing throws.
    sinks[0]?.write(new Uint8Array(10));
    sinks[0]?.close();
  });
});
