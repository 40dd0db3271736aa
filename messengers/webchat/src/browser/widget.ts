import { languageOf } from "gangway-messenger/language";
import { startChat } from "./chat.ts";
import { languageFrom, localeFor } from "./language.ts";
import { type Items, memoryOf } from "./memory.ts";
import { showPanel } from "./panel.ts";
import { connectServer } from "./server.ts";
import { speak } from "./strings.ts";
import { visitOf } from "./visit.ts";

/** Entry point: `<script src="…/channels/webchat/widget.js" data-channel="…" data-lang="…" async>`. */
const script = document.currentScript as HTMLScriptElement | null;
const channel = script?.dataset.channel;

/** The widget waits this long for the channel's language, ms. */
const LANGUAGE_MS = 3_000;
/** A page hidden for this long closes its stream, ms: over HTTP/1.1 all tabs share six connections to a server. */
const REST_MS = 60_000;

function begin(): void {
  if (!script || !channel || !/^[\w-]+$/.test(channel) || document.querySelector("gangway-chat")) return;
  const server = connectServer(`${new URL(script.src).origin}/m/${channel}`, window.fetch.bind(window));
  const memory = memoryOf(channel, (): Items => localStorage);
  let draw = () => {};
  let redraw: (() => void) | undefined;
  let late = false;
  const utm = visitOf(memory, location.href);
  const visit = () => ({ page: location.href, utm: utm() });
  const chat = startChat({ server, memory, visit, changed: () => draw() });
  const language = () => chat.opened()?.language ?? memory.get("language") ?? undefined;
  const tags = () => ({
    site: script.dataset.lang,
    channel: language(),
    page: document.documentElement.lang,
    browser: navigator.language,
  });
  const show = () => {
    const chosen = languageFrom(tags());
    speak(chosen);
    return showPanel(chat, server.fileUrl, localeFor(chosen, tags()));
  };
  draw = () => {
    const opened = chat.opened()?.language;
    // For the next page, which need not wait.
    if (opened && opened !== memory.get("language")) memory.set("language", opened);
    if (!redraw && (late || languageOf(script.dataset.lang) || language() || chat.state() !== "opening"))
      redraw = show();
    redraw?.();
  };
  draw();
  setTimeout(() => {
    late = true;
    draw();
  }, LANGUAGE_MS);
  let rest: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(rest);
    if (document.visibilityState === "hidden") rest = setTimeout(chat.rest, REST_MS);
    else chat.wake();
  });
  window.addEventListener("online", chat.wake);
  window.addEventListener("pageshow", chat.wake);
  // Another tab has changed something.
  window.addEventListener("storage", (event) => {
    if (event.key?.startsWith(`gangway:${channel}:`)) draw();
  });
}

if (document.body) begin();
else document.addEventListener("DOMContentLoaded", begin);
