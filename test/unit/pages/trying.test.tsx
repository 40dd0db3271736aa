import avito from "gangway-avito";
import { LANGUAGES } from "gangway-messenger/language";
import { expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { TryIt } from "../../../src/pages/trying.tsx";

const channel = { id: "one", kind: "toy", name: "Shop", state: "active", settings: {} };

it("who tries out a messenger whose link alone leads nowhere reads what to do there", () => {
  for (const language of LANGUAGES) {
    const t = strings[language];
    const shown = (link?: string, tryOut = avito.tryOut) =>
      String(<TryIt {...{ t, channel, link, tryOut }} home="/account" />);
    const words = String(<p>{avito.tryOut?.[language]}</p>).slice(3, -4);
    expect(words).not.toBe("");
    for (const page of [shown(), shown("https://avito.ru/user/1")]) {
      expect(page).toContain(words);
      expect(page).not.toContain(t.trying.scan);
    }
  }
});
