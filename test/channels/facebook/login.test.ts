import { expect, it } from "vitest";
import { createEmulator, PAGE, SECOND_PAGE } from "../../../sandbox/src/facebook/emulator.ts";
import { DEMO_APP } from "../../../sandbox/src/meta/demo-app.ts";
import { facebook } from "../../../src/channels/facebook/index.ts";
import { callFrom } from "../../support/call.ts";
import { CRM, OWN, runningSite } from "../../support/site.ts";

it("a merchant logs in, chooses pages of the emulated network, and both are connected", async () => {
  const at = `${CRM}/facebook`;
  const server = facebook.serverSettings?.parse({
    ...{ META_GRAPH_URL: at, META_DIALOG_URL: at },
    ...{ META_APP_ID: DEMO_APP.id, META_APP_SECRET: DEMO_APP.secret, META_VERIFY_TOKEN: "a-verify-token" },
  });
  const site = await runningSite({
    emulators: { facebook: createEmulator },
    adapters: [facebook],
    messengers: { facebook: server as Record<string, unknown> },
  });
  const cookie = await site.connect();
  const look = (path: string) => site.ask(path, { headers: { cookie } });
  const dialog = (await look("/account/add/facebook/login")).headers.get("location") ?? "";
  const body = String(new URLSearchParams([PAGE.id, SECOND_PAGE.id].map((id) => ["choice", id])));
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const sent = await callFrom(site.sandbox)({ method: "POST", url: dialog, body, headers, timeoutMs: 1_000 });
  const back = sent.type === "answer" ? (sent.headers.location ?? "") : "";
  expect(back).toContain(`${OWN}/apps/facebook/login?`);
  await look(back.replace(OWN, ""));
  const choices = await (await look("/account/add/facebook/choose")).text();
  for (const { name } of [PAGE, SECOND_PAGE]) expect(choices).toContain(name);
  const formToken = /name="formToken" value="([^"]+)"/.exec(choices)?.[1] ?? "";
  const chosen = [...choices.matchAll(/name="login" value="([^"]+)"/g)].map(([, login = ""]) => ["login", login]);
  await site.ask("/account/add/facebook/choose", {
    ...{ method: "POST", headers: { cookie, origin: OWN } },
    body: new URLSearchParams([["formToken", formToken], ...chosen] as [string, string][]),
  });
  const outcome = await (await look("/account/add/facebook/choose")).text();
  expect(outcome).not.toContain('class="problem"');
  expect(outcome.match(/class="done"/g)).toHaveLength(2);
});
