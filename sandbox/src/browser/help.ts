import { el } from "gangway-messenger/kit/emulator/browser/dom";
import { openBox } from "./box.ts";

const KEYS: [string, string][] = [
  ["/", "Search the chats"],
  ["↑ ↓", "Move through the list or the messages"],
  ["Enter", "Open the chat; in the reply: send"],
  ["Shift + Enter", "New line in the reply"],
  ["Alt + ↑ ↓", "Previous or next chat, from anywhere"],
  ["Alt + M", "To the messages of the chat"],
  ["Alt + C", "Customer and orders of the chat"],
  ["Alt + I", "Details of the chat"],
  ["Escape", "Back: to the reply, then to the list"],
  ["R Q E Delete", "On a message: react, quote, edit, delete"],
  ["?", "This help"],
];

export function openHelp(): void {
  const rows = KEYS.flatMap(([keys, words]) => [
    el("dt", {}, ...keys.split(" ").map((key) => (key === "+" ? " + " : el("kbd", {}, key)))),
    el("dd", {}, words),
  ]);
  openBox("Keyboard", el("dl", { class: "keys" }, ...rows));
}
