import type { Call, CallResult } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import type { GatewayFileId } from "gangway-messenger/ids";
import { describe, expect, it, onTestFinished } from "vitest";
import { createGuard, createOutgoing } from "../../../src/calls/outgoing.ts";
import { CrmError } from "../../../src/crm/verdict.ts";
import { createGateway } from "../../../src/gateway/client.ts";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers } from "../../../src/gateway/sending.ts";
import { createConnecting } from "../../../src/module/connecting/connecting.ts";
import { connectFaultText } from "../../../src/pages/fault-text.ts";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { knock, openStage } from "../../fuzz/stage.ts";
import { FORBIDDEN, openTripwire, resolveToLoopback } from "../../support/forbidden-addresses.ts";
import { listening } from "../../support/listening.ts";
import { silentLog } from "../../support/log.ts";
import { temporaryStore } from "../../support/store.ts";
import { until } from "../../support/until.ts";

/** Production's outgoing calls, with every name resolving to this machine; records each result. */
function wayOut(allowLoopback = false) {
  const outgoing = createOutgoing({ allowLoopback, resolve: allowLoopback ? undefined : resolveToLoopback });
  onTestFinished(() => outgoing.close());
  const results: CallResult[] = [];
  const call: Call = async (request) => {
    const result = await outgoing.call(request);
    results.push(result);
    return result;
  };
  return { call, results };
}

const config = {
  sandbox: false,
  publicUrl: "https://gangway.example",
  // The most permissive list an operator can set.
  crmHosts: ["*.retailcrm.ru", "*.nip.example", "*.internal", "localhost", "127.0.0.1"],
  module: { code: "gangway", name: "Gangway", logoUrl: "https://gangway.example/logo.svg" },
};

async function connectsTo(call: Call) {
  const store = await temporaryStore();
  const { connect } = createConnecting({
    ...{ config, call, store, clock: systemClock, log: silentLog },
    connected: async () => {},
  });
  return async (crmUrl: string) => {
    const result = await connect({ crmUrl, apiKey: "key", from: "192.0.2.1" });
    return result.ok ? "connected" : connectFaultText(strings.en, result.fault);
  };
}

describe("an account's address that leads into our own network", () => {
  it(`is never connected to, in ${FORBIDDEN.length} forms, even if the operator's list allows it`, async () => {
    const tripwire = await openTripwire();
    const { call, results } = wayOut();
    const connect = await connectsTo(call);
    for (const form of [...FORBIDDEN, "https://shop.retailcrm.ru"])
      expect(await connect(form.replace("PORT", String(tripwire.port))), form).not.toBe("connected");
    expect(results.length).toBeGreaterThan(1);
    for (const result of results) expect(result).toMatchObject({ type: "failure", sent: "no", reason: "blocked" });
    expect(tripwire.connections()).toBe(0);
  });

  it("gets the same error as one where nobody answers, so that the form cannot map the network", async () => {
    const failures = (["blocked", "refused", "timeout", "reset", "aborted", "too-large"] as const).map(
      (reason): CallResult => ({ type: "failure", sent: "no", reason, detail: `10.0.0.1 ${reason}` }),
    );
    const proxy: CallResult = { type: "answer", status: 502, headers: {}, bytes: Buffer.from("Bad gateway") };
    const words = new Set<string>();
    for (const result of [...failures, proxy])
      words.add(await (await connectsTo(async () => result))("https://a.retailcrm.ru"));
    expect([...words]).toEqual([connectFaultText(strings.en, { code: "unreachable" })]);
    expect(new CrmError("blocked").reason).toBe("blocked");
  });

  it("is checked at each connection: a name that was public may become private", async () => {
    const answers = ["93.184.216.34", "127.0.0.1", "10.0.0.1", "93.184.216.34"];
    const rebinding = ((_: string, __: object, done: (error: null, found: object[]) => void) =>
      done(null, [{ address: answers.shift() ?? "", family: 4 }])) as never;
    const { lookup } = createGuard(false, rebinding);
    const ask = () =>
      new Promise((resolve) => lookup("rebinding.example", {}, (error, found) => resolve(error ? "blocked" : found)));
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([
      "93.184.216.34",
      "blocked",
      "blocked",
      "93.184.216.34",
    ]);
  });
});

const GATEWAY = "https://gateway.example/api/transport/v1";
const fresh = () => new AbortController().signal;

/** A gateway whose files are at another address. */
function gatewayWith(call: Call) {
  let place = "";
  const answering: Call = async (request) => {
    if (!request.url.startsWith(GATEWAY)) return call(request);
    const bytes = Buffer.from(JSON.stringify({ id: "f", url: place }));
    return { type: "answer", status: 200, headers: {}, bytes };
  };
  const access = { url: () => GATEWAY, token: () => "token", renew: async () => undefined };
  const gateway = createGateway({
    call: answering,
    clock: systemClock,
    permits: createPermits(systemClock),
    account: "one",
    isDone: emptyAnswers(),
    access,
  });
  return async (url: string) => {
    place = url;
    return (await gateway.file("f" as GatewayFileId, fresh())).open(fresh());
  };
}

describe("a file's address that leads into our own network", () => {
  it(`is never connected to, in ${FORBIDDEN.length} forms`, async () => {
    const tripwire = await openTripwire();
    const { call, results } = wayOut();
    const open = gatewayWith(call);
    // A value that is not an address counts as a path at the gateway.
    for (const form of FORBIDDEN.filter((form) => URL.canParse(form.replace("PORT", "1"))))
      await expect(open(form.replace("PORT", String(tripwire.port))), form).rejects.toThrow();
    for (const result of results) expect(result).toMatchObject({ type: "failure", sent: "no", reason: "blocked" });
    expect(results.length).toBeGreaterThan(40);
    expect(tripwire.connections()).toBe(0);
  });

  it.each([301, 302, 303, 307, 308])("is not followed on a redirect of status %i", async (status) => {
    const tripwire = await openTripwire();
    const origin = await listening((_, answer) => {
      answer.writeHead(status, { location: `http://127.0.0.1:${tripwire.port}/secret` }).end();
    });
    await expect(gatewayWith(wayOut(true).call)(`${origin}/file`)).rejects.toThrow();
    expect(tripwire.connections()).toBe(0);
  });

  it("is not fetched from an agent's message: picture, avatar, link, button", async () => {
    const asked: string[] = [];
    const around =
      (real: Call): Call =>
      async (request) => {
        asked.push(`${request.url} ${request.method}`);
        return real(request);
      };
    const stage = await openStage({ around });
    const before = asked.length;
    const bad = "http://127.0.0.1:9/canary";
    const product = { name: "Rope", url: bad, img: bad, cost: { value: 1, currency: "EUR" } };
    const place = (channel_id: number, chat: string) => ({
      channel_id,
      external_chat_id: chat,
      external_user_id: chat,
    });
    for (const at of [place(stage.chat.channel, stage.visitor.chat), place(stage.bot.channel, stage.bot.chat)]) {
      const more = { type: "product", product, user: { id: 1, first_name: "A", last_name: "B", avatar: bad } };
      const attachments = { suggestions: [{ type: "url", title: "go", payload: bad }] };
      const data = { ...at, id: 1, content: bad, quote_content: null, quote_external_id: null, ...more, attachments };
      const body = Buffer.from(JSON.stringify({ type: "message_sent", meta: { timestamp: 1 }, data }));
      const headers = { clientid: stage.clientId };
      expect((await knock(stage, stage.hook, { headers }, body, "198.51.100.1")).status).toBe(200);
    }
    await until("what follows both", () => asked.length >= before + 2);
    await stage.close();
    expect(asked.filter((line) => line.includes("canary"))).toEqual([]);
    expect(asked.length).toBeGreaterThan(5);
  });
});
