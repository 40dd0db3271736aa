import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { type App, createApp } from "../../src/app.ts";
import type { ChannelAdapter } from "../../src/channels/port.ts";
import { systemClock } from "../../src/domain/clock.ts";
import { DEFAULT_BOUNDS } from "../../src/domain/overload.ts";
import { NO_PROXIES } from "../../src/domain/proxies.ts";
import { listen } from "../../src/http/listening.ts";
import { createSandbox } from "../../src/sandbox/sandbox.ts";
import { callFrom } from "../support/call.ts";
import { canaryLog } from "../support/canaries.ts";
import { KEY_RING, RETAIN_DAYS, temporaryFolder } from "../support/store.ts";
import { SETTINGS } from "../support/unknowns.ts";

export const CRM = "http://127.0.0.1:7001";

/** The site on a real socket, in sandbox mode, with a sandbox that has none: what a browser or a slow sender meets. */
export async function servedSite(adapters?: ChannelAdapter[]) {
  const sandbox = createSandbox({ origin: () => CRM, settings: SETTINGS });
  onTestFinished(sandbox.stop);
  let app: App | undefined;
  const server = listen((request, env) => app?.fetch(request, env as never) ?? new Response(null), { port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  const { log } = canaryLog(folder);
  const config = {
    sandbox: true,
    host: "127.0.0.1",
    port: 0,
    publicUrl: origin,
    dataFolder: folder,
    allowRemoteFolder: false,
    module: { code: "gangway", name: "Gangway", logoUrl: `${origin}/logo.svg` },
    keyRing: KEY_RING,
    crmHosts: ["*.retailcrm.ru"],
    logLevel: "debug" as const,
    updates: "webhook" as const,
    retainDays: RETAIN_DAYS,
    apiUrls: {},
    rawWebhookDays: 3,
    trustedProxies: NO_PROXIES,
    limits: {
      webhookBytes: 1024 * 1024,
      formBytes: 64 * 1024,
      outboundPatienceMs: 60_000,
      callsPerAccount: 8,
      calls: 64,
      stopMs: 500,
    },
    bounds: DEFAULT_BOUNDS,
  };
  app = await createApp(config, { log, call: callFrom(sandbox), clock: systemClock, adapters });
  await app.start();
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await app?.drain();
    await app?.close();
  });
  return { origin, sandbox };
}
