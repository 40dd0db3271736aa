import type { Shell } from "../shell.ts";
import { pageTitle } from "../title.ts";
import { bearer } from "./asking.ts";

/** How often a visitor who stays on a page reports it, ms. */
const STAYS_MS = 120_000;
/** How often to check whether there is something to report, ms. */
const LOOK_MS = 10_000;

/**
 * Reports to the server which page a visitor looks at who has opened the chat before: agents see it. Nobody else has a
 * token, and a hidden page reports nothing.
 */
export function tellPresence({ door, memory, utm }: Pick<Shell, "door" | "memory" | "utm">): () => void {
  let [told, at] = ["", Number.NEGATIVE_INFINITY];
  const tell = () => {
    const token = memory.get("visitor");
    const now = Date.now();
    const isNew = told !== `${token} ${location.href}`;
    if (!token || document.visibilityState !== "visible" || (!isNew && now - at < STAYS_MS)) return;
    [told, at] = [`${token} ${location.href}`, now];
    const { referrer } = document;
    const seen = { page: location.href, title: pageTitle(), referrer, language: navigator.language, utm: utm() };
    const init = { method: "POST", headers: bearer(token), credentials: "omit" } as const;
    void fetch(`${door}/visit`, { ...init, body: JSON.stringify(seen) }).catch(() => {});
  };
  setInterval(tell, LOOK_MS);
  document.addEventListener("visibilitychange", tell);
  tell();
  return tell;
}
