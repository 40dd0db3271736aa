import { expect, it } from "vitest";
import { gangway } from "../../support/gangway.ts";
import { oneChannel } from "../../support/store.ts";

it("gangway tokens makes a token that the server knows, lists it without it, and removes it", async () => {
  const { folder, store } = await oneChannel();
  const run = (...args: string[]) => gangway(folder, ["tokens", ...args]);
  const scopes = ["--scope", "undelivered:read,accounts:read"];
  const added = await run("add", "--name", "help-desk", ...scopes);
  const token = added.out.trim();
  expect([added.code, token.startsWith("gw_")]).toEqual([0, true]);
  expect((await store.apiTokens.find(token))?.scopes).toEqual(["accounts:read", "undelivered:read"]);
  const listed = await run("list");
  expect(listed.out).toMatch(/help-desk +accounts:read undelivered:read/);
  expect(listed.out).not.toContain(token);
  expect((await run("list", "--json")).json()).toMatchObject({ tokens: [{ name: "help-desk" }] });
  expect(await run("add", "--name", "help-desk", ...scopes)).toMatchObject({ code: 1 });
  for (const wrong of [["--name", "a b", ...scopes], scopes, ["--name", "x"], ["--name", "x", "--scope", "all"]])
    expect((await run("add", ...wrong)).code, wrong.join(" ")).toBe(2);
  expect((await run("remove", "help-desk")).code).toBe(0);
  expect((await run("remove", "help-desk")).out).toContain("There is no token help-desk.");
  expect(await store.apiTokens.find(token)).toBeUndefined();
  expect((await run("list")).out.trim()).toBe("There are no tokens.");
});
