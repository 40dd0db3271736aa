import { at, button, el, icon } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "../api.ts";
import type { createAsides } from "../asides.ts";
import type { Chats } from "../chats.ts";
import { fill } from "../fill.ts";
import { icons } from "../icons.ts";
import { may } from "../model.ts";
import { aboutCustomer, chatWords } from "./about.ts";
import { type CustomerActs, createCustomerActs } from "./acts.ts";
import { openEdit } from "./edit.ts";
import { openHistory } from "./history.ts";
import { openMerge } from "./merge.ts";
import { noteItem } from "./notes.ts";
import { openOrderForm } from "./order-form.ts";
import { orderItem } from "./orders.ts";
import { createRecords, type WatchedRecords } from "./records.ts";
import { skeleton } from "./skeleton.ts";
import { inOrder, taskItem } from "./tasks.ts";
import { visitWords } from "./visit.ts";

export interface CustomerPanelParts {
  api: Api;
  chats: Chats;
  addAside: ReturnType<typeof createAsides>;
  /** The agent's id in the CRM. */
  crmId: number;
  open(chatId: number): void;
  problem(error: unknown): void;
}
export interface CustomerPanel {
  show(chatId: number | undefined): void;
  toggle(): void;
}

/** Where the panel fits beside the conversation, it is open from the beginning. */
const WIDE = "(min-width: 90rem)";
const WANTED = "sandbox-inbox-customer";

/** The customer of the chat as the CRM knows it, with orders, tasks and notes. */
export function createCustomerPanel(parts: CustomerPanelParts): CustomerPanel {
  const { api, crmId, problem } = parts;
  let chatId: number | undefined;
  const records = createRecords(api, () => draw(), problem);
  const acts = createCustomerActs(api, records, crmId);
  const [panel, opener] = [at("crm"), at("crm-open")];
  const wanted = () => (sessionStorage.getItem(WANTED) ?? String(matchMedia(WIDE).matches)) === "true";
  const aside = parts.addAside({
    panel,
    opener,
    changed(open, byAgent) {
      if (byAgent) sessionStorage.setItem(WANTED, String(open));
      records.watch(open ? chatId : undefined);
    },
  });
  /** Answers whether it succeeded. */
  const run = async (work: Promise<unknown>): Promise<boolean> => {
    try {
      await work;
      problem(undefined);
      return true;
    } catch (error) {
      problem(error);
      return false;
    }
  };
  const { offer } = skeleton(panel, {
    close: aside.flip,
    addNote: (text) => run(acts.addNote(text)),
    addTask: (task) => run(acts.addTask(task)),
    ...openers(api, records, acts),
  });
  const draw = () => {
    offer(records.references().users, crmId);
    drawRecords({ ...parts, records, acts, run });
  };
  return {
    show(id) {
      chatId = id;
      opener.hidden = id === undefined;
      aside.show(id !== undefined && wanted() && at("details").hidden === true);
      if (aside.isOpen()) records.watch(id);
    },
    toggle() {
      if (chatId !== undefined) aside.flip();
    },
  };
}

/** The panel's modals. */
function openers(api: Api, records: WatchedRecords, acts: CustomerActs) {
  const about = () => records.current()?.customer;
  return {
    edit() {
      const customer = about();
      if (customer) openEdit(customer, records.references(), acts.edit);
    },
    merge() {
      const customer = about();
      if (customer) openMerge(api, customer, records.reload);
    },
    history() {
      const chatId = records.chatId();
      if (chatId !== undefined) void openHistory(api, chatId, records.references());
    },
    order() {
      const customer = about();
      const { currency } = records.references();
      if (customer) openOrderForm({ api, customer, currency, create: acts.createOrder });
    },
  };
}

interface Drawing extends CustomerPanelParts {
  records: WatchedRecords;
  acts: CustomerActs;
  run(work: Promise<unknown>): Promise<boolean>;
}

function drawRecords({ records, acts, run, chats, open }: Drawing): void {
  const current = records.current();
  const references = records.references();
  const { customer, contacts = [], notes = [], tasks = [], orders = [] } = current ?? {};
  const others = (current?.chats ?? []).filter(({ id }) => id !== records.chatId());
  const sendsOrders = may(chats.channelOf(chats.get(records.chatId())), "order", "creating");
  at("crm-records").hidden = !customer;
  at("crm-orders-part").hidden = current?.orders === undefined;
  at("crm-chats-part").hidden = others.length === 0;
  fill(at("crm-state"), [current === undefined, customer === undefined], () =>
    customer ? [] : [current ? "This chat’s customer is not in the CRM." : "Loading …"],
  );
  fill(at("crm-customer"), [customer, contacts, references], () =>
    customer ? aboutCustomer(customer, contacts, references) : [],
  );
  const visit = records.visit();
  at("crm-visit-part").hidden = !visit.online;
  fill(at("crm-visit"), visit, () => visitWords(visit));
  fill(at("crm-chats"), others, () =>
    others.map((chat) =>
      el(
        "li",
        {},
        button(
          { class: "quiet", "data-action": `chat ${chat.id}` },
          () => open(chat.id),
          icon(icons.chat),
          chatWords(chat),
        ),
      ),
    ),
  );
  fill(at("crm-orders"), [orders, references, sendsOrders], () =>
    orders.map((order) =>
      orderItem(order, references, {
        setStatus: (of, status) => void run(acts.setStatus(of, status)),
        ...(sendsOrders && { send: (of) => void run(acts.sendCard(of)) }),
      }),
    ),
  );
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  fill(at("crm-tasks"), [tasks, references, minute], () =>
    inOrder(tasks).map((task) =>
      taskItem(task, references, minute, {
        complete: (of, complete) => void run(acts.complete(of, complete)),
        remove: (of) => void run(acts.removeTask(of)),
      }),
    ),
  );
  fill(at("crm-notes"), [notes, references], () =>
    notes.map((note) => noteItem(note, references, () => void run(acts.removeNote(note)))),
  );
}
