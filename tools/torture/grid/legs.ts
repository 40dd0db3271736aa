import type { Station } from "./station.ts";
import * as at from "./station.ts";

export interface Effect {
  what: string;
  /** How often it has happened. */
  count(): number;
  /** The gateway's id of an agent's message, to look up its status. */
  message?: number;
  /** Whether the file has all its bytes. */
  whole?(): boolean;
}

/** One call by the server, or by the sandbox to the server, and the action that triggers it. */
export interface Leg {
  name: string;
  /** Operation in a fault plan. */
  operation: string;
  way: "in" | "out" | "form";
  /** Transfers a file, so its deadline is longer. */
  files?: true;
  /** The messenger has no idempotency key: two calls make two messages. */
  keyless?: true;
  /** Any object counts as success, so a proxy's JSON looks like one. */
  vague?: true;
  /** The call carries the message itself: a contract refusal ends the message. */
  ends?: true;
  /** A contract refusal turns it into a new message. */
  anew?: true;
  /** It has no ack: a final refusal is reported as a line in the chat. */
  reports?: true;
  /** The sandbox makes the call. */
  sends?: true;
  /** Only for a polling bot, or only for a bot with a webhook. */
  only?: "polling" | "webhook";
  /** Runs before the fault; `act` gets its result. */
  prepare?(station: Station, tag: string): Promise<number>;
  act(station: Station, tag: string, prepared: number): Promise<Effect[]>;
  /** Fills in a form. Throws with the page's error text if refused. */
  attempt?(station: Station): Promise<void>;
}

const said = (station: Station, text: string): Effect => {
  at.say(station, text);
  return atGateway(station, text);
};
const atGateway = (station: Station, text: string): Effect => ({
  what: text,
  count: () => at.inbox(station).filter((message) => at.wordsOf(message) === text).length,
});
const sent = async (station: Station, text: string): Promise<Effect> => {
  const message = await at.reply(station, text);
  return { what: text, message, count: () => shown(station, text).length };
};
const shown = (station: Station, text: string) =>
  at.chatOf(station).filter((message) => message.from === "bot" && message.text === text);

/** The customer sends three messages. */
const write = async (station: Station, tag: string) => ["a", "b", "c"].map((n) => said(station, `${tag} ${n}`));
const reply = async (station: Station, tag: string) => {
  const effects: Effect[] = [];
  for (const n of ["a", "b", "c"]) effects.push(await sent(station, `${tag} ${n}`));
  return effects;
};

const sendFile = (kind: "photo" | "document") => async (station: Station, tag: string) => {
  at.sendFile(station, kind, `${tag} file`);
  const found = () => at.inbox(station).filter((message) => at.wordsOf(message).includes(`${tag} file`));
  const bytes = Buffer.from(kind === "photo" ? at.PICTURE : at.DOCUMENT);
  const files = () => found().flatMap(({ items }) => items.map(({ id }) => station.crm.sandbox.world.files.get(id)));
  const whole = () => files().some((file) => file && bytes.equals(file.bytes));
  return [{ what: `${tag} file`, count: () => found().length, whole }, said(station, `${tag} next`)];
};

const replyFiles =
  (kind: "image" | "file", count = 1) =>
  async (station: Station, tag: string) => {
    const message = await at.replyFiles(station, kind, `${tag} file`, count);
    const found = () => shown(station, `${tag} file`);
    const { byteLength } = kind === "image" ? at.PICTURE : at.DOCUMENT;
    const whole = () => found().some(({ media }) => media?.file.size === byteLength);
    return [{ what: `${tag} file`, message, count: () => found().length, whole }, await sent(station, `${tag} next`)];
  };

const edits = async (station: Station, tag: string, id: number) => {
  station.telegram.phone.edit(station.person, station.bot.id, id, `${tag} new`);
  const [changed, resent] = [atGateway(station, `${tag} new`), atGateway(station, `[Edited message]\n${tag} new`)];
  const either = { ...changed, count: () => Math.max(changed.count(), resent.count()) };
  return [either, said(station, `${tag} next`)];
};
const isMarked = (station: Station, tag: string) =>
  station.crm.sandbox.world.messages.some(({ text, reactions }) => text === `${tag} mark` && reactions.length > 0);

const marks = (emoji: string | null) => async (station: Station, tag: string, id: number) => {
  station.telegram.phone.react(station.person, station.bot.id, id, emoji);
  const count = () => Number(isMarked(station, tag) === (emoji !== null));
  return [{ what: `${tag} mark`, count }, said(station, `${tag} next`)];
};
/** Sends an agent's message for the customer to react to; returns its id in the chat. */
const markTarget = async (station: Station, tag: string) => {
  const { message = 0 } = await sent(station, `${tag} mark`);
  await at.settled(station, () => station.crm.sandbox.world.messageById(message)?.status === "received");
  return shown(station, `${tag} mark`)[0]?.id ?? 0;
};
/** The customer reacts before the ack. */
const marksAtOnce = async (station: Station, tag: string) => {
  await sent(station, `${tag} mark`);
  await at.waitFor(() => shown(station, `${tag} mark`).length > 0);
  return marks("👍")(station, tag, shown(station, `${tag} mark`)[0]?.id ?? 0);
};
const marked = async (station: Station, tag: string) => {
  const id = await markTarget(station, tag);
  station.telegram.phone.react(station.person, station.bot.id, id, "👍");
  await at.settled(station, () => isMarked(station, tag));
  return id;
};

const oldReply = async (station: Station, tag: string) => {
  const { message = 0 } = await sent(station, `${tag} old`);
  await at.settled(station, () => station.crm.sandbox.world.messageById(message)?.status === "received");
  return message;
};
const changes = async (station: Station, tag: string, id: number) => {
  await at.change(station, id, `${tag} new`);
  return [{ what: `${tag} new`, count: () => shown(station, `${tag} new`).length }, await sent(station, `${tag} next`)];
};
const withdraws = async (station: Station, tag: string, id: number) => {
  await at.withdraw(station, id);
  const count = () => Number(shown(station, `${tag} old`).length === 0);
  return [{ what: `${tag} gone`, count }, await sent(station, `${tag} next`)];
};
const likeTarget = async (station: Station, tag: string) => {
  const id = at.say(station, `${tag} like`);
  const found = () => at.inbox(station).find(({ text }) => text === `${tag} like`);
  await at.settled(station, () => found() !== undefined);
  return found()?.id ?? id;
};
const likes = async (station: Station, tag: string, id: number) => {
  await at.react(station, id, "👍");
  const mine = () => at.chatOf(station).find(({ text }) => text === `${tag} like`)?.reactions ?? [];
  return [{ what: `${tag} like`, count: () => mine().length }, await sent(station, `${tag} next`)];
};

const greet = async (station: Station, tag: string) => [said(station, `${tag} in`), await sent(station, `${tag} out`)];
const greetOther = async (station: Station, tag: string) => {
  at.sayToOther(station, `${tag} other`);
  return [atGateway(station, `${tag} other`), ...(await greet(station, tag))];
};

const TELEGRAM = "telegram:";

export const LEGS: Leg[] = [
  { name: "customer's text", operation: "sendMessage", ends: true, way: "in", act: write },
  { name: "customer's file up", operation: "uploadFile", way: "in", files: true, act: sendFile("photo") },
  {
    name: "customer's edit",
    operation: "editMessage",
    anew: true,
    way: "in",
    vague: true,
    prepare: async (station, tag) => {
      const id = at.say(station, `${tag} old`);
      await at.settled(station, () => atGateway(station, `${tag} old`).count() > 0);
      return id;
    },
    act: edits,
  },
  {
    name: "customer's reaction",
    operation: "addMessageReaction",
    ends: true,
    way: "in",
    vague: true,
    prepare: markTarget,
    act: marks("👍"),
  },
  {
    name: "reaction taken back",
    operation: "deleteMessageReaction",
    ends: true,
    way: "in",
    vague: true,
    prepare: marked,
    act: marks(null),
  },
  { name: "ack", operation: "ackMessage", way: "out", vague: true, act: reply },
  { name: "ack after a reaction", operation: "ackMessage", way: "in", vague: true, act: marksAtOnce },
  { name: "agent's file record", operation: "getFileUrl", way: "out", act: replyFiles("image") },
  { name: "agent's file down", operation: "downloadFile", way: "out", files: true, act: replyFiles("file") },
  { name: "agent's text", operation: `${TELEGRAM}sendMessage`, ends: true, way: "out", keyless: true, act: reply },
  {
    name: "agent's photo",
    operation: `${TELEGRAM}sendPhoto`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: replyFiles("image"),
  },
  {
    name: "agent's document",
    operation: `${TELEGRAM}sendDocument`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: replyFiles("file"),
  },
  {
    name: "agent's album",
    operation: `${TELEGRAM}sendMediaGroup`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: replyFiles("image", 2),
  },
  {
    name: "agent's edit",
    operation: `${TELEGRAM}editMessageText`,
    ends: true,
    reports: true,
    way: "out",
    prepare: oldReply,
    act: changes,
  },
  {
    name: "agent's deletion",
    operation: `${TELEGRAM}deleteMessage`,
    ends: true,
    reports: true,
    way: "out",
    prepare: oldReply,
    act: withdraws,
  },
  {
    name: "agent's reaction",
    operation: `${TELEGRAM}setMessageReaction`,
    ends: true,
    way: "out",
    prepare: likeTarget,
    act: likes,
  },
  { name: "customer's file path", operation: `${TELEGRAM}getFile`, way: "in", act: sendFile("document") },
  { name: "customer's file down", operation: `${TELEGRAM}file`, way: "in", files: true, act: sendFile("photo") },
  { name: "polling", operation: `${TELEGRAM}getUpdates`, way: "in", only: "polling", act: write },
  { name: "update", operation: `${TELEGRAM}update`, way: "in", sends: true, only: "webhook", act: write },
  { name: "webhook of a text", operation: "onMessageSent", way: "out", sends: true, act: reply },
  {
    name: "webhook of an edit",
    operation: "onMessageUpdated",
    way: "out",
    sends: true,
    prepare: oldReply,
    act: changes,
  },
  {
    name: "webhook of a deletion",
    operation: "onMessageDeleted",
    way: "out",
    sends: true,
    prepare: oldReply,
    act: withdraws,
  },
  {
    name: "webhook of a reaction",
    operation: "onMessageReactionAdd",
    way: "out",
    sends: true,
    prepare: likeTarget,
    act: likes,
  },
  ...["apiVersions", "apiCredentials", "editIntegrationModule"].map(
    (operation): Leg => ({
      name: `connecting, ${operation}`,
      operation,
      way: "form",
      attempt: at.connectAgain,
      act: greet,
    }),
  ),
  ...["getMe", "setWebhook"].map(
    (method): Leg => ({
      name: `adding a bot, ${method}`,
      operation: TELEGRAM + method,
      way: "form",
      prepare: at.makeOther,
      attempt: at.addOther,
      act: greetOther,
    }),
  ),
  {
    name: "adding a bot, activateChannel",
    operation: "activateChannel",
    way: "form",
    prepare: at.makeOther,
    attempt: at.addOther,
    act: greetOther,
  },
];
