import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findEmulators } from "../src/emulators.ts";
import { createSandbox } from "../src/sandbox.ts";

const NOWHERE = "http://sandbox";

it("the sandbox serves each package with an emulator, under its folder's name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "gangway-emulators-"));
  for (const kind of ["flags", "smoke"]) mkdirSync(join(folder, kind, "emulator"), { recursive: true });
  writeFileSync(
    join(folder, "flags", "emulator", "emulator.ts"),
    `export const createEmulator = ({ origin }) => ({
      site: { routes: [] },
      channel: () => ({ name: "Flags", settings: { address: origin() } }),
      stop: () => { globalThis.stoppedFlags = true; },
    });`,
  );
  const emulators = await findEmulators(folder);
  expect(Object.keys(emulators)).toEqual(["flags"]);
  const sandbox = createSandbox({ origin: () => NOWHERE, emulators });
  onTestFinished(sandbox.stop);
  expect(sandbox.emulators.flags?.channel()).toEqual({ name: "Flags", settings: { address: `${NOWHERE}/flags` } });
  sandbox.stop();
  expect(globalThis).toHaveProperty("stoppedFlags", true);
});

it("the pages' menu leads to the phone of each messenger, served with it", async () => {
  const emulators = await findEmulators();
  const sandbox = createSandbox({ origin: () => NOWHERE, emulators });
  onTestFinished(sandbox.stop);
  const page = async (path: string) => {
    const answer = await sandbox.fetch(new Request(`${NOWHERE}${path}`), {});
    return { status: answer.status, text: await answer.text() };
  };
  expect((await page("/faults")).text).toContain('<a href="/phones">Phones</a>');
  const { text } = await page("/phones");
  const phones = [...text.matchAll(/href="(\/[^"]*phone)"/g)].map(([, path = ""]) => path);
  expect(phones.sort()).toEqual(Object.keys(emulators).map((kind) => `/${kind}/phone`));
  expect(phones.length).toBeGreaterThan(3);
  for (const phone of phones) expect((await page(phone)).status).toBe(200);
});

it("the page of phones shows what the demo pastes into the forms, and accounts that the demo leaves free", async () => {
  const emulators = await findEmulators();
  const sandbox = createSandbox({ origin: () => NOWHERE, emulators });
  onTestFinished(sandbox.stop);
  const text = await (await sandbox.fetch(new Request(`${NOWHERE}/phones`), {})).text();
  const giving = Object.entries(sandbox.emulators).filter(([, { logins }]) => logins);
  expect(giving.map(([kind]) => kind).sort()).toEqual(["avito", "max", "telegram", "vk"]);
  for (const [kind, { channel, logins = () => [] }] of giving) {
    const pasted = Object.values(channel().settings);
    const [first, ...others] = logins().map(({ values }) => Object.values(values));
    expect(pasted, kind).toEqual(expect.arrayContaining(first ?? []));
    expect(others.length, kind).toBeGreaterThan(1);
    for (const value of [first, ...others].flat()) expect(text).toContain(`<code>${value}</code>`);
  }
});
