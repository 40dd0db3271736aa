import { verdictOf } from "gangway-meta/verdict";
import { describe, expect, it } from "vitest";
import { TABLE } from "../src/verdict.ts";
import { fresh, refusalOf, staged } from "./unit/stage.ts";

const ROBIN = "15550100042";
const reject = (code: string, external: number) => ({ type: "reject", code, externalCode: String(external) });
const later = (afterMs: number) => ({ type: "retry", afterMs });

/** What each code means for a message. */
const CODES: [code: number, verdict: object][] = [
  ...[131_047, 470].map((code): [number, object] => [code, reject("reply_timed_out", code)]),
  [131_026, reject("customer_not_exists", 131_026)],
  ...[131_021, 131_030, 131_050, 130_472, 130_497].map((code): [number, object] => [
    code,
    reject("access_restricted", code),
  ]),
  ...[368, 131_048, 131_049].map((code): [number, object] => [code, reject("spam_suspicion", code)]),
  ...[33, 100, 131_008, 131_009, 131_051, 131_052, 131_053, 131_062].map((code): [number, object] => [
    code,
    reject("general", code),
  ]),
  ...[132_000, 132_001, 132_005, 132_007, 132_012, 132_015, 132_016].map((code): [number, object] => [
    code,
    reject("general", code),
  ]),
  [4, later(60_000)],
  [80_007, later(60_000)],
  [130_429, later(4_000)],
  [131_056, later(6_000)],
  ...[1, 2, 131_000, 131_016, 131_057].map((code): [number, object] => [code, { type: "retry" }]),
  // Meta's word on the number or the account.
  ...[131_031, 131_037, 131_042, 131_045, 133_010].map((code): [number, object] => [code, { type: "reconnect" }]),
];
/** Codes for which the emulator has no words. */
const OTHERS: [code: number, verdict: object][] = [
  [131_064, reject("spam_suspicion", 131_064)],
  ...[132_068, 132_069, 137_000].map((code): [number, object] => [code, reject("general", code)]),
  [133_016, later(600_000)],
  ...[133_004, 135_000].map((code): [number, object] => [code, { type: "retry" }]),
  ...[0, 102, 131_044, 131_063, 200, 299].map((code): [number, object] => [code, { type: "reconnect" }]),
];

describe("a message that Meta refuses", () => {
  it.each(CODES)("with %i is judged %j", async (code, verdict) => {
    const { text, fault } = await staged();
    fault({ code });
    expect((await refusalOf(text(ROBIN))).verdict).toEqual(verdict);
  });

  it.each(OTHERS)("with %i would be judged %j", (code, verdict) => {
    expect(verdictOf(TABLE, { status: 400, code, message: "", isTransient: false })).toEqual(verdict);
  });

  it.each([3, 10, 190, 131_005])("with %i is tried again while the token works and has its rights", async (code) => {
    const { text, fault } = await staged();
    fault({ code });
    expect((await refusalOf(text(ROBIN))).verdict).toEqual({ type: "retry" });
  });

  it.each([3, 10, 190, 131_005])("with %i ends the login once a harmless call is refused, too", async (code) => {
    const { text, fault, token, core } = await staged();
    fault({ code });
    core.tokens.remove(token.value);
    expect((await refusalOf(text(ROBIN))).verdict).toEqual({ type: "reconnect" });
  });

  it("since the token has lost a right rests the channel, and names the right", async () => {
    const { text, token, chats } = await staged();
    token.rights.delete("whatsapp_business_messaging");
    const error = await refusalOf(text(ROBIN));
    expect(error.verdict).toEqual({ type: "reconnect" });
    expect(error.message).toBe("the token lacks a permission: whatsapp_business_messaging");
    token.rights.add("whatsapp_business_messaging");
    await text(ROBIN);
    expect(chats.robin.messages).toHaveLength(1);
  });

  it("never says the token", async () => {
    const { text, core, token, session } = await staged();
    core.tokens.remove(token.value);
    const said = [(await refusalOf(text(ROBIN))).message, (await refusalOf(session.connect(fresh()))).message];
    expect(said.join()).not.toContain(token.value.slice(0, 12));
  });
});
