import type { Chat } from "./chat.ts";
import { createComposer } from "./composer.ts";
import { createAsk } from "./contact.ts";
import { cutText } from "./cut.ts";
import { el } from "./dom.ts";
import { createEraseDialog } from "./erase.ts";
import { createFirstForm } from "./first-form.ts";
import { formatIn } from "./format.ts";
import { createHead } from "./head.ts";
import { createLog } from "./log.ts";
import { createMenu } from "./menu.ts";
import type { ShownFile } from "./protocol.ts";
import { createSearch } from "./search.ts";
import type { Shell } from "./shell.ts";
import { strings } from "./strings/strings.ts";
import { saveTranscript } from "./transcript.ts";
import { createViewer } from "./viewer.ts";

export interface Panel {
  draw(): void;
  focus(): void;
  showEnd(): void;
  /** Puts a text into the empty field. */
  put(text: string): void;
  /** Removes it from the page. */
  remove(): void;
}

interface PanelParts {
  chat: Chat;
  shell: Shell;
  fileUrl(file: ShownFile): string;
  close(): void;
  erase(): Promise<void>;
}

/** The window, hidden until it is opened. */
export function createPanel(parts: PanelParts, isOpen: () => boolean): Panel {
  const { chat, shell, fileUrl, close } = parts;
  const { root } = shell.host;
  const format = formatIn(shell.language().locale);
  const composer = createComposer(chat, shell.session);
  const ask = createAsk(chat, shell);
  const viewer = createViewer(root, fileUrl);
  const enlarge = (file: ShownFile) => viewer.open(picturesOf(chat), file);
  const find = (id: string) => void log.find(id);
  const { quote, attach } = composer;
  const actions = { format, fileUrl, enlarge, quoted: quotedIn(chat), find, quote };
  const mayWrite = () => !composer.element.disabled;
  const around = { ask: composer.ask, look: shell.look, mayWrite, after: ask.element };
  const log = createLog(chat, { ...actions, retry: chat.retry, discard: chat.discard }, around);
  const search = createSearch(chat, log.mark);
  const sure = createEraseDialog(root, parts.erase);
  const menu = createMenu({
    search: search.open,
    transcript: () => void saveTranscript(chat, shell.look().title || strings.chat, format, fileUrl).catch(() => {}),
    erase: sure.open,
    sound: soundIn(shell),
  });
  const head = createHead(format, menu.opener, close);
  const first = createFirstForm(shell, () => {
    draw();
    composer.focus();
  });
  const offline = el("div", { class: "offline", role: "status", hidden: true });
  const about = { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: true, "data-part": "panel" };
  const parted = [head.element, menu.list, offline, search.element, log.element, first.element, composer.element];
  const panel = el("div", about, ...parted);
  root.prepend(panel);

  const focus = () => {
    if (!first.element.hidden) first.focus();
    else if (!mayWrite()) log.focus();
    else composer.focus();
  };
  let wasAsked = false;
  const draw = () => {
    const closed = chat.isClosed();
    const messages = chat.messages();
    panel.hidden = !isOpen();
    head.draw(shell.look(), messages);
    drawOffline(offline, chat);
    const active = shell.host.element.shadowRoot?.activeElement ?? null;
    const hadFocus = composer.element.contains(active);
    const isFirst = !closed && messages.length === 0 && !chat.hasOlder();
    // Without the look it is unknown what has to be agreed to.
    const isAsked = isFirst && shell.checkLook?.() === false;
    composer.element.hidden = first.draw(isFirst);
    composer.enable(!closed && !isAsked && !composer.element.hidden);
    // A disabled input loses focus; Escape must still work. After waiting for the look, the focus returns to the input.
    if ((hadFocus && !mayWrite()) || (wasAsked && !isAsked && log.element.contains(active))) focus();
    wasAsked = isAsked;
    if (panel.hidden) return composer.leave();
    log.draw();
    ask.draw();
    if (document.visibilityState === "visible") chat.markRead();
  };
  panel.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (!menu.leave() && !search.close() && !composer.escape()) close();
  });
  panel.addEventListener("click", ({ target }) => {
    const isMenu = target instanceof Node && (menu.list.contains(target) || menu.opener.contains(target));
    if (!isMenu) menu.close();
  });
  acceptDrops(panel, mayWrite, attach);
  const remove = () => {
    composer.leave();
    for (const element of [panel, viewer.element, sure.element]) element.remove();
  };
  return { draw, focus, showEnd: log.showEnd, put: composer.put, remove };
}

const soundIn = ({ memory }: Shell) => ({
  isOn: () => memory.get("sound") === "on",
  set: (on: boolean) => memory.set("sound", on ? "on" : null),
});

const picturesOf = (chat: Chat): ShownFile[] =>
  chat.messages().flatMap(({ deleted, files }) => (deleted ? [] : files.filter(({ image }) => image)));

function drawOffline(element: HTMLElement, chat: Chat): void {
  element.hidden = chat.state() === "online";
  element.classList.toggle("closed", chat.isClosed());
  const text = connectionText(chat);
  if (element.textContent !== text) element.textContent = text;
}

/** Describes the connection to the visitor. */
function connectionText(chat: Chat): string {
  const state = chat.state();
  const text = state === "closed" || state === "elsewhere" || state === "busy" ? strings[state] : strings.offline;
  const isKept = chat.isClosed() && chat.messages().some(({ status }) => status === "sending");
  return isKept ? `${text} ${strings.kept}` : text;
}

/** Characters of a quote; CSS shows three lines. */
const QUOTE_LENGTH = 200;

/** Text of a quote: the current message if it is loaded, else the text that came with the quote. */
const quotedIn =
  (chat: Chat) =>
  ({ id, text }: { id?: string; text?: string }): string | undefined => {
    const message = id ? chat.find(id) : undefined;
    if (message?.deleted) return strings.deleted;
    const whole = message?.text || message?.files[0]?.name || text || "";
    const kept = cutText(whole, QUOTE_LENGTH);
    return (kept === whole ? whole : `${kept.trimEnd()}…`) || undefined;
  };

function acceptDrops(panel: HTMLElement, mayWrite: () => boolean, take: (files: File[]) => void): void {
  const veil = el("div", { class: "veil", hidden: true, "aria-hidden": "true" }, strings.drop);
  panel.append(veil);
  const onDrag = (event: DragEvent, over: boolean) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    veil.hidden = !over || !mayWrite();
  };
  panel.addEventListener("dragover", (event) => onDrag(event, true));
  panel.addEventListener("dragleave", (event) => {
    if (!panel.contains(event.relatedTarget as Node | null)) onDrag(event, false);
  });
  panel.addEventListener("drop", (event) => {
    onDrag(event, false);
    take([...(event.dataTransfer?.files ?? [])]);
  });
}
