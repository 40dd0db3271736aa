import type { CustomerId } from "gangway-messenger/ids";
import { describe, expect, it } from "vitest";
import type { GatewayChannelId } from "../../../src/domain/ids.ts";
import type { RelayedEvent } from "../../../src/domain/message.ts";
import { toSettings } from "../../../src/gateway/channels.ts";
import { toSendRequest } from "../../../src/gateway/client.ts";
import { customerSays } from "../../support/events.ts";

type Message = Extract<RelayedEvent, { type: "message" }>;
const posted = (more: Partial<Message>, customer: Partial<Message["customer"]> = {}) => {
  const event = customerSays("m-1") as Message;
  const message = { ...event, ...more, customer: { ...event.customer, ...customer } };
  return toSendRequest("1" as GatewayChannelId, { event: message, files: [] }, { quote: false });
};

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

describe("a customer's message", () => {
  it("says until when it may be answered, exactly if the messenger does", () => {
    expect(posted({ replyUntil: Date.UTC(2026, 4, 1, 11) })).toMatchObject({
      reply_deadline: "2026-05-01T11:00:00.000Z",
    });
    expect(posted({}).reply_deadline).toBeUndefined();
  });

  it("names the customer's other ids, each as short as the gateway needs it", () => {
    const otherIds = ["+34600000000", "w".repeat(300)] as CustomerId[];
    const { customer } = posted({}, { otherIds }) as { customer: { secondary_external_ids: string[] } };
    expect(customer.secondary_external_ids).toEqual(["+34600000000", expect.stringMatching(/^h:[\w-]{43}$/)]);
    expect(posted({}).customer).toMatchObject({ secondary_external_ids: undefined });
  });
});
