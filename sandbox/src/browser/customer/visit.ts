import { type Child, el, row } from "gangway-messenger/kit/emulator/browser/dom";
import type { Visit } from "./wire.ts";

/** Without a sign of life for this long, ms, a customer is away. */
const ONLINE_MS = 3 * 60_000;

/** A time of the CRM, which has no zone: compared with the CRM's present one. */
const msOf = (time: string) => Date.parse(`${time.replace(" ", "T")}Z`);

/** Whether the customer is on the site now, and what they look at. */
export function visitWords({ now, online, visits }: Visit): Child[] {
  if (!online || !now) return [];
  const isOnline = msOf(now) - msOf(online.lastOnline) < ONLINE_MS;
  const { pages = [], source = "" } = visits?.lastVisit ?? {};
  const { browser = "", os = "", lang = "" } = visits?.device ?? {};
  const tags = Object.values(visits?.utm ?? {}).filter(Boolean);
  return [
    el(
      "p",
      { class: "badges" },
      el("span", { class: "badge", id: "crm-online" }, isOnline ? "On the site now" : `Last seen ${online.lastOnline}`),
    ),
    el(
      "dl",
      {},
      ...row("Visits", visits && String(visits.countVisits)),
      ...row("Came from", source),
      ...row("Marks", tags.join(" / ")),
      ...row("Device", [browser, os, lang].filter(Boolean).join(", ")),
    ),
    el(
      "ol",
      { id: "crm-pages", "aria-label": "Pages of the last visit" },
      ...[...pages]
        .reverse()
        .map(({ dateTime, title, url }) => el("li", {}, dateTime.slice(11, 16), " ", webLink(url, title))),
    ),
  ];
}

const webLink = (url: string, title = url): Child =>
  /^https?:/.test(url)
    ? el("a", { href: url, target: "_blank", rel: "noopener noreferrer", title: url }, title)
    : title;
