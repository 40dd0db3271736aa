import type { Station } from "./station.ts";
import * as at from "./station.ts";

/** What must be seen in the end. */
export interface Effect {
  what: string;
  /** How often it is there. */
  count(): number;
  /** Of an agent's message: what the gateway thinks of it. */
  message?: number;
  /** Of a file: it is there with its bytes. */
  whole?(): boolean;
}

/** One call of the server, or of the sandbox to the server, and what makes it be made. */
export interface Leg {
  name: string;
  /** As a plan of faults names it. */
  operation: string;
  way: "in" | "out" | "form";
  /** Files: its deadline is longer. */
  files?: true;
  /** Carried out twice it is there twice: the messenger knows no key. */
  keyless?: true;
  /** Its success is any object, so that another's JSON cannot be told from it. */
  vague?: true;
  /** The call is the message itself: a refusal of the contract ends it, */
  ends?: true;
  /** … or makes a message of its own of it. */
  anew?: true;
  /** It has no ack: a refusal that ends it is told as a line in the chat. */
  tells?: true;
  /** The sandbox sends it. */
  sends?: true;
  /** Only of a bot that asks, or only of one that is called. */
  only?: "polling" | "webhook";
  /** Healthy; its answer is what `act` is given. */
  prepare?(station: Station, tag: string): Promise<number>;
  act(station: Station, tag: string, prepared: number): Promise<Effect[]>;
  /** Of a form, which a person fills in again: throws with the page's words when it is refused. */
  attempt?(station: Station): Promise<void>;
}

const written = (station: Station, text: string): Effect => {
  at.say(station, text);
  return heardText(station, text);
};
const heardText = (station: Station, text: string): Effect => ({
  what: text,
  count: () => at.heard(station).filter((message) => at.wordsOf(message) === text).length,
});
const told = async (station: Station, text: string): Promise<Effect> => {
  const message = await at.tell(station, text);
  return { what: text, message, count: () => shown(station, text).length };
};
const shown = (station: Station, text: string) =>
  at.chatOf(station).filter((message) => message.from === "bot" && message.text === text);

/** Three messages of the customer, one after another. */
const write = async (station: Station, tag: string) => ["a", "b", "c"].map((n) => written(station, `${tag} ${n}`));
const speak = async (station: Station, tag: string) => {
  const effects: Effect[] = [];
  for (const n of ["a", "b", "c"]) effects.push(await told(station, `${tag} ${n}`));
  return effects;
};

const sendFile = (kind: "photo" | "document") => async (station: Station, tag: string) => {
  at.sendFile(station, kind, `${tag} file`);
  const found = () => at.heard(station).filter((message) => at.wordsOf(message).includes(`${tag} file`));
  const bytes = Buffer.from(kind === "photo" ? at.PICTURE : at.DOCUMENT);
  const files = () => found().flatMap(({ items }) => items.map(({ id }) => station.crm.sandbox.world.files.get(id)));
  const whole = () => files().some((file) => file && bytes.equals(file.bytes));
  return [{ what: `${tag} file`, count: () => found().length, whole }, written(station, `${tag} next`)];
};

const tellFiles =
  (kind: "image" | "file", most = 1) =>
  async (station: Station, tag: string) => {
    const message = await at.tellFiles(station, kind, `${tag} file`, most);
    const found = () => shown(station, `${tag} file`);
    const { byteLength } = kind === "image" ? at.PICTURE : at.DOCUMENT;
    const whole = () => found().some(({ media }) => media?.file.size === byteLength);
    return [{ what: `${tag} file`, message, count: () => found().length, whole }, await told(station, `${tag} next`)];
  };

const edits = async (station: Station, tag: string, id: number) => {
  station.telegram.phone.edit(station.person, station.bot.id, id, `${tag} new`);
  const [changed, told] = [heardText(station, `${tag} new`), heardText(station, `[Edited message]\n${tag} new`)];
  const either = { ...changed, count: () => Math.max(changed.count(), told.count()) };
  return [either, written(station, `${tag} next`)];
};
const isMarked = (station: Station, tag: string) =>
  station.crm.sandbox.world.messages.some(({ text, reactions }) => text === `${tag} mark` && reactions.length > 0);

const marks = (emoji: string | null) => async (station: Station, tag: string, id: number) => {
  station.telegram.phone.react(station.person, station.bot.id, id, emoji);
  const count = () => Number(isMarked(station, tag) === (emoji !== null));
  return [{ what: `${tag} mark`, count }, written(station, `${tag} next`)];
};
/** An agent's message, which the customer marks: its id in the chat. */
const toMark = async (station: Station, tag: string) => {
  const { message = 0 } = await told(station, `${tag} mark`);
  await at.settled(station, () => station.crm.sandbox.world.messageById(message)?.status === "received");
  return shown(station, `${tag} mark`)[0]?.id ?? 0;
};
/** The customer is quicker than the ack. */
const marksAtOnce = async (station: Station, tag: string) => {
  await told(station, `${tag} mark`);
  await at.holdsSoon(() => shown(station, `${tag} mark`).length > 0);
  return marks("👍")(station, tag, shown(station, `${tag} mark`)[0]?.id ?? 0);
};
const marked = async (station: Station, tag: string) => {
  const id = await toMark(station, tag);
  station.telegram.phone.react(station.person, station.bot.id, id, "👍");
  await at.settled(station, () => isMarked(station, tag));
  return id;
};

const spoken = async (station: Station, tag: string) => {
  const { message = 0 } = await told(station, `${tag} old`);
  await at.settled(station, () => station.crm.sandbox.world.messageById(message)?.status === "received");
  return message;
};
const changes = async (station: Station, tag: string, id: number) => {
  await at.change(station, id, `${tag} new`);
  return [{ what: `${tag} new`, count: () => shown(station, `${tag} new`).length }, await told(station, `${tag} next`)];
};
const withdraws = async (station: Station, tag: string, id: number) => {
  await at.withdraw(station, id);
  const count = () => Number(shown(station, `${tag} old`).length === 0);
  return [{ what: `${tag} gone`, count }, await told(station, `${tag} next`)];
};
const toLike = async (station: Station, tag: string) => {
  const id = at.say(station, `${tag} like`);
  const found = () => at.heard(station).find(({ text }) => text === `${tag} like`);
  await at.settled(station, () => found() !== undefined);
  return found()?.id ?? id;
};
const likes = async (station: Station, tag: string, id: number) => {
  await at.react(station, id, "👍");
  const mine = () => at.chatOf(station).find(({ text }) => text === `${tag} like`)?.reactions ?? [];
  return [{ what: `${tag} like`, count: () => mine().length }, await told(station, `${tag} next`)];
};

/** All works, both ways. */
const greet = async (station: Station, tag: string) => [
  written(station, `${tag} in`),
  await told(station, `${tag} out`),
];
const greetOther = async (station: Station, tag: string) => {
  at.sayToOther(station, `${tag} other`);
  return [heardText(station, `${tag} other`), ...(await greet(station, tag))];
};

const OWN_MESSENGER = "telegram:";

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
      await at.settled(station, () => heardText(station, `${tag} old`).count() > 0);
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
    prepare: toMark,
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
  { name: "ack", operation: "ackMessage", way: "out", vague: true, act: speak },
  { name: "ack after a reaction", operation: "ackMessage", way: "in", vague: true, act: marksAtOnce },
  { name: "agent's file record", operation: "getFileUrl", way: "out", act: tellFiles("image") },
  { name: "agent's file down", operation: "downloadFile", way: "out", files: true, act: tellFiles("file") },
  { name: "agent's text", operation: `${OWN_MESSENGER}sendMessage`, ends: true, way: "out", keyless: true, act: speak },
  {
    name: "agent's photo",
    operation: `${OWN_MESSENGER}sendPhoto`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: tellFiles("image"),
  },
  {
    name: "agent's document",
    operation: `${OWN_MESSENGER}sendDocument`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: tellFiles("file"),
  },
  {
    name: "agent's album",
    operation: `${OWN_MESSENGER}sendMediaGroup`,
    ends: true,
    way: "out",
    keyless: true,
    files: true,
    act: tellFiles("image", 2),
  },
  {
    name: "agent's edit",
    operation: `${OWN_MESSENGER}editMessageText`,
    ends: true,
    tells: true,
    way: "out",
    prepare: spoken,
    act: changes,
  },
  {
    name: "agent's deletion",
    operation: `${OWN_MESSENGER}deleteMessage`,
    ends: true,
    tells: true,
    way: "out",
    prepare: spoken,
    act: withdraws,
  },
  {
    name: "agent's reaction",
    operation: `${OWN_MESSENGER}setMessageReaction`,
    ends: true,
    way: "out",
    prepare: toLike,
    act: likes,
  },
  { name: "customer's file path", operation: `${OWN_MESSENGER}getFile`, way: "in", act: sendFile("document") },
  { name: "customer's file down", operation: `${OWN_MESSENGER}file`, way: "in", files: true, act: sendFile("photo") },
  { name: "polling", operation: `${OWN_MESSENGER}getUpdates`, way: "in", only: "polling", act: write },
  { name: "update", operation: `${OWN_MESSENGER}update`, way: "in", sends: true, only: "webhook", act: write },
  { name: "webhook of a text", operation: "onMessageSent", way: "out", sends: true, act: speak },
  { name: "webhook of an edit", operation: "onMessageUpdated", way: "out", sends: true, prepare: spoken, act: changes },
  {
    name: "webhook of a deletion",
    operation: "onMessageDeleted",
    way: "out",
    sends: true,
    prepare: spoken,
    act: withdraws,
  },
  {
    name: "webhook of a reaction",
    operation: "onMessageReactionAdd",
    way: "out",
    sends: true,
    prepare: toLike,
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
      operation: OWN_MESSENGER + method,
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
