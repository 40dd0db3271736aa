import { expect, it } from "vitest";
import { strings } from "../../../src/pages/i18n/strings.ts";

it("a decision on twenty-one messages does not speak of one, although Russian counts them alike", () => {
  const { onAll } = strings.ru.undelivered;
  for (const text of Object.values(onAll)) {
    expect(text({ count: 1 })).toMatch(/его/);
    expect(text({ count: 21 })).toMatch(/ 21$/);
  }
});
