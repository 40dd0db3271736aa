import { expect, it } from "vitest";
import { dayFact, numberFact } from "../../src/fact.ts";

it("a day and a number are written as each language writes them", () => {
  expect(dayFact(Date.UTC(2027, 0, 5, 23))).toEqual({ en: "5 Jan 2027", es: "5 ene 2027", ru: "5 янв. 2027 г." });
  expect(numberFact(12_040)).toEqual({ en: "12,040", es: "12.040", ru: "12\u00a0040" });
});
