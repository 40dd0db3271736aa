import type { Suggestion } from "gangway-messenger/message";
import { describe, expect, it } from "vitest";
import { inlineOf, keyboardOf } from "../../../src/sending/outbound.ts";

const text = (title: string): Suggestion => ({ type: "text", title });
const phone: Suggestion = { type: "phone", title: "My number" };
const url: Suggestion = { type: "url", title: "Shop", payload: "https://shop.example/" };

describe("quick replies at Telegram", () => {
  it("are keys that vanish after the answer, two per row", () => {
    const { markup, open } = keyboardOf([text("Yes"), text("No"), text("Later")], false);
    expect(markup).toMatchObject({
      one_time_keyboard: true,
      keyboard: [[{ text: "Yes" }, { text: "No" }], [{ text: "Later" }]],
    });
    expect(open).toBe(true);
  });

  it("ask for the phone number with a key of its own", () => {
    expect(keyboardOf([phone], false).markup).toMatchObject({
      keyboard: [[{ text: "My number", request_contact: true }]],
    });
  });

  it("are links under the message, where no keys are", () => {
    expect(keyboardOf([url], false).markup).toEqual({
      inline_keyboard: [[{ text: "Shop", url: "https://shop.example/" }]],
    });
  });

  it("are taken away with the next message", () => {
    expect(keyboardOf([], true)).toMatchObject({ markup: { remove_keyboard: true }, open: false });
    expect(keyboardOf([], false).markup).toBeUndefined();
  });

  it("make no button of a URL that phones should not open", () => {
    const script: Suggestion = { type: "url", title: "x", payload: "javascript:alert(1)" };
    expect(inlineOf([script])).toBeUndefined();
    expect(keyboardOf([script], false).markup).toMatchObject({ keyboard: [[{ text: "x" }]] });
  });
});
