import { systemClock } from "gangway-messenger/clock";
import type { FormerAccount } from "gangway-messenger/former";
import telegram from "gangway-telegram";
import { onTestFinished } from "vitest";
import { createSandbox } from "../../sandbox/src/sandbox.ts";
import { moveIn, moveOut } from "../../src/module/moving-in/moving-in.ts";
import { movingParts } from "../../src/module/moving-in/parts.ts";
import type { AccountReport } from "../../src/module/moving-in/reports.ts";
import { severalCrms } from "./crms.ts";
import { CODE, setUpFormer, TOKENS } from "./former.ts";
import { CRM, configOf, OWN } from "./site.ts";
import { temporaryFolder, temporaryStore } from "./store.ts";
import { SETTINGS } from "./unknowns.ts";

export const CLIENT_ID = "a".repeat(64);

/** An account of the former module with two bots at a sandbox, and what moves it, without sockets. */
export async function formerAccount() {
  const sandbox = createSandbox({ origin: () => CRM, moduleUrl: OWN, settings: SETTINGS });
  onTestFinished(sandbox.stop);
  const { call: real } = severalCrms(sandbox, OWN);
  const calls: string[] = [];
  const killing = { after: Number.POSITIVE_INFINITY };
  const failing: { calls?: RegExp } = {};
  const call: typeof real = async (request) => {
    if (failing.calls?.test(request.url))
      return { type: "failure", sent: "no", reason: "timeout", detail: "nobody answers" };
    const line = `${request.method} ${new URL(request.url).pathname.replace(/bot\d+:[\w-]+/, "bot")}`;
    if (killing.after <= 0) throw new Killed();
    const answer = await real(request);
    calls.push(line);
    if (isWrite(line)) killing.after -= 1;
    if (killing.after <= 0) throw new Killed();
    return answer;
  };
  const ask = (url: string, init?: RequestInit) => sandbox.fetch(new Request(url, init));
  const api = `${CRM}/telegram`;
  const bots = TOKENS.map((token, n) => ({ token, name: `@bot_${n}` }));
  const old = await setUpFormer(ask, { clientId: CLIENT_ID, crm: CRM, bots, telegram: api });
  const former: FormerAccount = {
    ...{ clientId: CLIENT_ID, crmUrl: CRM, apiKey: "sandbox-key" },
    ...{ gatewayUrl: old.gateway, gatewayToken: old.mgToken },
    logins: bots.map(({ token, name }, n) => ({
      ...{ gatewayChannelId: old.channels[n] ?? "", name, loginId: token.split(":", 1)[0] ?? "" },
      settings: { token, language: "es", takeOver: true },
    })),
  };
  const folder = temporaryFolder();
  const store = await temporaryStore(systemClock, folder);
  const config = await configOf(folder, { messengers: { telegram: { TELEGRAM_API_URL: api } } });
  config.module.code = CODE;
  const parts = movingParts({ config, store, call, clock: systemClock, adapters: [telegram] });
  const from = "mg-transport-telegram";
  const heard = () => undefined;
  const run = async (given = [former], how: { dryRun?: boolean } = {}) =>
    alive(await moveIn(parts, given, { from, adapter: telegram, all: given, dryRun: how.dryRun ?? false, heard }));
  const undo = async (how: { dryRun?: boolean; force?: boolean } = {}) =>
    alive(await moveOut(parts, undefined, { from, dryRun: how.dryRun ?? false, force: how.force ?? false, heard }));
  /** What the CRM, the gateway and Telegram have. */
  const state = () => ({
    module: sandbox.world.modules.get(CODE)?.registration,
    channels: [...sandbox.world.channels.values()].map(({ id, name, settings, type }) => ({
      id,
      name,
      settings,
      type,
    })),
    webhooks: [...sandbox.telegram.world.bots.values()].map(({ queue, commands }) => ({
      ...{ url: queue.webhook?.url, max: queue.webhook?.maxConnections, secret: queue.webhook?.secret },
      ...{ allowed: queue.allowed, commands: [...commands] },
    })),
  });
  return {
    sandbox,
    store,
    folder,
    former,
    old,
    run,
    undo,
    calls,
    killing,
    failing,
    state: () => structuredClone(state()),
    parts,
    config,
  };
}

/** The command is killed: whatever it was about to do is left undone. */
export class Killed extends Error {
  override name = "Killed";
}

/** A kill ends the work on one account, as any fault of the program does. */
function alive<T extends AccountReport>(reports: T[] | undefined): T[] {
  if (reports?.some(({ why }) => why?.includes("(Killed"))) throw new Killed();
  return reports ?? [];
}

/** Whether a call changes something at the CRM, the gateway or Telegram. */
export const isWrite = (call: string): boolean => !/^GET |\/(getMe|getWebhookInfo|getMyCommands)$/.test(call);
