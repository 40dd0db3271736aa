import type { Gateway } from "../../gateway/gateway.ts";
import { defaultEntry } from "../reference/defaults.ts";
import type { Product } from "./product.ts";
import { absolute } from "./shown.ts";

/** A product as agents send it into chats. */
export function productCard(product: Product, gateway: Gateway) {
  const { world, origin } = gateway;
  const { id, name, article, minPrice, offers } = product;
  const { currency = "EUR" } = defaultEntry(world, "price-types", "default");
  return {
    id,
    name,
    article: String(article ?? ""),
    unit: offers[0]?.unit?.code ?? "",
    url: absolute(origin(), product.url),
    ...(product.imageUrl !== undefined && { img: absolute(origin(), product.imageUrl) }),
    cost: { value: Number(minPrice ?? 0), currency: String(currency) },
  };
}

/** The picture of a product whose address is below `/shop`. */
export const productPicture = ({ name, id }: Product): string => {
  const hue = (id * 67) % 360;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240"><rect width="320" height="240" fill="hsl(${hue} 30% 82%)"/><circle cx="160" cy="104" r="62" fill="hsl(${hue} 35% 52%)"/><text x="160" y="214" font-family="sans-serif" font-size="18" text-anchor="middle" fill="hsl(${hue} 30% 22%)">${escaped(name)}</text></svg>`;
};

const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escaped = (text: string) => text.replaceAll(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
