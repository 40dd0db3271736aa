import type { AddressInfo } from "node:net";
import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import type { ChannelAdapter } from "gangway-messenger/port";
import { onTestFinished } from "vitest";
import { createSandbox } from "../../../sandbox/src/sandbox.ts";
import { type App, createApp } from "../../../src/app.ts";
import type { Config } from "../../../src/config.ts";
import { listen } from "../../../src/http/serving/listening.ts";
import { canaryLog } from "../../support/canaries.ts";
import { severalCrms } from "../../support/crms.ts";
import { putNewDatabase } from "../../support/new-database.ts";
import { CRM, configOf } from "../../support/site.ts";
import { temporaryFolder } from "../../support/store.ts";
import { SETTINGS } from "../../support/unknowns.ts";

interface Network {
  messengers?: Config["messengers"];
  /** Wraps calls to the sandbox. */
  call?(real: Call): Call;
}

/** The site on a real socket, in sandbox mode; its sandbox is called without one. */
export async function servedSite(
  adapters?: ChannelAdapter[],
  secret?: string,
  embedding = false,
  { messengers = {}, call = (real) => real }: Network = {},
) {
  const sandbox = createSandbox({ origin: () => CRM, settings: SETTINGS });
  onTestFinished(sandbox.stop);
  const { call: real, crmAt } = severalCrms(sandbox);
  let app: App | undefined;
  const server = listen((request, env) => app?.fetch(request, env as never) ?? new Response(null), { port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const folder = temporaryFolder();
  putNewDatabase(folder);
  const { log } = canaryLog(folder);
  const base = await configOf(folder);
  const config = {
    ...base,
    publicUrl: origin,
    ...{ embedding, messengers },
    module: { ...base.module, logoUrl: `${origin}/logo.svg`, secret },
    limits: { ...base.limits, webhookBytes: 1024 * 1024 },
  };
  app = await createApp(config, { log, call: call(real), clock: systemClock, adapters });
  await app.start();
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await app?.drain();
    await app?.close();
  });
  return { origin, sandbox, crmAt, folder };
}
