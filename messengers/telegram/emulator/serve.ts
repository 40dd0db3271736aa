import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { type Clock, createClock } from "gangway-messenger/kit/emulator/clock";
import type { Limits } from "./floods.ts";
import { createTelegram, type Telegram } from "./telegram.ts";

export interface RunningTelegram {
  origin: string;
  telegram: Telegram;
  clock: Clock;
  close(): Promise<void>;
}

/** Serves the emulator alone, at the root of a loopback port; port 0 takes a free one. */
interface Options {
  port: number;
  limits?: Partial<Limits>;
  now?: () => number;
}

export function serveTelegram({ port, limits, now = Date.now }: Options): Promise<RunningTelegram> {
  let origin = "";
  const clock = createClock(now);
  const telegram = createTelegram({ origin: () => origin, clock, limits });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: telegram.site.fetch, hostname: "127.0.0.1", port }, (address: AddressInfo) => {
      origin = `http://127.0.0.1:${address.port}`;
      const close = () =>
        new Promise<void>((done) => {
          telegram.stop();
          clock.stop();
          server.close(() => done());
          if ("closeAllConnections" in server) server.closeAllConnections();
        });
      resolve({ origin, telegram, clock, close });
    });
    server.on("error", reject);
  });
}
