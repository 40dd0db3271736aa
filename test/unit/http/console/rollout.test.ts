import { expect, it } from "vitest";
import { form, HOSTILE, signedIn } from "../../../support/console.ts";
import { until } from "../../../support/until.ts";

it("the console shows which gateways know what this version can do, and tells the others when asked", async () => {
  const { page, ask, formToken, store } = await signedIn();
  const before = await page("/features");
  expect(before).toContain("Announce now");
  expect(before).not.toContain(HOSTILE);
  expect((await ask("/features", form({ formToken: "forged" }))).status).toBe(403);
  expect((await ask("/features", form({ formToken: await formToken() }))).headers.get("location")).toBe("/features");
  await until("all to be told", async () => {
    const now = await page("/features");
    return !now.includes("Announce now") && !now.includes("Announcing:");
  });
  const acts = async () =>
    (await store.audit.list({ limit: 99 })).filter(({ action }) => action === "features announced");
  expect(await acts()).toMatchObject([{ actor: "operator", detail: { accounts: 1 } }]);
  await ask("/features", form({ formToken: await formToken() }));
  expect(await acts(), "nothing waits any more").toHaveLength(1);
});
