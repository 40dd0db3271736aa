import { orderCard } from "gangway-messenger/card";
import { dateFormat, inLanguages, listText, numberFormat } from "gangway-messenger/language";
import { describe, expect, it, vi } from "vitest";

describe("a formatter", () => {
  it("is made once for a language and its options, whatever uses it", () => {
    const texts = inLanguages(
      { one: "{n, plural, one {# day} other {# days}}", other: "{n, plural, one {# hour} other {# hours}}" },
      { es: { one: "{n, number}", other: "{n, number}" }, ru: { one: "{n, number}", other: "{n, number}" } },
    );
    const order = {
      number: "7",
      date: "2026-11-20T10:00:00+03:00",
      items: [{ name: "Rope", quantity: 2, price: { value: 3, currency: "EUR" } }],
      cost: { value: 6, currency: "EUR" },
    };
    const write = () => [texts.en.one({ n: 5_000 }), orderCard(order, "en").text];
    const first = write();
    expect(first[0]).toBe("5,000 days");
    const made = vi.fn();
    const counted = <Of extends object>(of: Of) =>
      new Proxy(of, { construct: (target, args, self) => made() ?? Reflect.construct(target as never, args, self) });
    const { NumberFormat, DateTimeFormat, PluralRules } = Intl;
    vi.stubGlobal("Intl", {
      ...{
        NumberFormat: counted(NumberFormat),
        DateTimeFormat: counted(DateTimeFormat),
        PluralRules: counted(PluralRules),
      },
    });
    for (let n = 0; n < 100; n += 1) expect(write()).toEqual(first);
    expect(texts.en.other({ n: 1 })).toBe("1 hour");
    expect(made).not.toHaveBeenCalled();
    expect(numberFormat("es", { style: "percent" }).format(0.5)).toContain("50");
    expect(made).toHaveBeenCalledOnce();
    vi.unstubAllGlobals();
  });

  it("speaks British English, and each time zone's own time", () => {
    expect(listText("en", ["a", "b", "c"])).toBe("a, b and c");
    expect(dateFormat("en", { dateStyle: "medium", timeZone: "UTC" }).format(0)).toBe("1 Jan 1970");
    const hour = (timeZone: string) => dateFormat("en", { hour: "2-digit", timeZone }).format(0);
    expect([hour("UTC"), hour("Asia/Tokyo")]).toEqual(["00", "09"]);
  });

  it("is let go when outsiders ask for ever new ones", () => {
    const first = numberFormat("es");
    for (let n = 0; n < 1_100; n += 1)
      numberFormat("es", {
        style: "currency",
        currency: `A${String.fromCharCode(65 + (n % 26), 65 + ((n / 26) % 26))}`,
        minimumIntegerDigits: 1 + Math.floor(n / 600),
      });
    expect(numberFormat("es")).not.toBe(first);
  });
});
