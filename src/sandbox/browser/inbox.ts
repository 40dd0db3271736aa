interface ChatRow {
  id: number;
  name: string;
  channel: string;
  unread: number;
  last: string;
}
interface Shown {
  id: number;
  from: "customer" | "user";
  type: string;
  text: string;
  status: string;
  error?: { code: string; message?: string };
  edited: boolean;
  deleted: boolean;
  pageLink?: string;
  time: string;
  files: { name: string; size: number; image: boolean; url: string }[];
  quote?: { id: number; text: string };
  suggestions: { type: string; title: string }[];
  may: { edit: boolean; delete: boolean; quote: boolean };
}

const POLL_MS = 400;
const TICKS: Record<string, string> = {
  sending: "◷ sending",
  sent: "✓ taken",
  received: "✓✓ delivered",
  seen: "✓✓ read",
  failed: "✗ not delivered",
};

const at = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const make = (tag: string, text = "", attributes: Record<string, string> = {}) => {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
};

let version = 0;
let chosen: number | undefined;
let quoted: number | undefined;
let files: string[] = [];

async function ask<T>(method: string, path: string, body?: unknown): Promise<T | undefined> {
  const response = await fetch(`/inbox/api${path}`, {
    method,
    headers: body === undefined ? {} : { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (response.status === 204) return undefined;
  const answer = await response.json();
  at("problem").textContent = response.ok ? "" : answer.error;
  return response.ok ? answer : undefined;
}

async function poll(): Promise<void> {
  try {
    const news = await ask<{ version: number; chats: ChatRow[] }>("GET", `/chats?since=${version}`);
    if (news) {
      version = news.version;
      showChats(news.chats);
      if (chosen !== undefined) await showThread(chosen);
    }
  } catch {
    // The sandbox is away; the next look may find it.
  }
  setTimeout(poll, POLL_MS);
}

function showChats(chats: ChatRow[]): void {
  const list = at("chats");
  const focused = document.activeElement?.getAttribute("data-chat");
  list.replaceChildren(
    ...chats.map((chat) => {
      const button = make("button", "", {
        type: "button",
        "data-chat": String(chat.id),
        "aria-current": String(chat.id === chosen),
      });
      button.append(make("strong", chat.name), make("span", chat.last, { class: "last" }), make("small", chat.channel));
      if (chat.unread > 0) button.append(make("span", `${chat.unread} new`, { class: "unread" }));
      button.addEventListener("click", () => void choose(chat.id));
      return button;
    }),
  );
  if (focused) list.querySelector<HTMLElement>(`[data-chat="${CSS.escape(focused)}"]`)?.focus();
}

async function choose(id: number): Promise<void> {
  chosen = id;
  version = 0;
  quote(undefined);
  at("composer").hidden = false;
  await showThread(id);
  at("reply").focus();
}

async function showThread(id: number): Promise<void> {
  const thread = await ask<{ chat: { customer: { name: string } }; messages: Shown[] }>("GET", `/chats/${id}`);
  if (!thread || chosen !== id) return;
  at("name").textContent = thread.chat.customer.name;
  const list = at("messages");
  const atEnd = list.scrollHeight - list.scrollTop - list.clientHeight < 80;
  const known = new Map([...list.children].map((child) => [child.getAttribute("data-message"), child as HTMLElement]));
  const drawn = thread.messages.map((message) => {
    const state = JSON.stringify(message);
    const before = known.get(String(message.id));
    return before?.dataset.state === state ? before : draw(message, state);
  });
  if (drawn.some((element, n) => list.children[n] !== element) || list.children.length !== drawn.length)
    list.replaceChildren(...drawn);
  if (atEnd) list.scrollTop = list.scrollHeight;
  if (
    document.visibilityState === "visible" &&
    thread.messages.some((m) => m.from === "customer" && m.status !== "seen")
  )
    await ask("POST", `/chats/${id}/read`);
}

function draw(message: Shown, state: string): HTMLElement {
  const box = make("article", "", {
    class: "message",
    "data-message": String(message.id),
    "data-from": message.from,
    "data-status": message.status,
  });
  box.dataset.state = state;
  if (message.quote) box.append(make("div", message.quote.text, { class: "quoted" }));
  if (message.deleted) box.append(make("em", "deleted"));
  else {
    box.append(make("div", message.text, { class: "text" }));
    for (const file of message.files) box.append(drawFile(file));
  }
  if (message.suggestions.length > 0)
    box.append(make("div", message.suggestions.map((s) => `[${s.title}]`).join(" "), { class: "quoted" }));
  const meta = make("div", "", { class: "meta" });
  meta.append(make("span", new Date(message.time).toLocaleTimeString()));
  if (message.edited) meta.append(make("span", "edited"));
  if (message.from === "user")
    meta.append(
      make(
        "span",
        (TICKS[message.status] ?? message.status) +
          (message.error ? `: ${message.error.code} ${message.error.message ?? ""}` : ""),
      ),
    );
  if (message.pageLink) meta.append(make("span", `on ${message.pageLink}`));
  const action = (name: string, label: string, run: () => void) => {
    const button = make("button", label, { type: "button", "data-action": name });
    button.addEventListener("click", run);
    meta.append(button);
  };
  if (message.may.quote) action("quote", "Quote", () => quote(message));
  if (message.may.edit) action("edit", "Edit", () => void edit(message));
  if (message.may.delete) action("delete", "Delete", () => void ask("DELETE", `/messages/${message.id}`));
  box.append(meta);
  return box;
}

function drawFile(file: Shown["files"][number]): HTMLElement {
  const link = make("a", file.image ? "" : `${file.name} (${Math.ceil(file.size / 1024)} KiB)`, {
    href: file.url,
    target: "_blank",
    rel: "noopener",
  });
  if (file.image) link.append(make("img", "", { src: file.url, alt: file.name }));
  return link;
}

function quote(message: Shown | undefined): void {
  quoted = message?.id;
  at("quote").hidden = !message;
  at("quote-text").textContent = message ? `Quoting: ${message.text || message.type}` : "";
  if (message) at("reply").focus();
}

async function edit(message: Shown): Promise<void> {
  const text = prompt("New text", message.text);
  if (text !== null) await ask("PUT", `/messages/${message.id}`, { text });
}

function suggestions() {
  const lines = at<HTMLTextAreaElement>("suggestions")
    .value.split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
  return lines.map((line) => {
    const found = /^(phone|email|url):(.*)$/.exec(line);
    if (!found) return { type: "text", title: line };
    const rest = (found[2] ?? "").trim();
    return found[1] === "url"
      ? { type: "url", title: rest.split(" ").slice(1).join(" ") || rest, payload: rest.split(" ")[0] }
      : { type: found[1], title: rest };
  });
}

async function send(): Promise<void> {
  const reply = at<HTMLTextAreaElement>("reply");
  if (chosen === undefined || (!reply.value.trim() && files.length === 0)) return;
  const sent = await ask("POST", `/chats/${chosen}/messages`, {
    text: reply.value,
    files,
    quote: quoted,
    suggestions: suggestions(),
  });
  if (!sent) return;
  reply.value = "";
  at<HTMLTextAreaElement>("suggestions").value = "";
  files = [];
  at("attached").textContent = "";
  quote(undefined);
}

async function attach(input: HTMLInputElement): Promise<void> {
  for (const file of input.files ?? []) {
    const headers = {
      "content-type": file.type || "application/octet-stream",
      "x-file-name": encodeURIComponent(file.name),
    };
    const response = await fetch("/inbox/api/files", { method: "POST", headers, body: file });
    const answer = await response.json();
    if (response.ok) files.push(answer.id);
    at("attached").textContent = response.ok ? `${files.length} attached` : answer.error;
  }
  input.value = "";
}

at("composer").addEventListener("submit", (event) => {
  event.preventDefault();
  void send();
});
at("reply").addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  void send();
});
at("attach").addEventListener("change", (event) => void attach(event.target as HTMLInputElement));
at("quote-drop").addEventListener("click", () => quote(undefined));
void poll();
