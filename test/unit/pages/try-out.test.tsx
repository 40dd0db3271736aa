import avito from "gangway-avito";
import { LANGUAGES } from "gangway-messenger/language";
import telegram from "gangway-telegram";
import { expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { TryIt } from "../../../src/pages/try-out.tsx";

const channel = { id: "one", kind: "toy", name: "Shop", state: "active", settings: {} };

it("who tries out a messenger whose link alone leads nowhere reads what to do there", () => {
  for (const language of LANGUAGES) {
    const t = strings[language];
    const tryOut = avito.tryOut?.({} as never);
    const shown = (link?: string) => String(<TryIt {...{ t, channel, link, tryOut }} home="/account" />);
    const words = String(<p>{tryOut?.[language]}</p>).slice(3, -4);
    expect(words).not.toBe("");
    for (const page of [shown(), shown("https://avito.ru/user/1")]) {
      expect(page).toContain(words);
      expect(page).not.toContain(t.tryOut.scan);
    }
  }
});

it("who tries out a bot for business accounts is sent to the account, and who has a plain bot to the bot", () => {
  const settings = (servesBusiness: boolean) => ({ servesBusiness }) as never;
  expect(telegram.tryOut?.(settings(true))?.en).toContain("write to the Telegram account");
  expect(telegram.tryOut?.(settings(false))).toBeUndefined();
});
