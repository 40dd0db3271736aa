import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { OWN, runningSite } from "../../../../test/support/site.ts";

async function served() {
  const site = await runningSite();
  const cookie = await site.connect();
  await site.addChannel(cookie);
  const door = /data-channel=&quot;([\w-]{43})&quot;/.exec(await site.page(cookie))?.[1];
  const ask = async (path: string, body: object, token = "") => {
    const headers = { authorization: `Bearer ${token}`, origin: OWN };
    const answer = await site.ask(`/m/${door}/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { visitor: string; history: { text?: string }[] };
  };
  const said = async (visitor: string) =>
    (await ask("open", { visitor })).history.map(({ text }) => text).filter(Boolean);
  return { ask, said };
}

it("a visitor's wish to be erased empties the chat on the server, and no other", async () => {
  const { ask, said } = await served();
  const [one, other] = [(await ask("open", {})).visitor, (await ask("open", {})).visitor];
  for (const visitor of [one, other]) await ask("messages", { id: randomUUID(), text: "keep me" }, visitor);
  expect([await said(one), await said(other)]).toEqual([["keep me"], ["keep me"]]);
  await ask("erase", {}, one);
  await expect.poll(() => said(one)).toEqual([]);
  expect(await said(other)).toEqual(["keep me"]);
});

it("a visitor's second wish to be erased is kept as the first is", async () => {
  const { ask, said } = await served();
  const { visitor } = await ask("open", {});
  for (const text of ["once", "twice"]) {
    await ask("messages", { id: randomUUID(), text }, visitor);
    expect(await said(visitor)).toEqual([text]);
    await ask("erase", {}, visitor);
    await expect.poll(() => said(visitor)).toEqual([]);
  }
});
