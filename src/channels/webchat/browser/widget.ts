import { startChat } from "./chat.ts";
import { type Items, memoryOf } from "./memory.ts";
import { showPanel } from "./panel.ts";
import { connectServer } from "./server.ts";
import { visitOf } from "./visit.ts";

/** Entry point: `<script src="…/channels/webchat/widget.js" data-channel="…" data-lang="…" async>`. */
const script = document.currentScript as HTMLScriptElement | null;
const channel = script?.dataset.channel;

/** A page hidden for this long closes its stream, ms: over HTTP/1.1 all tabs share six connections to a server. */
const REST_MS = 60_000;

function begin(): void {
  if (!script || !channel || !/^[\w-]+$/.test(channel) || document.querySelector("gangway-chat")) return;
  const server = connectServer(`${new URL(script.src).origin}/m/${channel}`, window.fetch.bind(window));
  const memory = memoryOf(channel, (): Items => localStorage);
  let draw = () => {};
  const utm = visitOf(memory, location.href);
  const visit = () => ({ page: location.href, utm: utm() });
  const chat = startChat({ server, memory, visit, changed: () => draw() });
  const language = script.dataset.lang || document.documentElement.lang || undefined;
  draw = showPanel(chat, server.fileUrl, language);
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
