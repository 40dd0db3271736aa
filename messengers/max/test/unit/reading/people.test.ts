import { expect, it } from "vitest";
import { utmOf } from "../../../src/reading/people.ts";

const encoded = (query: string) => Buffer.from(query).toString("base64url");

it.each([
  [undefined, undefined],
  [" ", undefined],
  ["spring", { source: "max", medium: "bot", campaign: "spring" }],
  [encoded("utm_source=vk&utm_campaign=ropes"), { source: "vk", campaign: "ropes" }],
  ["utm_source=vk&utm_medium=cpc", { source: "vk", medium: "cpc" }],
  ["x".repeat(512), { source: "max", medium: "bot", campaign: "x".repeat(255) }],
])("the payload %s is the utm %o", (payload, utm) => {
  expect(utmOf(payload)).toEqual(utm);
});
