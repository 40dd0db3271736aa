import { describe, expect, it } from "vitest";
import { redacted, sentence } from "../../../../src/operator/probe/trace.ts";

const known = { own: new Set(["Of the probe"]), secrets: ["key-of-the-account"] };

describe("the trace", () => {
  it("shows what the other side does, not what it holds", () => {
    const webhook = {
      type: "message_sent",
      data: {
        ...{ id: 71234567, content: "Write to ivan@shop.example", is_read: false, note: null },
        user: { first_name: "Ivan", phone: "79161234567" },
        items: [{ id: "0b1c" }, { id: "0b2c" }, { id: "0b3c" }, { id: "0b4c" }],
        quote_content: "Of the probe",
      },
    };
    expect(redacted(webhook, known)).toEqual({
      type: "message_sent",
      data: {
        ...{ id: "(number)", content: "(text of 26)", is_read: false, note: null },
        user: { first_name: "(text of 4)", phone: "(text of 11)" },
        items: [{ id: "(text of 4)" }, { id: "(text of 4)" }, { id: "(text of 4)" }, "(1 more)"],
        quote_content: "Of the probe",
      },
    });
  });

  it("takes no name for a word of the contract", () => {
    expect(redacted({ type: "Ivan Petrov", code: "secret-code-1", creating: "both" }, known)).toEqual({
      ...{ type: "(text of 11)", code: "(text of 13)", creating: "both" },
    });
  });

  it("shows no key that may be somebody's id or code", () => {
    const order = {
      customFields: { shoe_size: "Ivan" },
      statuses: { "79161234567": "x" },
      errors: { "0": "No" },
    };
    expect(redacted(order, known)).toEqual({
      customFields: { "(id)": "(text of 4)" },
      statuses: { "(id)": "(text of 1)" },
      errors: { "(id)": "No" },
    });
  });

  it("takes no text for its own sign of one", () => {
    expect(redacted(["(Ivan)", "(a file)"], known)).toEqual(["(text of 6)", "(a file)"]);
  });

  it("keeps a refusal's words, without what may be somebody's", () => {
    const words =
      "Key key-of-the-account of ivan@shop.example, +7 916 123-45-67, at https://shop.example/x: token 0123456789abcdef0123456789";
    expect(redacted({ errors: [words] }, known)).toEqual({ errors: ["Key *** of *** ***, at *** token ***"] });
    expect(sentence("Message with passed external_id already exists", [])).toBe(
      "Message with passed external_id already exists",
    );
  });
});
