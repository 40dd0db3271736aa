import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { loadArchive, saveArchive } from "../../src/archive/file.ts";
import { serveSandbox } from "../../src/serve.ts";
import { account } from "../spec/account.ts";

function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "archive-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "account.ndjson");
}

it("a saved account is one that a sandbox can start with", async () => {
  const file = freshFile();
  const own = account();
  await own.submit("/api/v5/customers/create", { customer: { externalId: "ann", firstName: "Ann" } });
  await saveArchive(own.world, file);
  const running = await serveSandbox({ port: 0, seed: file });
  onTestFinished(running.close);
  const answer = await fetch(`${running.origin}/api/v5/customers/ann?apiKey=sandbox-key`);
  expect(await answer.json()).toMatchObject({ customer: { firstName: "Ann" } });
});

it("a saved account that was changed is checked, whether its seal is still there or not", async () => {
  const file = freshFile();
  const own = account();
  await own.submit("/api/v5/customers/create", { customer: { externalId: "ann", firstName: "Ann" } });
  await saveArchive(own.world, file);
  const saved = readFileSync(file, "utf8");
  const lines = saved.replace('"firstName":"Ann"', '"firstName":7').split("\n");
  const bad = lines.findIndex((line) => line.includes('"firstName":7')) + 1;
  for (const changed of [lines, lines.slice(0, -2), [...lines.slice(0, -2), '{"table":"seal"}'], [...lines, saved]]) {
    writeFileSync(file, changed.join("\n"));
    await expect(serveSandbox({ port: 0, seed: file })).rejects.toThrow(`line ${bad}: firstName must be string`);
  }
});

it("a saved account takes the whole place of another one, letters of every script included", async () => {
  const file = freshFile();
  const own = account();
  await own.submit("/api/v5/customers/create", {
    customer: { externalId: "anna", firstName: "Анна", lastName: "Größe" },
  });
  await own.submit("/api/v5/customers/anna/edit", { customer: { vip: true } });
  await saveArchive(own.world, file);
  const other = account();
  await other.submit("/api/v5/customers/create", { customer: { externalId: "bob", firstName: "Bob" } });
  const counts = await loadArchive(other.world, file);
  await saveArchive(other.world, `${file}.again`);
  // Ids go on after the higher of both accounts'; the seal follows.
  const lines = (name: string) => readFileSync(name, "utf8").split("\n").slice(1, -2);
  expect(lines(`${file}.again`)).toEqual(lines(file));
  expect(counts).toMatchObject({ account: 1, customers: 1, "history/customers": 3 });
});

it("two archives make one", async () => {
  const file = freshFile();
  const own = account();
  await own.submit("/api/v5/customers/create", { customer: { externalId: "ann", firstName: "Ann" } });
  await saveArchive(own.world, file);
  const saved = readFileSync(file, "utf8");
  writeFileSync(file, saved + saved.split("\n").slice(1).join("\n"));
  await loadArchive(own.world, file);
  expect(own.world.tables.customers.rows.size).toBe(1);
});

it("an earlier file stays until the account is wholly written", async () => {
  const file = freshFile();
  writeFileSync(file, "earlier");
  const { world } = account();
  const toJSON = () => {
    throw new Error("cannot be written");
  };
  world.tables.customers.put({ id: 1, toJSON });
  await expect(saveArchive(world, file)).rejects.toThrow("cannot be written");
  expect(readFileSync(file, "utf8")).toBe("earlier");
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

it("a sandbox does not start with a file that it cannot read, and names the line", async () => {
  const file = freshFile();
  expect(existsSync(file)).toBe(false);
  await expect(serveSandbox({ port: 0, seed: file })).rejects.toThrow(/^--seed .*account\.ndjson: ENOENT/);
  writeFileSync(file, '{"table":"customers","record":{"id":1}}\n{"table":"boats"}\n');
  await expect(serveSandbox({ port: 0, seed: file })).rejects.toThrow("line 2: there is no table boats");
});
