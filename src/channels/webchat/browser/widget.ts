import { type Memory, startChat } from "./chat.ts";
import { showPanel } from "./panel.ts";
import { connectServer } from "./server.ts";

/** `<script src="…/channels/webchat/widget.js" data-channel="…" async>`: everything begins here. */
const script = document.currentScript as HTMLScriptElement | null;
const channel = script?.dataset.channel;

/** Survives a reload where the browser lets it; never a cookie. */
function memoryOf(name: string): Memory {
  const own = new Map<string, string>();
  const key = (item: string) => `gangway:${name}:${item}`;
  return {
    get(item) {
      try {
        return localStorage.getItem(key(item)) ?? own.get(item) ?? null;
      } catch {
        return own.get(item) ?? null;
      }
    },
    set(item, value) {
      own.set(item, value);
      try {
        localStorage.setItem(key(item), value);
      } catch {
        // Private windows and full disks: it lasts as long as the page.
      }
    },
  };
}

function begin(): void {
  if (!script || !channel || !/^[\w-]+$/.test(channel) || document.querySelector("gangway-chat")) return;
  const server = connectServer(`${new URL(script.src).origin}/m/${channel}`);
  let draw = () => {};
  const chat = startChat(server, memoryOf(channel), () => draw());
  draw = showPanel(chat, server.fileUrl);
}

if (document.body) begin();
else document.addEventListener("DOMContentLoaded", begin);
