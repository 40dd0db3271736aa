import type { GangwayOptions } from "../../gangway.d.ts";
import { parsed } from "./json.ts";
import { changedBy } from "./presence.ts";

/** The channel's settings, as any page may know them (`GET appearance`). */
export interface Look {
  title: string;
  greeting: string;
  away: string;
  accent: string;
  language: string;
  logo: string;
  scheme: string;
  side: string;
  launcher: string;
  offset: [number, number];
  consent: string;
  asks: ("name" | "email" | "phone")[];
  starters: string[];
  replyMinutes: number;
  askAfterMinutes: number;
  greetAfter: number;
  greetWhom: string;
  greetPages: string[];
  open: boolean;
  /** When `open` changes, ms. */
  changesAt?: number;
}

/** Defaults for a channel that cannot be asked. */
const PLAIN: Look = {
  ...{ title: "", greeting: "", away: "", accent: "#0f5f6b", language: "", logo: "", scheme: "auto", side: "right" },
  ...{ launcher: "", offset: [24, 24], consent: "", asks: [], starters: [], replyMinutes: 0, askAfterMinutes: 0 },
  ...{ greetAfter: 0, greetWhom: "all", greetPages: [], open: true },
};

/** The channel's look, if it could be fetched, with the page's options. `now`: ms. */
export const lookFrom = (
  known: Partial<Look> | undefined,
  { offsetX, offsetY, ...options }: GangwayOptions,
  now: number,
): Look => {
  const look = { ...PLAIN, ...known, ...changedBy(now, known), ...defined(options) };
  const [x, y] = look.offset;
  return { ...look, offset: [offsetX ?? x, offsetY ?? y] };
};

const defined = <T extends object>(all: T): Partial<T> =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Options in the script's attributes: `data-title`, `data-offset-x`, `data-text-placeholder`. */
export function optionsIn(dataset: DOMStringMap): GangwayOptions {
  const texts: Record<string, string> = {};
  const options: Record<string, unknown> = { language: dataset.lang, texts };
  for (const [name, value = ""] of Object.entries(dataset)) {
    const text = /^text([A-Z])(\w*)$/.exec(name);
    if (text) texts[`${text[1]?.toLowerCase()}${text[2]}`] = value;
    else if (/^(title|greeting|away|accent|logo|launcher|scheme|side)$/.test(name)) options[name] = value;
    else if (/^offset[XY]$/.test(name) && Number.isFinite(Number(value))) options[name] = Number(value);
    else if (name === "starters") options.starters = parsed<string[]>(value) ?? value.split("|");
  }
  return options;
}

/** Later options win; texts one by one. */
export const joined = (one: GangwayOptions, other: GangwayOptions): GangwayOptions => ({
  ...one,
  ...defined(other),
  texts: { ...one.texts, ...other.texts },
});
