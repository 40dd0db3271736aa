import type { ChatId } from "gangway-messenger/ids";
import { besideEmulator } from "gangway-messenger/kit/emulated";
import { textStep } from "gangway-messenger/kit/sending";
import { expect, it } from "vitest";
import { createEmulator } from "../emulator/emulator.ts";
import pager from "../src/index.ts";

const { settings, open } = besideEmulator(pager, createEmulator);

it.each([
  [401, "bad_token", { type: "retry" }],
  [403, "blocked", { type: "reject", code: "access_restricted" }],
  [404, "no_such_pager", { type: "reject", code: "customer_not_exists" }],
  [418, "teapot", { type: "reject", code: "general", externalCode: "teapot" }],
  [429, "too_fast", { type: "retry", afterMs: 1_000 }],
  [500, "perhaps_sent", { type: "unsure" }],
  [500, "broken", { type: "retry" }],
])("a page that is refused with %i %s is %o", async (status, code, verdict) => {
  const { emulator, session } = await open();
  emulator.refuse(status, code);
  const at = { chat: "robin" as ChatId, key: "one" };
  const sent = session.send(textStep(pager, settings), at, new AbortController().signal);
  await expect(sent).rejects.toMatchObject({ verdict });
});
