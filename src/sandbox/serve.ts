import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { createSandbox, type Sandbox } from "./sandbox.ts";

export interface RunningSandbox {
  origin: string;
  sandbox: Sandbox;
  close(): Promise<void>;
}

/** Listens on loopback; port 0 takes a free one. */
export function serveSandbox(options: { port: number; moduleUrl?: string }): Promise<RunningSandbox> {
  let origin = "";
  const sandbox = createSandbox({ origin: () => origin, moduleUrl: options.moduleUrl });
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: sandbox.fetch, hostname: "127.0.0.1", port: options.port }, (info: AddressInfo) => {
      origin = `http://127.0.0.1:${info.port}`;
      const close = () =>
        new Promise<void>((done) => {
          sandbox.stop();
          server.close(() => done());
          if ("closeAllConnections" in server) server.closeAllConnections();
        });
      resolve({ origin, sandbox, close });
    });
    server.on("error", reject);
  });
}
