import { createEmulator as facebook } from "gangway-facebook/emulator/emulator";
import { APP, createEmulator as instagram } from "gangway-instagram/emulator/emulator";
import { expect, it, onTestFinished } from "vitest";
import { findEmulators } from "../../../../../sandbox/src/emulators.ts";
import { createSandbox } from "../../../../../sandbox/src/sandbox.ts";
import { DEMO_APP } from "../../../emulator/demo-app.ts";
import { connected } from "./module.ts";

it("the sandbox serves both networks with their phones, settings and planned faults", async () => {
  const sandbox = createSandbox({ origin: () => "http://sandbox.test", emulators: await findEmulators() });
  onTestFinished(sandbox.stop);
  const get = async (path: string) => sandbox.fetch(new Request(`http://sandbox.test${path}`));
  for (const kind of ["facebook", "instagram"]) {
    const phone = await get(`/${kind}/phone`);
    expect(await phone.text()).toContain(`/${kind}/phone/messages?account=`);
    expect((await get(`/${kind}/v23.0/me`)).status).toBe(401);
    const { env, faults } = sandbox.emulators[kind] ?? {};
    expect(Object.values(env?.() ?? {})).toContain(`http://sandbox.test/${kind}`);
    expect(faults?.targets).toEqual(expect.arrayContaining(["send", "webhook", "uploadAttachment"]));
  }
});

it.each([
  ["facebook", facebook, DEMO_APP.secret],
  ["instagram", instagram, APP.secret],
] as const)("the operator's addresses for %s are typed in the app's console", async (kind, create, secret) => {
  const { emulator } = connected(create, () => secret);
  await emulator.register?.("http://module.test");
  const app = emulator.core.apps.list().find((each) => each.secret === secret);
  expect(app).toMatchObject({
    webhook: { url: `http://module.test/apps/${kind}` },
    deletionUrl: `http://module.test/apps/${kind}/delete-data`,
  });
});
