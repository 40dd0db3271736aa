import { expect, it } from "vitest";
import { readRows, writeRows } from "../../../support/engine.ts";
import { batchOf, letter, VENDORS } from "../../../support/harbour.ts";
import { OWN, runningSite } from "../../../support/site.ts";
import { harbour, loginOf, SEAL, sealOf } from "../../../system/contract/toy/harbour.ts";

/** The whole server, with a vendor's app at the harbour. */
async function served() {
  const site = await runningSite({
    adapters: [harbour],
    messengers: { harbour: { secret: VENDORS, greeting: "ahoy" } },
  });
  const deliver = (body: unknown) => {
    const text = JSON.stringify(body);
    return site.ask("/apps/harbour", { method: "POST", body: text, headers: { [SEAL]: sealOf(VENDORS, text) } });
  };
  const addBerth = async (cookie: string, berth: string) => {
    const fields = { formToken: await site.formToken(cookie), kind: "harbour", name: "Shop", "setting.berth": berth };
    return site.submit("/account/channels", { ...fields, "setting.secret": "" }, { cookie });
  };
  const texts = async () =>
    ((await readRows(site.folder, ["message"])).message ?? []).map(({ dedupe_key }) => dedupe_key);
  return { ...site, deliver, addBerth, texts };
}

it("the server reads what came for a login that is connected a moment later", async () => {
  const { deliver, addBerth, connect, texts, folder, stored } = await served();
  expect((await deliver(batchOf({ 1: [letter("a")] }))).status).toBe(200);
  expect((await readRows(folder, ["parked"])).parked).toMatchObject([{ login: loginOf("1") }]);
  const cookie = await connect();
  await addBerth(cookie, "1");
  await expect.poll(() => texts()).toEqual(["a"]);
  await expect.poll(async () => (await readRows(folder, ["parked"])).parked).toEqual([]);
  expect(await stored(({ ledger }) => ledger())).toMatchObject([{ accepted: 1, hole: 0 }]);
});

it("a person sees at a secret address, in their language, whether their data is erased", async () => {
  const { deliver, ask, folder } = await served();
  const { url } = (await (await deliver({ erase: "ship" })).json()) as { url: string };
  expect(url.startsWith(`${OWN}/erased/`)).toBe(true);
  const path = url.slice(OWN.length);
  const page = async (language: string) => {
    const answer = await ask(path, { headers: { "accept-language": language, accept: "text/html" } });
    return [answer.status, /<h1>(.*?)<\/h1>/.exec(await answer.text())?.[1]];
  };
  await expect.poll(() => page("en")).toEqual([200, "Your data is erased"]);
  expect(await page("es")).toEqual([200, "Sus datos se han borrado"]);
  expect(await page("ru")).toEqual([200, "Ваши данные удалены"]);
  await writeRows(folder, "UPDATE erasure_request SET done_at = NULL");
  expect(await page("en")).toEqual([200, "Your data is being erased"]);
  const { headers } = await ask(path);
  expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
  expect([headers.get("cache-control"), headers.get("referrer-policy")]).toEqual(["no-store", "same-origin"]);
  const other = await ask(`${path.slice(0, -1)}_`, { headers: { accept: "text/html" } });
  expect(other.status).toBe(404);
});

it("guesses of such addresses are slowed down", async () => {
  const { ask } = await served();
  const statuses: number[] = [];
  for (let n = 0; n < 61; n++) statuses.push((await ask(`/erased/${"x".repeat(22)}`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([404, 429]);
});
