import facebook from "gangway-facebook";
import { createEmulator as createFacebook } from "gangway-facebook/emulator/emulator";
import instagram from "gangway-instagram";
import { APP, createEmulator as createInstagram } from "gangway-instagram/emulator/emulator";
import type { ChannelSession } from "gangway-messenger/port";
import { expect, it } from "vitest";
import { staged } from "../../../whatsapp/test/unit/stage.ts";
import { DEMO_APP } from "../../emulator/demo-app.ts";
import { OTHER_SECRET } from "../../src/other-secret.ts";
import { SIGNATURE_HEADER, signatureOf } from "../../src/signature.ts";
import { fresh, talking } from "./talking.ts";

const connected = async () => {
  const stage = await staged();
  await stage.session.connect(fresh());
  return stage;
};
const BODY = '{"object":"none","entry":[]}';

function knocks(session: ChannelSession) {
  const knock = (headers: Record<string, string>, address?: string) =>
    session.receive(new Request("https://us.example/m/door", { method: "POST", body: BODY, headers }), address);
  return {
    knock,
    signed: (secret: string, address?: string) => knock({ [SIGNATURE_HEADER]: signatureOf(secret, BODY) }, address),
    trouble: () => session.inspect?.(fresh()),
  };
}

it.each([
  ["WhatsApp", connected, DEMO_APP.secret],
  ["Messenger", () => talking(facebook, createFacebook), DEMO_APP.secret],
  ["Instagram", () => talking(instagram, createInstagram, {}, APP.id), APP.secret],
])("an app secret that was changed at Meta is told of until it is pasted, on %s", async (_, open, secret) => {
  const { session } = await open();
  const { knock, signed, trouble } = knocks(session);
  for (let n = 0; n < 2; n++) expect((await signed("new secret", "192.0.2.1")).reply.status).toBe(401);
  expect(await trouble()).toBeUndefined();
  await signed("new secret", "192.0.2.1");
  expect(await trouble()).toBe(OTHER_SECRET);
  expect((await signed(secret, "192.0.2.1")).reply.status).toBe(200);
  expect(await trouble()).toBeUndefined();
  // Neither strangers without a signature nor another shop's app.
  for (let n = 0; n < 5; n++) await knock({}, "192.0.2.1");
  for (let n = 0; n < 5; n++) await signed("another shop's secret");
  expect(await trouble()).toBeUndefined();
});
