import { describe, expect, it } from "vitest";
import { NUMBER_ID } from "../../../sandbox/src/whatsapp/seed.ts";
import { contractJudge } from "../meta/contract.ts";
import { opened } from "./stage.ts";

const judge = contractJudge("whatsapp");

describe.skipIf(!judge)("the published contract", () => {
  it("fits every call, answer and webhook of a conversation", async () => {
    const { emulator, network, ask, text, idle } = await opened();
    await emulator.says("hello");
    await text();
    await ask("GET", NUMBER_ID);
    await idle();
    const entries = network.core.journal.entries();
    expect(entries.flatMap((entry) => judge?.(entry) ?? [])).toEqual([]);
    expect(entries.length).toBeGreaterThan(6);
  });
});
