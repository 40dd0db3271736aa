import facebook from "gangway-facebook";
import { createEmulator as createFacebook } from "gangway-facebook/emulator/emulator";
import { systemClock } from "gangway-messenger/clock";
import { callFrom } from "gangway-messenger/kit/call";
import { DEMO_APP } from "gangway-meta/emulator/demo-app";
import whatsapp from "gangway-whatsapp";
import { createEmulator as createWhatsApp } from "gangway-whatsapp/emulator/emulator";
import { expect, it } from "vitest";
import { adapters } from "../../../src/messengers.ts";
import { askApps } from "../../../src/operator/apps.ts";

const OPTIONS = {
  origin: () => "https://network.example",
  clock: { now: systemClock.now, after: () => () => {} },
  deliver: async () => new Response(null, { status: 503 }),
};
const publicUrl = "https://gangway.example";
const ENV = { META_APP_ID: DEMO_APP.id, META_APP_SECRET: DEMO_APP.secret, META_VERIFY_TOKEN: "verify-me" };

it.each([
  ["Messenger", facebook, createFacebook(OPTIONS)],
  ["WhatsApp", whatsapp, createWhatsApp(OPTIONS)],
])(
  "the doctor asks Meta whether it takes the app's secret, and where it sends, for %s",
  async (_, adapter, emulator) => {
    const core = "network" in emulator ? emulator.network.core : emulator.core;
    const app = core.apps.find(DEMO_APP.id);
    if (!app) throw new Error("there is no app");
    const asked = async (env: object = {}) => {
      const server = adapter.serverSettings?.parse({ ...ENV, ...env }) ?? {};
      const config = { publicUrl, updates: "webhook" as const, messengers: { [adapter.kind]: { ...server } } };
      const findings = await askApps({ call: callFrom(emulator.site), clock: systemClock }, config, [adapter]);
      expect(JSON.stringify(findings)).not.toContain(app.secret);
      return findings.map(({ state, seen, todo = "" }) => `${state} ${seen} / ${todo}`);
    };
    const doorUrl = `${publicUrl}/apps/${adapter.kind}`;
    app.webhook = undefined;
    expect(await asked()).toEqual([expect.stringMatching(/^warn Meta knows no webhook of the app/)]);
    app.webhook = { url: "https://elsewhere.example/hook", verifyToken: "x" };
    expect(await asked()).toEqual([expect.stringMatching(/^warn .*another address \(elsewhere\.example\)/)]);
    app.webhook = { url: doorUrl, verifyToken: "x" };
    expect(await asked()).toEqual([`ok Meta sends to ${doorUrl} / `]);
    const wrong = "0123456789abcdef0123456789abcdef";
    expect(await asked({ META_APP_SECRET: wrong })).toEqual([
      expect.stringMatching(/^fail Meta does not accept the app's id and secret: .*META_APP_SECRET again from/),
    ]);
    core.faults.plan({ operation: "listSubscriptions", status: 503, body: "html" } as never);
    expect(await asked()).toEqual([expect.stringMatching(/^warn /)]);
  },
);

it("the doctor asks nothing of apps that the operator has not set up", async () => {
  const call = () => expect.fail("a call");
  const config = { publicUrl, updates: "webhook" as const, messengers: {} };
  expect(await askApps({ call, clock: systemClock }, config, adapters)).toEqual([]);
});
