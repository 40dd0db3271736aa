import { toMicroseconds, toSeconds } from "gangway-messenger/kit/emulator/clock";
import type { Customer, Item, Message, SandboxChannel, Settings, Speaker, World } from "../world.ts";
import { fileUrl, kindOf } from "./files.ts";
import { announces, channelOf } from "./gateway.ts";
import { isFileKind } from "./policy.ts";

// Entities as the gateway's APIs show them. The Transport API and the socket omit absent fields, the Bot API writes
// null.

export const isSame = (one: Speaker, other: Speaker): boolean => one.type === other.type && one.id === other.id;

export interface Shown {
  world: World;
  origin(): string;
}

export const present = <T extends object>(fields: T): T =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as T;

/** `UserRef` or `Actor`. */
export function speakerRef({ world }: Shown, { type, id }: Speaker) {
  const user = type === "user" ? world.users.get(id) : undefined;
  if (user)
    return {
      id,
      type,
      external_id: user.externalId,
      name: `${user.firstName} ${user.lastName}`.trim(),
      first_name: user.firstName,
      last_name: user.lastName,
      username: user.username,
      available: user.available,
      is_technical_account: user.technical,
    };
  const customer = type === "customer" ? world.customers.get(id) : undefined;
  if (customer) return { id, type, ...customerRef(customer) };
  const name = (type === "bot" ? world.bots.get(id)?.name : world.channels.get(id)?.name) ?? "";
  return { id, type, external_id: String(id), name, avatar: world.bots.get(id)?.avatarUrl ?? "", is_system: false };
}

const customerRef = (customer: Customer) =>
  present({
    external_id: customer.externalId,
    name: customer.nickname,
    username: customer.nickname,
    first_name: customer.firstName,
    last_name: customer.lastName,
    avatar: customer.avatar,
    phone: customer.phone || undefined,
    email: customer.email || undefined,
    is_blocked: customer.blocked,
  });

/** What an agent or a bot may do with the message now. */
export function actionsOn(channel: SandboxChannel, message: Message): string[] {
  if (message.deleted || message.type === "system") return [];
  if (!channel.active && message.scope === "public") return [];
  const own = message.from.type === "user" || message.from.type === "bot";
  if (message.scope === "private") return own ? ["delete", "edit"] : [];
  if (message.externalId === undefined || message.status === "failed") return [];
  const may = (feature: "editing" | "deleting" | "quoting") => announces(channel, message.type, feature, "receive");
  return [
    ...(own && may("deleting") ? ["delete"] : []),
    ...(own && may("editing") ? ["edit"] : []),
    ...(may("quoting") ? ["quote"] : []),
  ];
}

function fileItems({ world, origin }: Shown, items: Item[]) {
  return items.flatMap(({ id, caption }) => {
    const file = world.files.get(id);
    if (!file) return [];
    const kind = kindOf(file.mediaType);
    return [
      present({
        id,
        kind,
        type: file.mediaType,
        size: file.bytes.byteLength,
        width: file.width,
        height: file.height,
        duration: file.duration,
        caption,
        preview_url: kind === "image" ? fileUrl(file, origin()) : undefined,
        transcription: file.transcription,
      }),
    ];
  });
}

function quoteRef(shown: Shown, message: Message) {
  const quote = message.quoteId === undefined ? undefined : shown.world.messageById(message.quoteId);
  return (
    quote && {
      id: quote.id,
      type: quote.type,
      content: quote.text || quote.note,
      time: toSeconds(quote.time),
      from: speakerRef(shown, quote.from),
      items: fileItems(shown, quote.items),
    }
  );
}

/** Fields common to all three shapes of a message; undefined when absent. */
function messageFields(shown: Shown, message: Message) {
  const channel = channelOf(shown.world, message);
  const system = message.type === "system";
  const { from } = message;
  return {
    id: message.id,
    chat_id: message.chatId,
    time: toSeconds(message.time),
    type: message.type,
    scope: message.scope,
    status: message.status,
    is_read: message.status === "seen",
    is_edit: message.edited,
    actions: actionsOn(channel, message),
    content: message.text,
    note: message.note,
    from: speakerRef(shown, from),
    user: system && (from.type === "user" || from.type === "bot") ? speakerRef(shown, from) : undefined,
    responsible: message.responsible && speakerRef(shown, message.responsible),
    dialog: message.dialogId === undefined ? undefined : { id: message.dialogId },
    action: message.action,
    items: isFileKind(message.type) ? fileItems(shown, message.items) : undefined,
    product: message.product,
    order: message.order,
    quote: quoteRef(shown, message),
    error: message.error,
    transport_attachments: message.suggestions.length > 0 ? { suggestions: message.suggestions } : undefined,
    template_code: message.template?.code,
  };
}

export function transportMessage(shown: Shown, message: Message) {
  const { template_code: _, ...fields } = messageFields(shown, message);
  return { ...present(fields), action: message.action ?? null };
}

const NULLABLE = [
  "action",
  "dialog",
  "error",
  "order",
  "product",
  "quote",
  "responsible",
  "transport_attachments",
  "user",
] as const;

export function botMessage(shown: Shown, message: Message) {
  const fields = messageFields(shown, message);
  return { ...Object.fromEntries(NULLABLE.map((name) => [name, null])), ...present(fields) };
}

export const listedMessage = (shown: Shown, message: Message) => ({
  ...botMessage(shown, message),
  channel_id: message.channelId,
  channel_sent_at: nullable(message.sentAt),
  created_at: toMicroseconds(message.createdAt),
  updated_at: nullable(message.updatedAt),
});

export function socketMessage(shown: Shown, message: Message) {
  const { user: _, ...fields } = messageFields(shown, message);
  const reactions = message.reactions.map(({ by, content, at }) => ({
    content,
    created_at: toSeconds(at),
    user_id: by.id,
  }));
  return present({ ...fields, reactions: reactions.length > 0 ? reactions : undefined });
}

/** Fields that events add to a message. */
export const stampsOf = ({ createdAt, editedAt }: Message) =>
  present({
    created_at: toMicroseconds(createdAt),
    edited_at: editedAt === undefined ? undefined : toMicroseconds(editedAt),
  });

export const nullable = (at: number | null): string | null => (at === null ? null : toMicroseconds(at));
export const optional = (at: number | null): string | undefined => (at === null ? undefined : toSeconds(at));

/** The socket always fills both fields of `reactions`; a module may omit them. */
const shownSettings = ({ reactions, ...settings }: Settings): Settings => ({
  ...settings,
  ...(reactions && { reactions: { dictionary: [], max_count: 1, ...reactions } }),
});

export const botChannel = (channel: SandboxChannel, { world }: Shown) => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  avatar: channel.avatarUrl,
  is_active: channel.active,
  settings: shownSettings(channel.settings),
  // Transports are registrations; the sandbox numbers them by order.
  transport_id: [...world.modules.keys()].indexOf(channel.moduleCode) + 1,
});
