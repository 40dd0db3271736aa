import { createBubble } from "./bubble.ts";
import { type Chat, startChat } from "./chat.ts";
import { contactIn } from "./contact-store.ts";
import type { ShownMessage } from "./history.ts";
import { createPanel, type Panel } from "./panel.ts";
import { createPerson, type Person } from "./person.ts";
import { postFile } from "./post-file.ts";
import { connectServer } from "./server.ts";
import type { Rest, Shell } from "./shell.ts";
import { forgiving } from "./signed.ts";
import { chime } from "./sound.ts";
import { speak, strings } from "./strings/strings.ts";
import { style } from "./style.ts";
import { createTitle, pageTitle } from "./title.ts";

/** A page hidden for this long closes its stream, ms: over HTTP/1.1 all tabs share six connections to a server. */
const REST_MS = 60_000;
/** How often time-dependent parts are redrawn, ms. */
const TICK_MS = 15_000;

/** The chat, once the loader needs it: window, preview and the conversation. */
class Widget implements Rest {
  readonly #shell: Shell;
  readonly #server;
  readonly #title = createTitle();
  readonly #bubble;
  readonly #person;
  #chat: Chat | undefined;
  #panel: Panel | undefined;
  #open = false;
  #user = "";
  /** The panel's texts and language: others need a new panel. */
  #spoken = "";
  /** Time of the newest message that the page was told of, ms; undefined before the chat is open. */
  #told: number | undefined;

  constructor(shell: Shell) {
    this.#shell = shell;
    this.#person = createPerson(shell);
    this.#server = forgiving(connectServer(shell.door, window.fetch.bind(window), postFile), warnOfUser);
    shell.host.adopt(style);
    this.#speak();
    this.#bubble = createBubble(
      () => window.Gangway?.open(),
      (id) => dismiss(shell, id),
    );
    shell.host.root.prepend(this.#bubble.element);
    listen(
      () => this.#chat,
      () => this.#draw(),
    );
  }

  isOpen = () => this.#open;

  open(text?: string, quietly = false): void {
    const isNew = !this.#open;
    this.#open = true;
    this.follow();
    this.#bubble.hide();
    this.#shell.host.root.classList.add("open");
    this.#draw();
    if (text) this.#panel?.put(text);
    this.#panel?.showEnd();
    if (!quietly) this.#panel?.focus();
    if (isNew) this.#shell.emit("open", undefined);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#shell.host.root.classList.remove("open");
    this.#draw();
    this.#shell.launcher.element.focus();
    this.#shell.emit("close", undefined);
  }

  greet(text: string): void {
    if (!this.#open && text) this.#bubble.show({ id: "greeting", text });
  }

  update(): void {
    this.#speak();
    const user = JSON.stringify(this.#person.signed());
    if (this.#chat && user !== this.#user) this.#chat.reopen();
    this.#user = user;
    this.#draw();
  }

  restart(): void {
    this.#chat?.leave();
    this.#panel?.remove();
    [this.#chat, this.#panel, this.#told] = [undefined, undefined, undefined];
    this.#bubble.hide();
    this.close();
    this.#draw();
  }

  follow(): void {
    if (this.#chat) return;
    this.#user = JSON.stringify(this.#person.signed());
    const changed = () => this.#draw();
    const ended = () => this.#ended();
    const told = about(this.#shell, this.#person, () => this.#chat?.opened()?.visitor);
    this.#chat = startChat({ server: this.#server, ...told, changed, ended });
    this.#makePanel(this.#chat);
  }

  #ended(): void {
    this.#person.leave();
    for (const item of ["open", "text"]) this.#shell.session.set(item, null);
    this.restart();
  }

  #makePanel(chat: Chat): void {
    this.#panel?.remove();
    const { fileUrl } = this.#server;
    const close = () => window.Gangway?.close();
    const erase = async () => {
      await chat.erase();
      this.#shell.forget();
      this.#bubble.show({ id: "erased", text: strings.erased });
    };
    this.#panel = createPanel({ chat, shell: this.#shell, fileUrl, close, erase }, this.isOpen);
  }

  #speak(): void {
    const { texts } = this.#shell.options();
    const { language, locale } = this.#shell.language();
    const spoken = JSON.stringify([language, locale, texts]);
    if (spoken === this.#spoken) return;
    this.#spoken = spoken;
    speak(language, texts);
    if (this.#chat) this.#makePanel(this.#chat);
  }

  #draw(): void {
    const { launcher, host, look } = this.#shell;
    host.paint(look());
    const unread = this.#chat?.unread() ?? [];
    this.#panel?.draw();
    const left = this.#open && document.visibilityState === "visible" ? 0 : unread.length;
    launcher.draw(this.#open, left);
    this.#title(left);
    this.#preview(unread);
    if (this.#chat && this.#chat.messages().length > 0) this.#shell.session.set("talked", "1");
    this.#tell();
  }

  #preview(unread: ShownMessage[]): void {
    const newest = unread.at(-1);
    if (this.#open || !newest || this.#shell.session.get("dismissed") === newest.id) return;
    const text = newest.text || newest.files[0]?.name || strings.fresh;
    this.#bubble.show({ id: newest.id, text, author: newest.author });
  }

  /** Tells the page about messages that came since the chat was opened. */
  #tell(): void {
    if (!this.#chat?.opened()) return;
    const messages = this.#chat.messages().filter(({ from, deleted }) => from === "agent" && !deleted);
    const newest = Math.max(0, ...messages.map(({ at }) => at));
    const fresh = this.#told === undefined ? [] : messages.filter(({ at }) => at > (this.#told ?? 0));
    this.#told = newest;
    for (const { text, author } of fresh) this.#shell.emit("message", { text: text ?? "", author: author?.name });
    if (fresh.length === 0) return;
    this.#shell.emit("unread", this.#chat.unread().length);
    if (this.#shell.memory.get("sound") === "on") chime();
  }
}

/** A warning for the page's author. */
function warnOfUser(reason: string): void {
  // biome-ignore lint/suspicious/noConsole: nobody else may see it.
  console.warn(`Gangway: identify() has no effect, and the chat is anonymous. ${reason}`);
}

function dismiss(shell: Shell, id: string): void {
  if (id === "greeting") shell.dismissGreeting();
  else shell.session.set("dismissed", id);
}

/** What the chat needs from the page. */
function about(shell: Shell, { user, signed }: Person, token: () => string | undefined) {
  const { memory } = shell;
  const contact = () => contactIn({ memory, user }, token());
  const visit = () => ({ page: location.href, title: pageTitle(), utm: shell.utm(), contact: contact() });
  return { memory, visit, user: signed, said: (text: string) => shell.emit("sent", { text }) };
}

/** Pauses while the page is hidden, and redraws when something may have changed. */
function listen(chat: () => Chat | undefined, draw: () => void): void {
  let rest: ReturnType<typeof setTimeout> | undefined;
  document.addEventListener("visibilitychange", () => {
    clearTimeout(rest);
    if (document.visibilityState === "hidden") rest = setTimeout(() => chat()?.rest(), REST_MS);
    else chat()?.wake();
    draw();
  });
  for (const name of ["online", "pageshow"]) window.addEventListener(name, () => chat()?.wake());
  // Another tab has changed something.
  window.addEventListener("storage", draw);
  setInterval(draw, TICK_MS);
}

export const begin = (shell: Shell): Rest => new Widget(shell);
