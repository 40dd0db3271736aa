import { describe, expect, it, onTestFinished, vi } from "vitest";
import { memoryOf } from "../../../src/browser/memory.ts";
import { visitOf } from "../../../src/browser/visit.ts";
import { storage } from "../tab.ts";

describe("a visit", () => {
  const LANDING = "https://shop.example/rope?utm_source=news&utm_medium=mail&utm_other=x&utm_term=";
  const LATER = "https://shop.example/cart";
  const setUp = () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const items = storage();
    return {
      items,
      at: (address: string) =>
        visitOf(
          memoryOf("door", () => items),
          address,
        ),
    };
  };

  it("is known by the marks of its landing page, on every page until half an hour has passed without one", () => {
    const { at } = setUp();
    const utm = { source: "news", medium: "mail" };
    expect(at(LANDING)()).toEqual(utm);
    vi.advanceTimersByTime(29 * 60_000);
    const page = at(LATER);
    vi.advanceTimersByTime(29 * 60_000);
    // A message prolongs the visit, too.
    expect(page()).toEqual(utm);
    vi.advanceTimersByTime(29 * 60_000);
    expect(at(LATER)()).toEqual(utm);
    vi.advanceTimersByTime(30 * 60_000);
    expect(at(LATER)()).toBeUndefined();
  });

  it("starts again with new tags, and has none if there never were any", () => {
    const { at, items } = setUp();
    expect(at(LATER)()).toBeUndefined();
    expect(items.length).toBe(0);
    at(LANDING);
    expect(at("https://shop.example/?utm_campaign=spring")()).toEqual({ campaign: "spring" });
    expect(at(LATER)()).toEqual({ campaign: "spring" });
    items.setItem("gangway:door:visit", "{");
    expect(at(LATER)()).toBeUndefined();
  });
});
