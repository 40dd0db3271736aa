import { expect, it } from "vitest";
import { talking } from "./talking.ts";

it.each([
  // A wait of MAX's holds for all chats: this one is of a file.
  [400, "attachment.not.ready", "", { type: "retry" }],
  [400, "proto.payload", "Key: error.file.not.processed", { type: "retry" }],
  [400, "proto.payload", "Field 'text' size (4001) must be at most 4000", { type: "reject", code: "general" }],
  // The token works for another call: one refusal proves nothing.
  [401, "verify.token", "Invalid access_token", { type: "retry" }],
  [403, "verify.token", "Invalid access_token", { type: "retry" }],
  [403, "chat.denied", "Key: error.dialog.suspended, args: [5].", { type: "reject", code: "access_restricted" }],
  [403, "chat.denied", "Invalid chatId: 0", { type: "reject", code: "access_restricted" }],
  [404, "chat.not.found", "", { type: "reject", code: "customer_not_exists" }],
  [405, "method.not.allowed", "", { type: "reject", code: "general", externalCode: "405 method.not.allowed" }],
  [429, "too.many.requests", "", { type: "retry", afterMs: 1_000 }],
  [500, "internal.error", "", { type: "unsure" }],
  [503, "service.unavailable", "", { type: "retry" }],
])("a message that is refused with %i %s %s is %o", async (status, code, description, verdict) => {
  const { emulator, send } = await talking();
  emulator.plans.plan({ operation: "sendMessage", status, code, description, times: 4 });
  await expect(send()).rejects.toMatchObject({ verdict });
});

it("a token that MAX refuses twice ends the channel, in words and without the token", async () => {
  const { emulator, send } = await talking();
  const [bot] = emulator.world.bots;
  if (bot) bot.token = "another.token.after.it.was.revoked";
  const error = await send().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ verdict: { type: "reconnect" }, message: /no longer accepts this bot's token/ });
  expect(JSON.stringify([error, String(error)])).not.toContain("f9LHodD0cOK");
});

it("a wait without a time doubles with each 429 in a row, and begins anew after an answer", async () => {
  const { emulator, send } = await talking();
  const waits: unknown[] = [];
  const refused = async () => {
    const error = await send().catch((thrown: unknown) => thrown as { verdict: { afterMs: number } });
    if ("verdict" in error) waits.push(error.verdict.afterMs);
  };
  emulator.plans.plan({ operation: "sendMessage", status: 429, body: "contract", times: 3 });
  for (let n = 0; n < 4; n++) await refused();
  emulator.plans.plan({ operation: "sendMessage", status: 429, body: "contract" });
  await refused();
  emulator.plans.plan({ operation: "sendMessage", status: 429, body: "contract", retryAfter: 7 });
  await refused();
  expect(waits).toEqual([1_000, 2_000, 4_000, 1_000, 7_000]);
});

it.each([
  ["a proxy's page", { status: 502, body: "html" as const }, { type: "unsure" }],
  ["a redirect", { status: 302, body: "redirect" as const }, { type: "retry" }],
  ["nginx in place of MAX", { status: 200, body: "html" as const }, { type: "unsure" }],
  ["half an answer", { body: "half" as const, when: "after" as const }, { type: "unsure" }],
  ["another JSON", { status: 200, body: "json" as const }, { type: "unsure" }],
  ["a proxy's 403", { status: 403, body: "html" as const }, { type: "retry" }],
])("%s is no word of MAX's", async (_, fault, verdict) => {
  const { emulator, send } = await talking();
  emulator.plans.plan({ operation: "sendMessage", ...fault });
  await expect(send()).rejects.toMatchObject({ verdict });
});
