import { describe, expect, it } from "vitest";
import { isGone, isUnfetched, isUnmodified, type Refusal, refusalError } from "../../src/api.ts";

const verdict = (refusal: Refusal, repeatable = false) => refusalError("sendMessage", refusal, repeatable).verdict;
const reject = (code: string) => expect.objectContaining({ type: "reject", code });

/** Descriptions as the Bot API sends them, and the expected verdicts. */
const TABLE: [string, Refusal, unknown][] = [
  [
    "the customer has blocked the bot",
    { status: 403, description: "Forbidden: bot was blocked by the user" },
    reject("access_restricted"),
  ],
  [
    "the customer never wrote",
    { status: 403, description: "Forbidden: bot can't initiate conversation with a user" },
    reject("access_restricted"),
  ],
  [
    "the bot was thrown out of the group",
    { status: 403, description: "Forbidden: bot was kicked from the group chat" },
    reject("access_restricted"),
  ],
  [
    "the customer's account is gone",
    { status: 403, description: "Forbidden: user is deactivated" },
    reject("customer_not_exists"),
  ],
  ["the chat is unknown", { status: 400, description: "Bad Request: chat not found" }, reject("customer_not_exists")],
  ["the peer is none", { status: 400, description: "Bad Request: PEER_ID_INVALID" }, reject("customer_not_exists")],
  [
    "the bot may not write there",
    { status: 400, description: "Bad Request: not enough rights to send text messages to the chat" },
    reject("access_restricted"),
  ],
  ["the topic is closed", { status: 400, description: "Bad Request: TOPIC_CLOSED" }, reject("access_restricted")],
  [
    "the owner's window is over",
    { status: 400, description: "Bad Request: BUSINESS_PEER_USAGE_MISSING" },
    reject("reply_timed_out"),
  ],
  [
    "the owner has disconnected the bot",
    { status: 400, description: "Bad Request: BUSINESS_CONNECTION_INVALID" },
    reject("access_restricted"),
  ],
  [
    "the owner has reconnected the bot",
    { status: 400, description: "Bad Request: business connection not found" },
    reject("access_restricted"),
  ],
  [
    "the owner does not let it reply",
    { status: 400, description: "Bad Request: BOT_ACCESS_FORBIDDEN" },
    reject("access_restricted"),
  ],
  [
    "the owner keeps it out of this chat",
    { status: 400, description: "Bad Request: BUSINESS_PEER_INVALID" },
    reject("access_restricted"),
  ],
  ["the file is too large", { status: 413, description: "Request Entity Too Large" }, reject("general")],
  ["the file cannot be read", { status: 400, description: "Bad Request: PHOTO_INVALID_DIMENSIONS" }, reject("general")],
  [
    "too many, with a wish",
    { status: 429, description: "Too Many Requests: retry after 17", retryAfter: 17 },
    { type: "retry", afterMs: 17_000 },
  ],
  [
    "too many, for longer than is believed",
    { status: 429, description: "Too Many Requests: retry after 86400", retryAfter: 86_400 },
    { type: "retry", afterMs: 3_600_000 },
  ],
  ["too many, without", { status: 429, description: "Too Many Requests" }, { type: "retry", afterMs: 1_000 }],
  [
    "the group has moved away from the message",
    { status: 400, description: "Bad Request: group chat was upgraded to a supergroup chat", movedTo: "-1001" },
    reject("general"),
  ],
  ["the token was revoked", { status: 401, description: "Unauthorized" }, { type: "reconnect" }],
  ["the token is none", { status: 404, description: "Not Found" }, { type: "reconnect" }],
  ["Telegram is down", { status: 502, description: "Bad Gateway" }, { type: "retry" }],
  ["Telegram finds it too early", { status: 425, description: "Too Early" }, { type: "retry" }],
  ["Telegram fails", { status: 500, description: "Internal Server Error" }, { type: "retry" }],
  ["nobody knows", { status: 504, description: "Gateway Timeout" }, { type: "unsure" }],
];

describe("a refusal of the Bot API", () => {
  it.each(TABLE)("means: %s", (_, refusal, expected) => expect(verdict(refusal)).toEqual(expected));

  it("of a business account says in words what is the matter", () => {
    const said = (description: string) => refusalError("sendMessage", { status: 400, description }, false).message;
    expect(said("Bad Request: BUSINESS_CONNECTION_INVALID")).toBe(
      "the business account has disconnected this bot. Telegram: Bad Request: BUSINESS_CONNECTION_INVALID (sendMessage)",
    );
    expect(said("Bad Request: BOT_ACCESS_FORBIDDEN")).toMatch(/^the business account does not let this bot do this\. /);
    expect(said("Bad Request: BUSINESS_PEER_USAGE_MISSING")).toMatch(/^the customer has not written for 24 hours/);
  });

  it("of a call that can be repeated is never unsure", () => {
    expect(verdict({ status: 504, description: "" }, true)).toEqual({ type: "retry" });
  });

  it("keeps Telegram's own words for the gateway, within its hundred characters", () => {
    const refusal = { status: 400, description: `Bad Request: ${"x".repeat(300)}` };
    const said = verdict(refusal);
    expect(said.type === "reject" && said.externalCode?.length).toBe(100);
  });

  it("is known where it is no failure at all", () => {
    const error = (description: string) => refusalError("m", { status: 400, description }, true);
    expect(isUnmodified(error("Bad Request: message is not modified: specified new message content"))).toBe(true);
    expect(isGone(error("Bad Request: message to delete not found"))).toBe(true);
    expect(isUnfetched(error("Bad Request: wrong type of the web page content"))).toBe(true);
    expect(isGone(error("Bad Request: chat not found"))).toBe(false);
  });
});
