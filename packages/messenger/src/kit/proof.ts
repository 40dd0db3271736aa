import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { MESSAGE_KINDS, type MessageKind, type Shown, type Way } from "../features.ts";
import type { ChatId, MessengerMessageId } from "../ids.ts";
import type { ChannelEvent, Content, OpenFile, Suggestion } from "../message.ts";
import type { SentPart } from "../plan.ts";
import { planEdit } from "../planning.ts";
import type { ChannelAdapter, ChannelSession, MessageRef } from "../port.ts";
import type { TemplateDraft } from "../template.ts";
import { describeList } from "./listing.ts";
import { contentOf, type FILES, sendMessage } from "./sending.ts";
import { describeTemplates, type Reviewers } from "./templates.ts";

/** A messenger with a customer who has started the chat. */
export interface Stage {
  session: ChannelSession;
  atGateway: Map<string, () => OpenFile>;
  chat: ChatId;
  /** The chat as the customer sees it, oldest first. */
  seen(): Promise<Seen[]>;
  customer: Customer;
  /** Of a messenger with templates. */
  reviewers?: Reviewers;
}
export interface Seen {
  id: MessengerMessageId;
  text: string;
  /** File names, or a description for each. */
  files: string[];
  buttons: string[];
  /** A request by a button with the messenger's own label. */
  asksFor?: "phone";
  quotes: boolean;
  edited: boolean;
  deleted: boolean;
  reaction?: string;
  /** Status of the customer's own message. */
  status?: "delivered" | "read";
}
/** Actions of a customer, with the events they cause. Omit what the messenger does not have. */
export interface Customer {
  says(kind: MessageKind, quote?: MessengerMessageId): Promise<ChannelEvent[]>;
  edits?(kind: MessageKind, id: MessengerMessageId): Promise<ChannelEvent[]>;
  deletes?(id: MessengerMessageId): Promise<ChannelEvent[]>;
  reacts?(id: MessengerMessageId): Promise<ChannelEvent[]>;
  reads?(id: MessengerMessageId): Promise<ChannelEvent[]>;
}
export interface Proof {
  adapter: ChannelAdapter;
  settings: unknown;
  stage(): Promise<Stage>;
  /** Differences from the usual draft of a template at this messenger. */
  draft?: Partial<TemplateDraft>;
  /** An emoji from the messenger's list. */
  emoji?: string;
  /** What agents send, if the messenger does not accept the kit's own files. */
  files?: typeof FILES;
  /** The file for the result, which the adapter announces. */
  shown: URL;
}

const fresh = () => new AbortController().signal;
type Action = "creating" | "editing" | "quoting" | "deleting" | "reaction";
const ACTIONS: Action[] = ["creating", "editing", "quoting", "deleting", "reaction"];
const SUGGESTIONS = ["text", "phone", "email", "url"] as const;

const wayOf = (inbound: boolean, outbound: boolean): Way =>
  inbound ? (outbound ? "both" : "inbound") : outbound ? "outbound" : "none";

/** Tests every action of an adapter. It must announce exactly those that work. */
export function describeProof(proof: Proof): void {
  if (proof.adapter.features(proof.adapter.settings.parse(proof.settings)).templates) describeTemplates(proof);
  describe(`what ${proof.adapter.kind} announces`, () => {
    it("is exactly what it has shown against its messenger", async () => {
      const shown = await showAll(proof);
      const kept = readFileSync(proof.shown, "utf8");
      const text = written(shown, kept);
      if (process.env.PROVE) writeFileSync(proof.shown, text);
      else expect(kept, "announced, but not shown: npm run prove writes down what is").toBe(text);
    });

    it("holds no agent to what one message of the network holds: longer texts arrive in pieces, whole", async () => {
      const { adapter, settings } = proof;
      const stage = await proof.stage();
      const parsed = adapter.settings.parse(settings);
      const most = adapter.features(parsed).text.maxLength;
      const one = adapter.capabilities(parsed).text;
      expect(most).toBeGreaterThan(one);
      const text = "ahoy ".repeat(most / 5).trim();
      const content: Content = { type: "text", text };
      const parts = await sendMessage(
        { adapter, settings, session: stage.session },
        { chat: stage.chat, content },
        "long",
        fresh(),
      );
      const ids = parts.map(({ messengerMessageId }) => messengerMessageId);
      const pieces = (await stage.seen()).filter(({ id }) => ids.includes(id)).map((seen) => seen.text);
      expect(pieces.map(({ length }) => length <= one)).toEqual(ids.map(() => true));
      expect(pieces.join(" ")).toBe(text);
    });

    describeList(proof);
  });
}

async function showAll(proof: Proof): Promise<Shown> {
  const actions: Shown["actions"] = {};
  for (const kind of MESSAGE_KINDS) {
    const ways = await waysOf(proof, kind);
    if (ways.creating !== "none")
      actions[kind] = Object.fromEntries(Object.entries(ways).filter(([, way]) => way !== "none"));
  }
  const suggestions: Shown["suggestions"] = {};
  for (const type of SUGGESTIONS) if (await showsButton(proof, type)) suggestions[type] = "outbound";
  const { delivered, read } = await marks(proof);
  return { actions, suggestions, delivered, read };
}

/** An action that throws, or has no visible effect, does not count as shown. */
const tried = (act: () => Promise<boolean>): Promise<boolean> => act().catch(() => false);

async function waysOf(proof: Proof, kind: MessageKind): Promise<Record<Action, Way>> {
  const stage = await proof.stage();
  const ways = {} as Record<Action, Way>;
  for (const action of ACTIONS) {
    // The gateway cannot edit audio (contract: AudioMessageSetting).
    if (kind === "audio" && action === "editing") continue;
    const acting = { ...proof, stage };
    const inbound = await tried(() => CUSTOMER[action](acting, kind));
    const outbound = await tried(() => AGENT[action](acting, kind));
    ways[action] = wayOf(inbound, outbound);
  }
  return ways;
}

const idOf = (events: ChannelEvent[], kind?: MessageKind): MessengerMessageId => {
  const [event] = events;
  if (event?.type !== "message") throw new Error("no message came");
  if (kind && event.content.type !== kind) throw new Error(`a customer has no ${kind}`);
  return event.messengerMessageId;
};

/** Actions of the customer: does the relay get the right event? */
const CUSTOMER: Record<Action, (acting: Acting, kind: MessageKind) => Promise<boolean>> = {
  async creating({ stage: { customer, session } }, kind) {
    const [event] = await customer.says(kind);
    if (event?.type !== "message" || event.content.type !== kind) return false;
    if (!("files" in event.content)) return true;
    const [part] = event.content.files;
    if (part?.file.at !== "messenger") return false;
    const open = await session.files?.open(part.file.ref, fresh());
    return open !== undefined && (await new Response(open.body).arrayBuffer()).byteLength > 0;
  },
  async quoting({ stage: { customer } }, kind) {
    const first = idOf(await customer.says("text"));
    const [event] = await customer.says(kind, first);
    return event?.type === "message" && event.content.type === kind && event.quote === first;
  },
  async editing({ stage: { customer } }, kind) {
    const id = idOf(await customer.says(kind), kind);
    const [event] = (await customer.edits?.(kind, id)) ?? [];
    return event?.type === "edited" && event.messengerMessageId === id && event.text !== "";
  },
  async deleting({ stage: { customer } }, kind) {
    const id = idOf(await customer.says(kind), kind);
    const [event] = (await customer.deletes?.(id)) ?? [];
    return event?.type === "deleted" && event.messengerMessageId === id;
  },
  async reaction(acting, kind) {
    const target = await agentSays(acting, kind);
    const [event] = (await acting.stage.customer.reacts?.(target.messengerMessageId)) ?? [];
    return event?.type === "reaction" && event.messengerMessageId === target.messengerMessageId;
  },
};

type Acting = Pick<Proof, "adapter" | "settings" | "emoji" | "files"> & { stage: Stage };
async function agentSays(
  { adapter, settings, stage, files }: Acting,
  kind: MessageKind,
  more: object = {},
): Promise<SentPart> {
  const { session, chat, atGateway } = stage;
  const content = contentOf(kind, atGateway, files);
  const [first] = await sendMessage(
    { adapter, settings, session },
    { chat, content, ...more },
    crypto.randomUUID(),
    fresh(),
  );
  if (!first) throw new Error("nothing was sent");
  return first;
}
const seenAs = async ({ stage }: Acting, { messengerMessageId }: SentPart) =>
  (await stage.seen()).find(({ id }) => id === messengerMessageId);

/** Actions of the agent: does the customer see the right effect? */
const AGENT: Record<Action, (acting: Acting, kind: MessageKind) => Promise<boolean>> = {
  async creating(acting, kind) {
    const before = (await acting.stage.seen()).length;
    const seen = await seenAs(acting, await agentSays(acting, kind));
    const content = contentOf(kind, new Map());
    if (!seen) return false;
    if (!("files" in content)) return WORDS[kind]?.test(seen.text) === true;
    // If a file has no caption, its note follows as a message.
    const notes = (await acting.stage.seen()).slice(before).map(({ text }) => text);
    return seen.files.length === 1 && notes.filter(Boolean).join() === "note";
  },
  async quoting(acting, kind) {
    const quoted = await agentSays(acting, "text");
    const quote = { messengerMessageId: quoted.messengerMessageId, text: "hello" };
    return (await seenAs(acting, await agentSays(acting, kind, { quote })))?.quotes === true;
  },
  async editing(acting, kind) {
    const part = await agentSays(acting, kind);
    const { adapter, settings, stage } = acting;
    const content = edited(kind);
    const act = {
      type: "edited" as const,
      chat: stage.chat,
      messengerMessageId: part.messengerMessageId,
      content,
      suggestions: [],
    };
    for (const step of planEdit(act, [part], adapter.capabilities(adapter.settings.parse(settings))).steps)
      if (step.do === "edit") await stage.session.revisions?.edit(step, stage.chat, fresh());
    const seen = await seenAs(acting, part);
    return seen?.edited === true && /mended/.test(seen.text);
  },
  async deleting(acting, kind) {
    const part = await agentSays(acting, kind);
    if (!acting.stage.session.revisions) return false;
    await acting.stage.session.revisions.delete(at(acting.stage, part), fresh());
    const seen = await seenAs(acting, part);
    return seen === undefined || seen.deleted;
  },
  async reaction({ stage, emoji = "👍" }, kind) {
    if (!stage.session.reactions) return false;
    // Agents react to messages of customers, who cannot send cards.
    const said = kind === "product" || kind === "order" ? "text" : kind;
    const id = idOf(await stage.customer.says(said));
    await stage.session.reactions.set({ chat: stage.chat, messengerMessageId: id }, emoji, fresh());
    return (await stage.seen()).find((seen) => seen.id === id)?.reaction === emoji;
  },
};

const at = ({ chat }: Stage, { messengerMessageId }: SentPart): MessageRef => ({ chat, messengerMessageId });
const WORDS: Partial<Record<MessageKind, RegExp>> = { text: /^hello$/, product: /Rope[\s\S]*3/, order: /7[\s\S]*Rope/ };
function edited(kind: MessageKind): Content {
  if (kind === "product") return { type: "product", product: { id: 1, name: "mended" } };
  if (kind === "order") return { type: "order", order: { number: "7", items: [{ name: "mended" }] } };
  return { type: "text", text: "mended" };
}

async function showsButton(proof: Proof, type: Suggestion["type"]): Promise<boolean> {
  const stage = await proof.stage();
  const acting = { ...proof, stage };
  const suggestions = [{ type, title: `press ${type}`, payload: "https://shop.example/" }];
  return tried(async () => {
    const seen = await seenAs(acting, await agentSays(acting, "text", { suggestions }));
    return seen?.buttons.includes(`press ${type}`) === true || seen?.asksFor === type;
  });
}

async function marks(proof: Proof): Promise<Pick<Shown, "delivered" | "read">> {
  const stage = await proof.stage();
  const { session, customer, chat } = stage;
  const acting = { ...proof, stage };
  const outbound = async (mark: "read" | "delivered") => {
    const id = idOf(await customer.says("text"));
    await session.readMarks?.[mark]({ chat, messengerMessageId: id }, fresh());
    return (await stage.seen()).find((seen) => seen.id === id)?.status === mark;
  };
  const readIn = async () => {
    // The emulators' clock: it may differ from the machine's by a little.
    const since = systemClock.now();
    const part = await agentSays(acting, "text");
    const [event] = (await customer.reads?.(part.messengerMessageId)) ?? [];
    if (event?.type === "read-until") return event.at >= since;
    return event?.type === "read" && event.messengerMessageId === part.messengerMessageId;
  };
  const read = wayOf(await tried(readIn), await tried(() => outbound("read")));
  // The ack of each message confirms delivery. A messenger that reports reading thereby reports delivery, too.
  const delivered = wayOf(read === "both" || read === "inbound", await tried(() => outbound("delivered")));
  return { delivered, read };
}

/** The text of the file, as the formatter would write it. */
function written(shown: Shown, kept: string): string {
  const header = kept.slice(0, kept.indexOf("\n"));
  return `${header}

/** Generated by \`npm run prove\`: what this adapter has been shown to do. Do not edit. */
export const shown: Shown = ${literal(shown, "")};
`;
}

const literal = (value: unknown, indent: string): string => {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const lines = Object.entries(value).map(([key, each]) => `${indent}  ${key}: ${literal(each, `${indent}  `)},\n`);
  return lines.length === 0 ? "{}" : `{\n${lines.join("")}${indent}}`;
};
