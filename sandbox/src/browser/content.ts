import { type Child, el, icon, linked, webAddress } from "gangway-messenger/kit/emulator/browser/dom";
import type { Files } from "./files.ts";
import { nameIn } from "./files.ts";
import { formatted } from "./formatted.ts";
import { icons } from "./icons.ts";
import type { Cost, Item, Message, Order, Product, Quote, Suggestion } from "./model.ts";
import { quoteWords, sizeWords } from "./names.ts";

/** A message's content as elements; `isFormatted`: its texts use the notation. */
export function contentOf(message: Message, files: Files, isFormatted: boolean): Child[] {
  const textOf = (text: string): Child =>
    text && el("div", { class: "text", dir: "auto" }, ...(isFormatted ? formatted(text) : linked(text)));
  return [
    message.quote && quotedOf(message.quote),
    ...message.items.map((item) => fileOf(item, files)),
    message.product && productCard(message.product),
    message.order && orderCard(message.order),
    textOf(message.text),
    message.note !== message.text && textOf(message.note),
    message.suggestions.length > 0 && suggestionsOf(message.suggestions),
  ];
}

function quotedOf({ from, text, type, items }: Quote): HTMLElement {
  return el(
    "div",
    { class: "quoted" },
    el("span", { class: "sr" }, "Quote of "),
    from && el("strong", {}, from.name),
    el("span", { dir: "auto" }, quoteWords(text, type, items)),
  );
}

const opensAside = (href: string) => ({ href, target: "_blank", rel: "noopener noreferrer" });

function fileOf(item: Item, files: Files): HTMLElement {
  const preview = webAddress(item.previewUrl);
  if (item.kind === "image" && preview) return pictureOf(item, preview, files);
  const box = el("div", { class: "file" });
  box.append(fileRow(undefined, item.caption || "File", sizeWords(item.size)));
  files(item.id).then(
    ({ url, name, size }) => {
      const words = sizeWords(item.size ?? size);
      const player = playerOf(item, url, name);
      box.replaceChildren(...(player ? [player] : []), fileRow(url, name, words));
      if (item.transcription) box.append(el("p", { class: "transcription", dir: "auto" }, item.transcription));
    },
    () => box.append(el("small", {}, "This file cannot be opened.")),
  );
  return box;
}

function pictureOf(item: Item, preview: string, files: Files): HTMLElement {
  const name = item.caption || nameIn(preview);
  const picture = el("img", { src: preview, alt: name, decoding: "async" });
  const link = el("a", { class: "picture", title: name, ...opensAside(preview) }, picture);
  picture.addEventListener("error", () => link.replaceWith(fileOf({ ...item, previewUrl: undefined }, files)));
  return link;
}

function playerOf({ kind }: Item, url: string, name: string): HTMLElement | undefined {
  if (kind !== "audio" && kind !== "video") return undefined;
  return el(kind, { controls: true, preload: "metadata", src: url, "aria-label": name });
}

function fileRow(url: string | undefined, name: string, size: string): HTMLElement {
  const words = [el("span", { class: "file-name" }, name), el("small", {}, size)];
  const line = [icon(icons.file), ...words];
  return url
    ? el("a", { class: "file-line", ...opensAside(url) }, ...line)
    : el("span", { class: "file-line" }, ...line);
}

export function money(cost: Cost | undefined): string {
  if (cost?.value === undefined) return "";
  try {
    return new Intl.NumberFormat(undefined, { style: "currency", currency: cost.currency }).format(cost.value);
  } catch {
    return `${cost.value} ${cost.currency ?? ""}`.trim();
  }
}

/** Several of one price, with what they cost together. */
function sumOf({ value = 1, unit = "" }: { value?: number; unit?: string } = {}, price?: Cost): string {
  const amount = [value, unit].filter(Boolean).join(" ");
  const several = price?.value !== undefined && value !== 1 && ` = ${money({ ...price, value: price.value * value })}`;
  return `${amount} × ${money(price)}${several || ""}`;
}

const titled = (title: string, url: string | undefined): HTMLElement => {
  const address = webAddress(url);
  return address ? el("a", opensAside(address), title) : el("span", {}, title);
};

export function productCard({ name, article, unit, url, img, cost }: Product, plain = false): HTMLElement {
  const picture = webAddress(img);
  const thumb = picture ? el("img", { src: picture, alt: "", decoding: "async" }) : icon(icons.box);
  thumb.addEventListener("error", () => thumb.replaceWith(icon(icons.box)));
  return el(
    "div",
    { class: "card" },
    el("span", { class: "card-picture" }, thumb),
    el(
      "span",
      { class: "card-words" },
      el("strong", {}, plain ? name : titled(name, url)),
      article && el("small", {}, article),
      el("span", { class: "price" }, [money(cost), unit && `/ ${unit}`].filter(Boolean).join(" ")),
    ),
  );
}

export function orderCard({ number, url, status, items, delivery, payments, cost }: Order, plain = false): HTMLElement {
  const title = `Order ${number ?? ""}`.trim();
  const lines = (items ?? []).map(({ name, quantity, price }) =>
    el("li", {}, el("span", {}, name ?? ""), el("span", { class: "quantity" }, sumOf(quantity, price))),
  );
  const about = [
    delivery?.name && `${delivery.name}${delivery.address ? `: ${delivery.address}` : ""}`,
    ...(payments ?? []).map(({ name, status: paid }) => [name, paid?.name].filter(Boolean).join(": ")),
  ];
  return el(
    "div",
    { class: "card order" },
    el(
      "span",
      { class: "card-head" },
      icon(icons.receipt),
      el("strong", {}, plain ? title : titled(title, url)),
      status?.name && el("span", { class: "badge", "data-order": status.code }, status.name),
    ),
    lines.length > 0 && el("ul", {}, ...lines),
    el("small", {}, about.filter(Boolean).join(" · ")),
    el("span", { class: "price" }, money(cost)),
  );
}

const SIGNS: Record<string, string> = { phone: icons.phone, email: icons.mail, url: icons.link };

const suggestionsOf = (suggestions: Suggestion[]): HTMLElement =>
  el(
    "ul",
    { class: "suggestions", "aria-label": "Quick replies" },
    ...suggestions.map(({ type = "text", title, payload }) =>
      el("li", { title: payload }, SIGNS[type] && icon(SIGNS[type]), title || payload || type),
    ),
  );
