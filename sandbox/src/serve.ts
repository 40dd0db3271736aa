import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { serve } from "@hono/node-server";
import type { CreateEmulator } from "gangway-messenger/kit/emulator";
import { WebSocketServer } from "ws";
import { type Certificate, selfSigned } from "./certificate.ts";
import { findEmulators } from "./emulators.ts";
import { createSandbox, type Sandbox } from "./sandbox.ts";

export interface RunningSandbox {
  origin: string;
  sandbox: Sandbox;
  /** PEM, with TLS only. */
  certificate?: string;
  close(): Promise<void>;
}
export interface ServeOptions {
  port: number;
  /** Default: loopback. */
  host?: string;
  /** How a module reaches the sandbox, if not by host and port. */
  url?: string;
  moduleUrl?: string;
  shop?(): string | undefined;
  /** Initial unknowns, as for `PUT /sandbox/settings`. */
  settings?: unknown;
  tls?: boolean;
  /** `small` or `large`, or an archive's file. */
  seed?: string;
  /** Unix time, ms. Default: the system's. */
  now?(): number;
  /** Beside those that `findEmulators` finds. */
  emulators?: Record<string, CreateEmulator>;
}

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];
/** Listening addresses, not host names. */
const ANYWHERE = ["0.0.0.0", "::"];

function certificateFor(host: string, url: string | undefined): Certificate {
  const own = [host, ...(url ? [new URL(url).hostname.replaceAll(/[[\]]/g, "")] : [])];
  const hosts = new Set([...LOOPBACK, ...own.filter((each) => !ANYWHERE.includes(each))]);
  return selfSigned([...hosts], Date.now());
}

/** Port 0 takes a free one. Serves every emulator that `findEmulators` finds. */
export async function serveSandbox(options: ServeOptions): Promise<RunningSandbox> {
  const { port, host = "127.0.0.1", url, moduleUrl, shop, settings, tls, now, seed } = options;
  let origin = "";
  const secure = tls ? certificateFor(host, url) : undefined;
  const certificate = secure?.cert;
  const emulators = { ...(await findEmulators()), ...options.emulators };
  const sandbox = createSandbox({ origin: () => origin, moduleUrl, shop, settings, certificate, emulators, now });
  if (seed) await sandbox.seed(seed);
  const websocket = {
    server: new WebSocketServer({
      noServer: true,
      handleProtocols: (offered) => offered.has("x-bot-token") && "x-bot-token",
    }),
  };
  const listening = { fetch: sandbox.fetch, hostname: host, port, websocket };
  return new Promise((resolve, reject) => {
    const started = (info: AddressInfo) => {
      const scheme = secure ? "https" : "http";
      origin = url?.replace(/\/+$/, "") ?? `${scheme}://${host.includes(":") ? `[${host}]` : host}:${info.port}`;
      const close = () =>
        new Promise<void>((done) => {
          sandbox.stop();
          server.close(() => done());
          if ("closeAllConnections" in server) server.closeAllConnections();
        });
      resolve({ origin, sandbox, certificate, close });
    };
    const server = secure
      ? serve({ ...listening, createServer, serverOptions: { ...secure } }, started)
      : serve(listening, started);
    server.on("error", reject);
  });
}

/** A line for each messenger's phone, as a banner lists addresses. */
export const phoneLines = (
  { origin, sandbox: { emulators } }: Pick<RunningSandbox, "origin" | "sandbox">,
  titleOf: (kind: string) => string,
): string =>
  Object.keys(emulators)
    .map((kind) => `  ${titleOf(kind).padEnd(22)}${origin}/${kind}/phone\n`)
    .join("");
