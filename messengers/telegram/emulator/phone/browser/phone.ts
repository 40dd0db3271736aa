import { at, button, el } from "gangway-messenger/kit/emulator/browser/dom";
import type { BotCard, Person, PhoneChat, ReplyKey } from "../../phone-wire.ts";
import * as api from "./api.ts";
import { createComposer } from "./composer.ts";
import { type MessageActs, messageView } from "./message.ts";

// One phone per tab; the URL holds the person and the open chat.

const query = new URLSearchParams(location.search);
const state = {
  person: Number(query.get("person") ?? 0),
  chat: Number(query.get("chat") ?? 0),
  people: [] as Person[],
  bots: [] as BotCard[],
  chats: new Map<number, PhoneChat>(),
  leave: () => {},
};

const notice = (error: unknown) => {
  const line = at("notice");
  line.textContent = error instanceof Error ? error.message : String(error);
  line.hidden = false;
  setTimeout(() => {
    line.hidden = true;
  }, 6_000);
};
const tried = (act: Promise<unknown>) => void act.catch(notice);
const acts = () => api.chatActs(state.person, state.chat);

const composer = createComposer({
  send: (draft) => acts().send(draft),
  edit: (id, text) => acts().edit(id, text),
  fail: notice,
});
const messageActs: MessageActs = {
  reply: composer.answer,
  edit: composer.change,
  erase: ({ id }) => tried(acts().erase(id)),
  forward: ({ text }) => tried(acts().send({ text: text || "…", forwardedFrom: "Somebody else" })),
  react: ({ id }, emoji) => tried(acts().react(id, emoji)),
  press: ({ id }, pressed) => tried(acts().press(id, pressed)),
};

function remember(): void {
  const now = new URLSearchParams({ person: String(state.person), ...(state.chat && { chat: String(state.chat) }) });
  history.replaceState(null, "", `?${now}`);
}

const name = ({ firstName, lastName }: Person) => [firstName, lastName].filter(Boolean).join(" ");
const personBy = (id: number) => state.people.find((person) => person.id === id);

function titleOf(id: number): string {
  const person = personBy(id);
  return state.chats.get(id)?.title ?? state.bots.find((bot) => bot.id === id)?.name ?? (person ? name(person) : "");
}

function drawPeople(): void {
  const select = at<HTMLSelectElement>("person");
  select.replaceChildren(...state.people.map((person) => el("option", { value: person.id }, name(person))));
  select.value = String(state.person);
  const owner = personBy(state.person);
  at("owner").textContent = owner ? `${name(owner)}'s chats` : "Chats";
  const row = (other: Person) =>
    el(
      "li",
      {},
      name(other),
      button({ "aria-label": `Write to ${name(other)}` }, () => open(other.id), "Write"),
    );
  at("others").replaceChildren(...state.people.filter((each) => each !== owner).map(row));
}

async function drawChatbot(): Promise<void> {
  const { person } = state;
  const { bot } = await api.chatbot(person);
  if (person !== state.person) return;
  const select = at<HTMLSelectElement>("chatbot");
  const options = state.bots.map(({ id, username }) => el("option", { value: id }, `@${username}`));
  select.replaceChildren(el("option", { value: "" }, "None"), ...options);
  select.value = String(bot ?? "");
}

function drawBots(): void {
  const row = (bot: BotCard) =>
    el(
      "li",
      {},
      `@${bot.username}`,
      button({ "aria-label": `Start ${bot.name}` }, () => start(bot), "Start"),
    );
  at("bots").replaceChildren(...state.bots.map(row));
}

function start(bot: BotCard): void {
  const given = at<HTMLInputElement>("payload").value.trim();
  const payload = given.split("?start=").at(-1) ?? "";
  open(bot.id);
  tried(acts().send({ start: payload }));
}

function drawChats(): void {
  const last = ({ messages }: PhoneChat) => messages.at(-1);
  const rows = [...state.chats.values()].sort((a, b) => (last(b)?.at ?? 0) - (last(a)?.at ?? 0));
  const row = (chat: PhoneChat) =>
    el(
      "li",
      {},
      button(
        { "data-chat": chat.id },
        () => open(chat.id),
        el("span", { class: "face", "aria-hidden": "true" }, [...chat.title][0] ?? "?"),
        el(
          "span",
          { class: "about" },
          el("strong", {}, chat.title),
          el("span", {}, last(chat)?.text || last(chat)?.card || "…"),
        ),
      ),
    );
  at("chats").replaceChildren(...rows.map(row));
}

/** Near the end, the view sticks to new messages and growing pictures. */
const END = 80;
let low = true;
function stayLow(): void {
  const log = at("messages");
  if (low) log.scrollTop = log.scrollHeight;
}

function drawChat(): void {
  const chat = state.chats.get(state.chat);
  at("title").textContent = titleOf(state.chat);
  at("typing").textContent = chat?.typing ? "typing…" : "";
  const block = at<HTMLButtonElement>("block");
  block.hidden = chat?.kind !== "private";
  block.textContent = chat?.blocked ? "Unblock" : "Block";
  const log = at("messages");
  const messages = chat?.messages ?? [];
  log.replaceChildren(...messages.map((message, n) => messageView(message, messages[n - 1], messageActs)));
  stayLow();
  at("keyboard").replaceChildren(...(chat?.keyboard ?? []).map(keyRow));
}

const keyRow = (keys: ReplyKey[]) =>
  el(
    "div",
    { class: "row" },
    ...keys.map((key) => button({ "data-key": key.text }, () => tried(press(key)), key.text)),
  );

const press = ({ text, contact }: ReplyKey) =>
  acts().send(contact ? { contact: { phone: "+34600123456", firstName: "Me" } } : { text });

function open(chat: number): void {
  if (state.chat !== chat) composer.clear();
  state.chat = chat;
  at("phone").dataset.view = "chat";
  at<HTMLFormElement>("composer").hidden = false;
  remember();
  low = true;
  drawChat();
}

async function reload(): Promise<void> {
  const person = state.person;
  const chats = await api.chats(person);
  if (person !== state.person) return;
  state.chats = new Map(chats.map((chat) => [chat.id, chat]));
  drawChats();
  drawChat();
}

async function become(person: number): Promise<void> {
  state.leave();
  Object.assign(state, { person, chats: new Map() });
  drawPeople();
  tried(drawChatbot());
  remember();
  const changed = (chat: PhoneChat) => {
    state.chats.set(chat.id, chat);
    drawChats();
    if (chat.id === state.chat) drawChat();
  };
  state.leave = api.follow(person, changed, () => tried(reload()));
}

at("messages").addEventListener("load", stayLow, true);
at("messages").addEventListener("wheel", ({ deltaY }) => {
  const log = at("messages");
  low = deltaY > 0 && log.scrollHeight - log.scrollTop - log.clientHeight < END;
});
at("back").addEventListener("click", () => {
  at("phone").dataset.view = "list";
});
at("block").addEventListener("click", () => tried(acts().block(!state.chats.get(state.chat)?.blocked).then(reload)));
at("person").addEventListener("change", () => {
  at("phone").dataset.view = "list";
  state.chat = 0;
  tried(become(Number(at<HTMLSelectElement>("person").value)));
});
at("chatbot").addEventListener("change", () => {
  const { value } = at<HTMLSelectElement>("chatbot");
  tried(api.setChatbot(state.person, value === "" ? null : Number(value)));
});
at("new-person").addEventListener("submit", (event) => {
  event.preventDefault();
  const name = at<HTMLInputElement>("first-name");
  const add = async () => {
    const person = await api.newPerson(name.value.trim(), at<HTMLInputElement>("language").value.trim() || undefined);
    name.value = "";
    state.people.push(person);
    at("phone").dataset.view = "list";
    state.chat = 0;
    await become(person.id);
  };
  tried(add());
});

async function begin(): Promise<void> {
  [state.people, state.bots] = await Promise.all([api.people(), api.bots()]);
  drawBots();
  const known = state.people.some(({ id }) => id === state.person);
  await become(known ? state.person : (state.people[0]?.id ?? 0));
  if (state.chat) open(state.chat);
}
tried(begin());
