import { type Api, queryOf } from "./api.ts";
import { type Chat, type Member, openDialog, type Person } from "./model.ts";

export interface Tag {
  name: string;
  color_code: string;
}
export interface DialogActs {
  assign(chat: Chat, to: Person | { id: number; type: "user" }): Promise<unknown>;
  unassign(chat: Chat): Promise<unknown>;
  open(chat: Chat): Promise<unknown>;
  close(chat: Chat): Promise<unknown>;
  addTag(chat: Chat, tag: Tag): Promise<unknown>;
  removeTag(chat: Chat, name: string): Promise<unknown>;
  tagsOf(chat: Chat): Promise<Tag[]>;
  membersOf(chat: Chat): Promise<Member[]>;
  block(chat: Chat, blocked: boolean): Promise<unknown>;
  leave(chat: Chat): Promise<unknown>;
}

export function createDialogActs({ bot, agent }: Api): DialogActs {
  const path = (chat: Chat, act: string) => {
    const dialog = openDialog(chat);
    if (!dialog) throw new Error("There is no open dialog in this chat.");
    return `/dialogs/${dialog.id}/${act}`;
  };
  return {
    async assign(chat, { id, type }) {
      const to = type === "bot" ? { bot_id: id } : { user_id: id };
      return openDialog(chat) ? bot("PATCH", path(chat, "assign"), to) : bot("POST", `/chats/${chat.id}/dialogs`, to);
    },
    unassign: async (chat) => bot("PATCH", path(chat, "unassign")),
    open: (chat) => bot("POST", `/chats/${chat.id}/dialogs`, {}),
    close: async (chat) => bot("DELETE", path(chat, "close")),
    addTag: async (chat, tag) => bot("PATCH", path(chat, "tags/add"), { tags: [tag] }),
    removeTag: async (chat, name) => bot("PATCH", path(chat, "tags/delete"), { tags: [{ name }] }),
    async tagsOf(chat) {
      const dialog = openDialog(chat);
      if (!dialog) return [];
      const list = await bot<{ tags?: Tag[] }[]>("GET", `/dialogs${queryOf({ id: dialog.id })}`);
      return list[0]?.tags ?? [];
    },
    async membersOf(chat) {
      const list = await bot<{ user_id: number }[]>("GET", `/members${queryOf({ chat_id: chat.id, state: "active" })}`);
      return list.map(({ user_id: id }) => ({ id }));
    },
    block: (chat, blocked) => agent("PATCH", `/customers/${chat.customer?.id}`, { is_blocked: blocked }),
    leave: (chat) => agent("POST", `/chats/${chat.id}/leave`),
  };
}
