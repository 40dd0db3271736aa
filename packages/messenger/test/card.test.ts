import { moneyText, orderCard, productCard } from "gangway-messenger/card";
import { describe, expect, it } from "vitest";

const CURRENCIES =
  "AED ALL AMD ARS AUD AZN BDT BGN BOB BRL BYN CAD CHF CLP CNY COP CRC CZK DKK DOP EGP EUR GBP GEL GTQ HKD HNL HUF IDR ILS INR ISK JPY KGS KRW KWD KZT MAD MDL MXN MYR NIO NOK NZD PAB PEN PHP PLN PYG RON RSD RUB SAR SEK SGD THB TJS TMT TRY TWD UAH USD UYU UZS VES VND ZAR".split(
    " ",
  );

describe("an amount", () => {
  it("is formatted in every currency and language", () => {
    expect(CURRENCIES.length).toBeGreaterThan(47);
    for (const currency of CURRENCIES)
      for (const language of ["en", "es", "ru"] as const) {
        const text = moneyText({ value: 1234.5, currency }, language);
        expect(text).toMatch(/1.?23[45]/);
        expect(text).not.toMatch(/NaN|undefined/);
      }
  });

  it("has its currency's fraction digits, and none for a whole number", () => {
    expect(moneyText({ value: 12, currency: "USD" }, "en")).toBe("$12");
    expect(moneyText({ value: 12.5, currency: "USD" }, "en")).toBe("$12.50");
    expect(moneyText({ value: 12.5, currency: "RUB" }, "ru").replace(/\s/g, " ")).toBe("12,50 ₽");
    expect(moneyText({ value: 1200, currency: "JPY" }, "en")).toMatch(/1,200$/);
    expect(moneyText({ value: 1.234, currency: "KWD" }, "en")).toMatch(/1\.234$/);
  });

  it("shows an unknown currency's code as is", () => {
    expect(moneyText({ value: 5, currency: "zzz" }, "en")).toMatch(/ZZZ/);
    expect(moneyText({ value: 5, currency: "" }, "en")).toBe("5");
    expect(moneyText({ value: 5, currency: "coins" }, "en")).toBe("5 COINS");
  });
});

describe("a card", () => {
  const bold = ({ text, marks }: ReturnType<typeof productCard>) =>
    marks.map(({ offset, length }) => text.slice(offset, offset + length));

  it("of a product has its name in bold, its price and its URL", () => {
    const product = {
      id: 1,
      name: "Rope 🧵",
      article: "R-1",
      cost: { value: 3, currency: "EUR" },
      unit: "m",
      url: "https://shop.example/r",
    };
    const card = productCard(product, "en", "This one:");
    expect(card.text).toBe("This one:\n\nRope 🧵 (R-1)\n€3 / m\nhttps://shop.example/r");
    expect(bold(card)).toEqual(["Rope 🧵"]);
  });

  it("of an order has everything the gateway sends, in the channel's language", () => {
    const order = {
      number: "5A",
      date: "2026-11-20T10:00:00+03:00",
      status: "packed",
      items: [{ name: "Rope", quantity: 2, unit: "m", price: { value: 3, currency: "EUR" } }],
      delivery: { name: "Courier", price: { value: 1, currency: "EUR" }, address: "Pier 4", comment: "ring twice" },
      payments: [{ name: "Card", status: "paid", amount: { value: 7, currency: "EUR" } }],
      discount: { value: 1, currency: "EUR" },
      cost: { value: 7, currency: "EUR" },
      url: "https://shop.example/o",
    };
    const card = orderCard(order, "en");
    expect(card.text.split("\n")).toEqual([
      "Order 5A, 20 Nov 2026 – packed",
      "1. Rope – 2 m × €3.00 = €6.00",
      "Delivery: Courier, €1.00, Pier 4",
      "ring twice",
      "Payment: Card, €7.00, paid",
      "Discount: €1.00",
      "Total: €7.00",
      "https://shop.example/o",
    ]);
    expect(bold(card)).toEqual(["Order 5A, 20 Nov 2026", "Total: €7.00"]);
    expect(orderCard(order, "ru").text).toMatch(/^Заказ 5A от 20/);
    expect(orderCard(order, "es").text).toMatch(/^Pedido 5A del 20/);
  });

  it.each([
    ["en", "1. Cleat – 2 × €23.00 = €46.00", "2. Cap – €31.50", "3. Rope – 1.5 m × €2.10 = €3.15"],
    ["es", "1. Cleat – 2 × 23,00 € = 46,00 €", "2. Cap – 31,50 €", "3. Rope – 1,5 m × 2,10 € = 3,15 €"],
    ["ru", "1. Cleat – 2 × 23,00 € = 46,00 €", "2. Cap – 31,50 €", "3. Rope – 1,5 m × 2,10 € = 3,15 €"],
  ] as const)("of an order says what one costs and what several cost together: %s", (language, ...lines) => {
    const euros = (value: number) => ({ value, currency: "EUR" });
    const items = [
      { name: "Cleat", quantity: 2, price: euros(23) },
      { name: "Cap", price: euros(31.5) },
      { name: "Rope", quantity: 1.5, unit: "m", price: euros(2.1) },
    ];
    expect(
      orderCard({ items }, language)
        .text.replace(/[\u00a0\u202f]/g, " ")
        .split("\n")
        .slice(1),
    ).toEqual(lines);
    const coins = orderCard(
      { items: [{ name: "Rope", quantity: 3, price: { value: 0.1, currency: "coins" } }] },
      language,
    );
    expect(coins.text).toContain("Rope – 3 × 0.1 COINS = 0.3 COINS");
  });

  it("with hardly any content has no empty line", () => {
    expect(orderCard({ items: [] }, "en").text).toBe("Order");
    expect(productCard({ id: 1, name: "Rope" }, "en").text).toBe("Rope");
  });
});
