import { dateFormat, inLanguages, type Language, numberFormat } from "./language.ts";
import type { Mark, MarkedText, Money, Order, Product } from "./message.ts";
import type { Card, CardLimits } from "./plan.ts";

const WORDS = inLanguages(
  {
    order: "Order",
    numbered: "Order {number}",
    dated: "Order, {date}",
    both: "Order {number}, {date}",
    delivery: "Delivery: {what}",
    payment: "Payment: {what}",
    discount: "Discount: {amount}",
    total: "Total: {amount}",
    view: "View",
  },
  {
    es: {
      order: "Pedido",
      numbered: "Pedido {number}",
      dated: "Pedido del {date}",
      both: "Pedido {number} del {date}",
      delivery: "Entrega: {what}",
      payment: "Pago: {what}",
      discount: "Descuento: {amount}",
      total: "Total: {amount}",
      view: "Ver",
    },
    ru: {
      order: "Заказ",
      numbered: "Заказ {number}",
      dated: "Заказ от {date}",
      both: "Заказ {number} от {date}",
      delivery: "Доставка: {what}",
      payment: "Оплата: {what}",
      discount: "Скидка: {amount}",
      total: "Итого: {amount}",
      view: "Смотреть",
    },
  },
);

/**
 * An amount in the language's format, with the currency's symbol if it has one; an unknown code is shown as is. `exact`: a whole
 * amount has its fraction digits, too.
 */
export function moneyText({ value, currency }: Money, language: Language, exact?: "exact"): string {
  const code = currency.toUpperCase();
  const whole = Number.isInteger(value);
  if (!/^[A-Z]{3}$/.test(code)) return `${value} ${code}`.trim();
  const style = { style: "currency", currency: code, currencyDisplay: "narrowSymbol" } as const;
  // "5 €", not "5.00 €"; Intl knows how many fraction digits a currency has.
  return numberFormat(language, whole && !exact ? { ...style, minimumFractionDigits: 0 } : style).format(value);
}

/** Builds text line by line and records its marks, in UTF-16 units. */
function writer() {
  let text = "";
  const marks: Mark[] = [];
  return {
    line(...pieces: (string | { bold: string } | undefined)[]) {
      const shown = pieces.filter((piece) => piece !== undefined && piece !== "");
      if (shown.length === 0) return;
      if (text) text += "\n";
      for (const piece of shown) {
        if (typeof piece === "object") marks.push({ type: "bold", offset: text.length, length: piece.bold.length });
        text += typeof piece === "object" ? piece.bold : piece;
      }
    },
    gap() {
      if (text && !text.endsWith("\n")) text += "\n";
    },
    done: (): MarkedText => ({ text: text.trimEnd(), marks: marks.filter((mark) => mark.length > 0) }),
  };
}

const join = (separator: string, ...parts: (string | undefined)[]) => parts.filter(Boolean).join(separator);

const isHttps = (url: string) => URL.canParse(url) && new URL(url).protocol === "https:";

/** Undefined: it has no picture, or does not fit. */
export function cardOf(product: Product, language: Language, most: CardLimits): Card | undefined {
  const { name: title, article, cost, unit, image: picture, url } = product;
  const price = cost && join(" / ", moneyText(cost, language), unit);
  const subtitle = join(" · ", article, price);
  if (!picture || !isHttps(picture) || title.length > most.title || subtitle.length > most.subtitle) return undefined;
  const link = url && isHttps(url) ? { title: WORDS[language].view, url } : undefined;
  return { title, subtitle, picture, ...(link && { link }) };
}

/** A product as text: name, article, price, link. `text`: the agent's own words, which come first. */
export function productCard(product: Product, language: Language, text?: string): MarkedText {
  const out = writer();
  out.line(text);
  if (text) out.gap();
  out.line({ bold: product.name }, product.article && ` (${product.article})`);
  out.line(product.cost && join(" / ", moneyText(product.cost, language), product.unit));
  out.line(product.url);
  return out.done();
}

/** An order as text: number and date, items, delivery, payments, total. */
export function orderCard(order: Order, language: Language, text?: string): MarkedText {
  const words = WORDS[language];
  const money = (value: Money | undefined) => value && moneyText(value, language, "exact");
  const out = writer();
  out.line(text);
  if (text) out.gap();
  out.line({ bold: headText(order, language) }, order.status && ` – ${order.status}`);
  for (const [n, item] of order.items.entries()) {
    out.line(`${n + 1}. ${itemText(item, language)}`);
    out.line(item.url && `   ${item.url}`);
  }
  const { delivery } = order;
  if (delivery) out.line(titled(words.delivery, join(", ", delivery.name, money(delivery.price), delivery.address)));
  out.line(delivery?.comment);
  for (const payment of order.payments ?? [])
    out.line(titled(words.payment, join(", ", payment.name, money(payment.amount), payment.status)));
  if (order.discount?.value) out.line(words.discount({ amount: moneyText(order.discount, language, "exact") }));
  if (order.cost) out.line({ bold: words.total({ amount: moneyText(order.cost, language, "exact") }) });
  out.line(order.url);
  return out.done();
}

/** The price is of one: several have their sum, too. */
function itemText({ name, quantity = 1, unit, price }: Order["items"][number], language: Language): string {
  const amount = join(" ", numberFormat(language).format(quantity), unit);
  if (!price) return `${name} × ${amount}`;
  const one = moneyText(price, language, "exact");
  if (quantity === 1) return join(" – ", name, unit && amount, one);
  // Thousandths: the sum of an unknown currency is written as it is.
  const sum = Math.round(price.value * quantity * 1_000) / 1_000;
  return `${name} – ${amount} × ${one} = ${moneyText({ ...price, value: sum }, language, "exact")}`;
}

const titled = (title: (values: { what: string }) => string, what: string) => (what ? title({ what }) : undefined);

function headText({ number = "", date: day }: Order, language: Language): string {
  const { order, numbered, dated, both } = WORDS[language];
  const date = day && dateText(day, language);
  if (date) return number ? both({ number, date }) : dated({ date });
  return number ? numbered({ number }) : order;
}

/** The day in the language's format; an invalid date is shown as is. */
function dateText(date: string, language: Language): string {
  const time = Date.parse(date);
  // The calendar day as written, whatever this server's time zone.
  const day = /^(\d{4})-(\d\d)-(\d\d)/.exec(date);
  if (Number.isNaN(time) || !day) return date;
  const utc = Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]));
  return dateFormat(language, { timeZone: "UTC", dateStyle: "medium" }).format(utc);
}
