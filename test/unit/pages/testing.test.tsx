import { expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";
import { TestPage } from "../../../src/pages/testing.tsx";

it("a test that finds something left to do says what, and leads to where the steps are", () => {
  const channel = { id: "one", kind: "toy", name: "Shop", state: "active", settings: {} };
  const words = { label: "Connect your account", steps: ["Press Start."] };
  const frame = { t: strings.en, moduleName: "Gangway", path: "/", home: "/account", formToken: "t" };
  const fault = { code: "unfinished", detail: "no account is connected yet" };
  const test = { since: 1, tested: [{ hop: "crm" as const }, { hop: "messenger" as const, fault }], stages: [] };
  const page = (afterwards?: { en: typeof words; es: typeof words; ru: typeof words }) =>
    String(<TestPage {...frame} crmUrl="https://crm.example" view={{ channel, afterwards }} test={test} />);
  const shown = page({ en: words, es: words, ru: words });
  expect(shown).toContain('class="notice" role="alert">Everything works so far');
  expect(shown).toContain("No account is connected yet.");
  expect(shown).toContain('href="/account/channels/one#setup">Set-up</a>');
  expect(shown).toContain('<span class="badge warning">Not finished</span>');
  expect(page()).not.toContain("#setup");
});
