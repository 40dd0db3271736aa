import { at } from "gangway-messenger/kit/emulator/browser/dom";
import { type Acts, actsOn, createActs } from "./acts.ts";
import type { Agent } from "./agent.ts";
import { type Api, createApi } from "./api.ts";
import { createAsides } from "./asides.ts";
import { createChatList } from "./chat-list.ts";
import { type Chats, createChats } from "./chats.ts";
import { createComposer } from "./composer.ts";
import { createCustomerPanel } from "./customer/panel.ts";
import { createDetails } from "./details.ts";
import { createDialogActs } from "./dialog-acts.ts";
import { createDrafts } from "./drafts.ts";
import { listenToEvents } from "./events.ts";
import { createFiles } from "./files.ts";
import { openGoods } from "./goods.ts";
import { createHead } from "./head.ts";
import { openHelp } from "./help.ts";
import { listenToKeys } from "./keys.ts";
import { createLog } from "./log.ts";
import type { Act } from "./message.ts";
import type { Channel, Message } from "./model.ts";
import type { Notice } from "./notice.ts";
import { createOutbox } from "./outbox.ts";
import { createPeople } from "./people.ts";
import { readWhenSeen } from "./reader.ts";
import { openTemplates, templatesOf } from "./templates.ts";
import { createThread } from "./thread.ts";

function stateOf(agent: Agent) {
  const api = createApi(agent.token);
  const thread = createThread(api);
  return {
    me: agent.id,
    crmId: agent.crm_id,
    api,
    thread,
    chats: createChats(agent.id),
    people: createPeople(api),
    drafts: createDrafts(agent.id),
    files: createFiles(api),
    outbox: createOutbox(api, thread, agent.id),
    dialogActs: createDialogActs(api),
  };
}
type State = ReturnType<typeof stateOf>;

export function startDesk(agent: Agent, notice: Notice): void {
  const known = stateOf(agent);
  const { api, chats, thread } = known;
  const { problem } = notice;
  const openId = () => thread.chatId();
  const views = createViews(known, notice, (id) => open(id));
  const open = (id: number) => {
    if (id !== openId()) {
      problem(undefined);
      thread.open(id).then(views.loaded, problem);
      views.show(id);
    }
    at("inbox").dataset.view = "chat";
    // An on-screen keyboard would cover the conversation.
    if (!matchMedia("(pointer: coarse)").matches) views.composer.focus();
  };
  const close = () => {
    thread.close();
    views.show(undefined);
  };
  const toList = () => {
    // Wide layout keeps the chat open; narrow layout goes back to the list.
    if (at("back").offsetParent !== null) close();
    views.list.focus();
  };

  listenToEvents({ agent, notice, ...known, dialogChanged: views.details.reload, gone: close });
  chats.onChange((changed) => {
    const id = openId();
    if (id !== undefined && (changed.has(id) || changed.has(0))) views.refresh();
    showCounts(chats);
  });
  readWhenSeen(api, chats, thread, problem);
  at("back").addEventListener("click", toList);
  at("help").addEventListener("click", openHelp);
  listenToKeys({
    step(by) {
      const id = views.list.step(by);
      if (id !== undefined) open(id);
    },
    toList,
    toMessages: views.log.focus,
    toReply: views.composer.focus,
    toggleDetails: views.details.toggle,
    toggleCustomer: views.customer.toggle,
    isOpen: () => openId() !== undefined,
  });
}

const announces = (channel: Channel | undefined): boolean => (channel?.settings.text?.markup_formats ?? []).length > 0;

function createViews(known: State, { problem }: Notice, open: (id: number) => void) {
  const { api, chats, drafts, thread, me, dialogActs } = known;
  const channelOf = (message: Message) => chats.channelOf(chats.get(message.chatId));
  const list = createChatList({ chats, drafts, me, open });
  const composer = createComposer({ ...known, problem, drafted: list.refresh });
  const acts = createActs({ api, me, channelOf, quote: composer.quote, problem });
  const offered = (message: Message) => actsOn(message, channelOf(message));
  const log = createLog({
    ...known,
    ...acts,
    problem,
    actsOn: offered,
    isFormatted: (message) => at("inbox").dataset.markup === "markdown" && announces(channelOf(message)),
    key: (event, message) => actByKey(event, message, offered(message), acts),
  });
  const head = createHead({ chats, acts: dialogActs, me, problem });
  const addAside = createAsides();
  const details = createDetails({ ...known, acts: dialogActs, addAside, problem });
  const customer = createCustomerPanel({ ...known, addAside, open, problem });
  const pickers = createPickers(api, chats, () => thread.chatId());
  return {
    list,
    log,
    composer,
    details,
    customer,
    show(id: number | undefined) {
      at("inbox").dataset.view = id === undefined ? "list" : "chat";
      list.choose(id);
      head.show(id);
      composer.show(id);
      details.show(id);
      customer.show(id);
    },
    loaded() {
      details.reload();
      pickers.reload();
    },
    refresh() {
      composer.refresh();
      log.refresh();
    },
  };
}

const KEYS: Record<string, Act> = { r: "react", q: "quote", e: "edit", Delete: "delete" };

function actByKey(event: KeyboardEvent, message: Message, offered: Act[], { act }: Acts): void {
  const wanted = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  const element = event.target;
  if (!wanted || !offered.includes(wanted) || !(element instanceof HTMLElement)) return;
  event.preventDefault();
  act(wanted, message, element);
}

/** Products, orders and templates to send. */
function createPickers(api: Api, chats: Chats, openId: () => number | undefined): { reload(): void } {
  const templates = at("templates");
  at("goods").addEventListener("click", () => {
    const id = openId();
    const post = (body: object) => api.bot<unknown>("POST", "/messages", { chat_id: id, scope: "public", ...body });
    openGoods(api, chats.channelOf(chats.get(id)), async (body) => void (await post(body)));
  });
  templates.addEventListener("click", () => {
    const chat = chats.get(openId());
    if (!chat) return;
    const post = (body: object) => api.agent<unknown>("POST", `/chats/${chat.id}/template`, body);
    void openTemplates(api, chat.channelId, async (body) => void (await post(body)));
  });
  return {
    reload() {
      const chat = chats.get(openId());
      const show = (list: unknown[]) => {
        if (chat && chat.id === openId()) templates.hidden = list.length === 0;
      };
      if (chat) templatesOf(api, chat.channelId).then(show, () => show([]));
    },
  };
}

function showCounts(chats: Chats): void {
  const [total, shown, unread] = [chats.total(), chats.shown().length, chats.unread()];
  const words = `${total.toLocaleString()} ${total === 1 ? "chat" : "chats"}`;
  at("count").textContent = shown === total ? words : `${shown.toLocaleString()} of ${words}`;
  document.title = `${unread > 0 ? `(${unread}) ` : ""}Inbox · Sandbox CRM`;
}
