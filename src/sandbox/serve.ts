import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import { WebSocketServer } from "ws";
import { createSandbox, type Sandbox } from "./sandbox.ts";

export interface RunningSandbox {
  origin: string;
  sandbox: Sandbox;
  close(): Promise<void>;
}
export interface ServeOptions {
  port: number;
  /** Loopback unless told otherwise. */
  host?: string;
  /** How a module reaches it, if not by host and port. */
  url?: string;
  moduleUrl?: string;
  shop?(): string | undefined;
  /** Some of the unknowns, as `PUT /sandbox/settings` takes them. */
  settings?: unknown;
}

/** Port 0 takes a free one. */
export function serveSandbox({
  port,
  host = "127.0.0.1",
  url,
  moduleUrl,
  shop,
  settings,
}: ServeOptions): Promise<RunningSandbox> {
  let origin = "";
  const sandbox = createSandbox({ origin: () => origin, moduleUrl, shop, settings });
  const websocket = {
    server: new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => offered.has("x-bot-token") && "x-bot-token",
    }),
  };
  return new Promise((resolve, reject) => {
    const server = serve({ fetch: sandbox.fetch, hostname: host, port, websocket }, (info: AddressInfo) => {
      origin = url?.replace(/\/+$/, "") ?? `http://${host.includes(":") ? `[${host}]` : host}:${info.port}`;
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
