import type { Api } from "../api.ts";
import { callsOf } from "./firm.ts";
import type { WatchedRecords } from "./records.ts";
import type { NewTask } from "./tasks.ts";
import type { CustomerOrder, Note, Task } from "./wire.ts";

/** What an agent does about a customer: calls of the CRM's API. Each rejects with the CRM's refusal. */
export interface CustomerActs {
  edit(change: object): Promise<void>;
  addNote(text: string): Promise<void>;
  removeNote(note: Note): Promise<void>;
  addTask(task: NewTask): Promise<void>;
  complete(task: Task, complete: boolean): Promise<void>;
  removeTask(task: Task): Promise<void>;
  createOrder(order: object): Promise<void>;
  setStatus(order: CustomerOrder, status: string): Promise<void>;
  sendCard(order: CustomerOrder): Promise<void>;
}

export function createCustomerActs(api: Api, records: WatchedRecords, managerId: number): CustomerActs {
  const known = () => {
    const { customer } = records.current() ?? {};
    if (!customer) throw new Error("This chat has no customer in the CRM.");
    return customer;
  };
  const customer = () => ({ id: known().id });
  const path = () => `/${callsOf(known()).path}`;
  const post = async (path: string, form: Record<string, unknown>) => {
    await api.crm("POST", path, form);
    await records.reload();
  };
  return {
    edit: async (change) => post(`${path()}/${known().id}/edit`, { by: "id", [callsOf(known()).one]: change }),
    addNote: async (text) => post(`${path()}/notes/create`, { note: { text, managerId, customer: customer() } }),
    removeNote: async ({ id }) => post(`${path()}/notes/${id}/delete`, {}),
    addTask: async (task) => post("/tasks/create", { task: { ...task, customer: customer() } }),
    complete: ({ id }, complete) => post(`/tasks/${id}/edit`, { task: { complete } }),
    async removeTask({ id }) {
      await api.agent("DELETE", `/tasks/${id}`);
      await records.reload();
    },
    async createOrder(order) {
      const { type } = known();
      await post("/orders/create", { order: { ...order, managerId, customer: { ...customer(), type } } });
    },
    setStatus: ({ id }, status) => post(`/orders/${id}/edit`, { by: "id", order: { status } }),
    async sendCard({ card }) {
      const message = { chat_id: records.chatId(), scope: "public", type: "order", order: card };
      await api.bot("POST", "/messages", message);
    },
  };
}
