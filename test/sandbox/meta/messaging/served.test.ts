import { expect, it, onTestFinished } from "vitest";
import { findEmulators } from "../../../../sandbox/src/emulators.ts";
import { createSandbox } from "../../../../sandbox/src/sandbox.ts";

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
