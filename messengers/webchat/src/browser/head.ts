import { button, el, icon } from "./dom.ts";
import { face, withPicture } from "./faces.ts";
import type { Format } from "./format.ts";
import type { ShownMessage } from "./history.ts";
import { icons } from "./icons.ts";
import type { Look } from "./look.ts";
import { fill, strings } from "./strings/strings.ts";

/** Whoever has written within this time counts as present, ms. */
const PRESENT_MS = 10 * 60_000;
const MAX_FACES = 2;

/** Who is available, and when they answer. */
export function createHead(format: Format, menu: HTMLElement, close: () => void) {
  const title = el("h2", { id: "title", dir: "auto" });
  const about = el("p", { class: "about" });
  const faces = el("div", { class: "faces" });
  const closer = button({ class: "icon", "data-part": "close" }, strings.close, close, icon(icons.close));
  const element = el("div", { class: "head" }, faces, el("div", { class: "head-words" }, title, about), menu, closer);
  let drawn = "";
  const draw = (look: Look, messages: ShownMessage[]) => {
    const authors = authorsIn(messages);
    const name = look.title || strings.chat;
    const words = aboutText(look, messages, format);
    const state = JSON.stringify([authors, look.logo, name, words]);
    if (state === drawn) return;
    drawn = state;
    title.textContent = name;
    about.textContent = words;
    about.hidden = !words;
    faces.replaceChildren(...(authors.length > 0 ? authors.map(face) : [sign(look.logo)]));
  };
  return { element, draw };
}

const sign = (address: string): HTMLElement =>
  withPicture(el("span", { class: "face sign", "aria-hidden": "true" }, icon(icons.chat)), address);

/** The people who answered last. */
function authorsIn(messages: ShownMessage[]) {
  const all = new Map<string, NonNullable<ShownMessage["author"]>>();
  for (const { author } of [...messages].reverse())
    if (author && all.size < MAX_FACES && !all.has(author.name)) all.set(author.name, author);
  return [...all.values()];
}

function aboutText(look: Look, messages: ShownMessage[], format: Format): string {
  const { open, changesAt, replyMinutes } = look;
  const last = messages.filter(({ author }) => author && !author.bot).at(-1);
  const name = last && Date.now() - last.at < PRESENT_MS ? last.author?.name : undefined;
  const replies = replyMinutes > 0 && fill(strings.replies, { time: format.minutes(replyMinutes) });
  const back = changesAt ? fill(strings.back, { time: format.soon(changesAt) }) : undefined;
  // The name keeps its own text direction.
  const here = name && fill(strings.here, { name: `\u2068${name}\u2069` });
  const parts = open || name ? [here, replies] : [strings.awayNow, back];
  return parts.filter(Boolean).join(" · ");
}
