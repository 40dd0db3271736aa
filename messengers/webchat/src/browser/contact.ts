import type { Chat } from "./chat.ts";
import { contactIn, keepContact } from "./contact-store.ts";
import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import type { Shell } from "./shell.ts";
import { strings } from "./strings/strings.ts";

const MINUTE_MS = 60_000;
const EMAIL = /^[^\s@<>",;:]+@[^\s@<>",;:]+\.[^\s@<>",;:.]+$/;
const PHONE = /^\+?[\d\s()./-]{5,40}$/;

/** Whether a text is valid: the server accepts the same (message.ts). */
export function contactType(text: string): "email" | "phone" | undefined {
  if (EMAIL.test(text)) return "email";
  return PHONE.test(text) && text.replace(/\D/g, "").length >= 5 ? "phone" : undefined;
}

/** Whether to ask for a contact: nobody has answered for a while, or nobody is available. */
export function isDue(chat: Chat, shell: Pick<Shell, "look" | "memory" | "user">, now: number): boolean {
  const { askAfterMinutes, open } = shell.look();
  if (askAfterMinutes <= 0 || shell.memory.get("asked") || chat.isClosed()) return false;
  const known = contactIn(shell, chat.opened()?.visitor);
  if (known?.email || known?.phone) return false;
  const messages = chat.messages();
  const answered = messages.map(({ from }) => from).lastIndexOf("agent");
  const first = messages[answered + 1];
  if (!first || first.status === "sending" || first.status === "refused") return false;
  return !open || now - first.at >= askAfterMinutes * MINUTE_MS;
}

/** Asks for an e-mail address or a phone number, as a message of the chat. */
export function createAsk(chat: Chat, shell: Shell) {
  const problem = el("p", { class: "problem", role: "alert" });
  const input = el("input", {
    ...{ class: "plain", name: "contact", autocomplete: "email", dir: "auto", "data-part": "contact" },
    ...{ "aria-label": strings.contact, placeholder: strings.contact, maxlength: "254" },
  });
  const send = el("button", { class: "send small", "aria-label": strings.send, title: strings.send }, icon(icons.send));
  const line = el("div", { class: "ask-line" }, input, send);
  const never = button({ class: "quiet" }, strings.noContact, () => end(), strings.noContact);
  const form = el(
    "form",
    { class: "ask", hidden: true, novalidate: true },
    el("p", {}, strings.leaveContact),
    line,
    problem,
    never,
  );
  const end = () => {
    shell.memory.set("asked", "1");
    form.hidden = true;
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    const type = contactType(text);
    problem.textContent = type ? "" : strings.wrongContact;
    if (!type) return input.focus();
    keepContact(shell.memory, { [type]: text }, chat.opened()?.visitor);
    end();
    chat.say(text, [], { answers: type });
  });
  const draw = () => {
    // Do not replace a form that is being filled in.
    if (form.hidden || !input.value) form.hidden = !isDue(chat, shell, Date.now());
  };
  return { element: form, draw };
}
