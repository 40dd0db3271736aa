import { eitherShown } from "gangway-messenger/features";
import { describe, expect, it } from "vitest";
import { abilitiesBy, abilitiesOf } from "../../../../src/module/channels/abilities.ts";
import { BOT_TOKEN } from "../../../../test/support/telegram.ts";
import telegram from "../../src/index.ts";

const announced = (given: object) => telegram.features(telegram.settings.parse({ token: BOT_TOKEN, ...given }));

describe("a bot", () => {
  it("announces that customers delete only where it speaks for business accounts", () => {
    const alone = announced({});
    const business = announced({ businessOwners: ["6010000001"] });
    for (const kind of ["text", "image", "file", "audio"] as const) {
      expect(alone[kind]?.deleting).toBe("outbound");
      expect(business[kind]).toEqual({ ...alone[kind], deleting: "both" });
    }
    expect({ ...business.suggestions, ...business.reactions }).toEqual({ ...alone.suggestions, ...alone.reactions });
  });
});

describe("the entry for business accounts", () => {
  it("says what can be done in their chats, not in the bot's own: nobody reacts, and customers delete", () => {
    const [business] = telegram.variants ?? [];
    const abilities = business && abilitiesBy(telegram, business);
    expect(abilitiesOf(telegram)).toContain("reaction");
    expect(abilities).not.toContain("reaction");
    expect(business?.features?.text).toMatchObject({ deleting: "both" });
  });
});

describe("what was shown in one way of use or in the other", () => {
  it("joins the ways of each action", () => {
    const none = { actions: {}, suggestions: {}, delivered: "none", read: "none" } as const;
    const one = { ...none, actions: { text: { creating: "inbound", editing: "none" } }, read: "inbound" } as const;
    const other = {
      ...none,
      actions: { text: { creating: "outbound", editing: "both" }, file: { creating: "both" } },
    } as const;
    expect(eitherShown(one, other)).toEqual({
      ...none,
      actions: { text: { creating: "both", editing: "both" }, file: { creating: "both" } },
      read: "inbound",
    });
  });
});
