import { describe, expect, it } from "vitest";
import { toSettings } from "../../src/gateway/translate.ts";

describe("features", () => {
  it("become the gateway's settings, in which receive means toward the customer", () => {
    const settings = toSettings({
      type: "consultant",
      text: { creating: "both", editing: "outbound", deleting: "inbound", maxLength: 10 },
      delivered: "none",
      read: "outbound",
      firstContact: "no",
      afterReplyTimeout: "no",
    });
    expect(settings).toMatchObject({
      text: { creating: "both", editing: "receive", deleting: "send", max_chars_count: 10 },
      status: { delivered: "none", read: "receive" },
    });
  });
});
