import { type Agent, agentAt, type InboxMessage } from "./agent.ts";
import type { Server } from "./server.ts";
import { enterShop, type Seen, type Visitor } from "./visitor.ts";

export interface ScriptParts {
  server: Server;
  crm: string;
  channel: string;
  print(line: string): void;
  /** The server's mean life before a random kill, ms; longer where its last start took longer. */
  killEveryMs?: number;
  random(): number;
}

const PICTURE = Uint8Array.from(
  Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
);
/** On a slow machine kills hit a message several times in a row, and it rests for up to half a minute after each. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 15;
const READ_AGAIN_MS = 10_000;

interface Scene {
  visitor: Visitor;
  agent: Agent;
  parts: ScriptParts;
  chat(): Promise<number>;
  said: { visitor: string[]; agent: string[] };
  kills: number;
}

/** Plays a conversation through the public endpoints, prints and checks it; resolves with the faults found. */
export async function playScript(parts: ScriptParts): Promise<string[]> {
  const agent = agentAt(parts.crm);
  const visitor = await enterShop(`${parts.server.origin}/m/${parts.channel}`);
  const scene: Scene = { visitor, agent, parts, said: { visitor: [], agent: [] }, kills: 0, chat: async () => 0 };
  scene.chat = async () => (await until("the chat in the inbox", async () => (await agent.chats())[0])).id;
  const faults: string[] = [];
  const chaos = parts.killEveryMs ? killing(scene) : undefined;
  try {
    await greetings(scene);
    await pictures(scene);
    await corrections(scene);
    await trouble(scene);
    await chaos?.stop();
    await farewell(scene);
    faults.push(...(await check(scene)));
  } catch (error) {
    faults.push(error instanceof Error ? error.message : String(error));
  }
  await chaos?.stop();
  visitor.leave();
  faults.push(...(await contractFaults(parts)));
  return faults;
}

async function until<T>(what: string, look: () => Promise<T | undefined | false> | T | undefined | false): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  while (Date.now() < end) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error(`timed out waiting for ${what}`);
}

const line = ({ parts }: Scene, who: string, what: string, ms?: number) =>
  parts.print(`${who.padEnd(9)} ${what}${ms === undefined ? "" : `  (${ms} ms)`}`);

const inInbox = async (scene: Scene, text: string) =>
  (await scene.agent.messages(await scene.chat())).find((m) => m.from === "customer" && m.text === text);
const inChat = (scene: Scene, text: string) =>
  scene.visitor.messages().find((m) => m.from === "agent" && m.text === text);

/** The visitor writes; resolves when the agent has it. */
async function visitorSays(
  scene: Scene,
  text: string,
  more: { files?: { id: string }[]; quote?: string } = {},
): Promise<InboxMessage> {
  const began = Date.now();
  scene.said.visitor.push(text);
  await scene.visitor.say({ text, ...more });
  const got = await until(`"${text}" in the inbox`, () => inInbox(scene, text));
  line(scene, "visitor", text, Date.now() - began);
  return got;
}

/** The agent answers; resolves when the visitor has it and the agent sees the delivery tick. */
async function agentSays(scene: Scene, text: string, more: Parameters<Agent["say"]>[1] = {}): Promise<Seen> {
  const began = Date.now();
  scene.said.agent.push(text);
  const id = await scene.agent.say(await scene.chat(), { text, ...more });
  const got = await until(`"${text}" in the chat`, () => inChat(scene, text));
  const ms = Date.now() - began;
  await until(`the tick on "${text}"`, async () => (await ownMessage(scene, id))?.status.match(/received|seen/));
  line(scene, "agent", text, ms);
  return got;
}

const ownMessage = async ({ agent, chat }: Scene, id: number) => {
  const newest = await agent.newest(id);
  return (await agent.messages(await chat())).find((m) => m.id === newest);
};

/** The agent opens the chat now and then: a gateway that reaches nobody for long gives up its webhook of a read mark. */
async function agentReads(scene: Scene): Promise<void> {
  let read = 0;
  await until("the visitor's read mark", async () => {
    if (Date.now() - read >= READ_AGAIN_MS) {
      read = Date.now();
      await scene.agent.read(await scene.chat());
    }
    return scene.visitor.messages().every((m) => m.from === "agent" || m.status === "read");
  });
}

async function greetings(scene: Scene): Promise<void> {
  await visitorSays(scene, "Hello! Do you have rope by the metre? 🪢");
  await agentReads(scene);
  line(scene, "", "the visitor sees the read mark");
  const answer = await agentSays(scene, "We do. Which thickness?", {
    suggestions: ["8 mm", "12 mm", "16 mm"].map((title) => ({ type: "text", title })),
  });
  if (answer.suggestions?.length !== 3) throw new Error("the quick replies did not arrive");
  await scene.visitor.read(answer.id);
  await until("the agent's read mark", async () =>
    (await scene.agent.messages(await scene.chat())).some((m) => m.from === "user" && m.status === "seen"),
  );
  line(scene, "", "the agent sees the read mark");
  await visitorSays(scene, "12 mm");
}

async function pictures(scene: Scene): Promise<void> {
  const file = await scene.visitor.upload("my knot.png", "image/png", PICTURE);
  const inbox = await visitorSays(scene, "This is the knot I mean", { files: [file] });
  const bytes = new Uint8Array(await (await fetch(inbox.files[0]?.url ?? "")).arrayBuffer());
  if (!same(bytes, PICTURE)) throw new Error("the agent received different bytes");
  line(scene, "", "the picture reached the agent byte for byte");
  const id = await scene.agent.upload("bowline.png", "image/png", PICTURE);
  const chat = await agentSays(scene, "A bowline, like this?", { files: [id], quote: inbox.id });
  const [picture] = chat.files;
  if (
    !picture ||
    !same(await until("the picture", () => scene.visitor.fetchFile(picture).catch(() => undefined)), PICTURE)
  )
    throw new Error("the visitor received different bytes");
  if (!chat.quote?.id) throw new Error("the quote did not arrive");
  line(scene, "", "the agent's picture reached the visitor, with the quote");
  await visitorSays(scene, "Exactly that one", { quote: chat.id });
}

const same = (a: Uint8Array, b: Uint8Array) => Buffer.compare(Buffer.from(a), Buffer.from(b)) === 0;

async function corrections(scene: Scene): Promise<void> {
  await agentSays(scene, "It costs 3 euros a meter");
  const chat = await scene.chat();
  const last = (text: string) =>
    until(`"${text}"`, async () => (await scene.agent.messages(chat)).find((m) => m.text === text && m.externalId));
  await scene.agent.edit((await last("It costs 3 euros a meter")).id, "It costs 4 euros a metre");
  await until("the edit", () => inChat(scene, "It costs 4 euros a metre")?.edited);
  scene.said.agent[scene.said.agent.length - 1] = "It costs 4 euros a metre";
  line(scene, "agent", "corrects: It costs 4 euros a metre");
  await agentSays(scene, "Wrong window, sorry");
  await scene.agent.remove((await last("Wrong window, sorry")).id);
  await until("the deletion", () => inChat(scene, "Wrong window, sorry")?.deleted);
  line(scene, "agent", "takes back: Wrong window, sorry");
}

/** The gateway fails twice, then the server dies with messages under way. */
async function trouble(scene: Scene): Promise<void> {
  const { server, crm } = scene.parts;
  const plan = { operation: "sendMessage", times: 2, status: 502 };
  await fetch(`${crm}/sandbox/faults`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(plan),
  });
  line(scene, "", "the gateway will fail twice");
  await visitorSays(scene, "Then ten metres, please");
  if (scene.parts.killEveryMs) return;
  const before = ["And", "one", "more", "thing"];
  scene.said.visitor.push(...before);
  for (const text of before) await scene.visitor.say({ text });
  await server.kill("SIGKILL");
  line(scene, "", "the server is killed with messages under way …");
  scene.said.agent.push("Still there?");
  await scene.agent.say(await scene.chat(), { text: "Still there?" });
  await server.start();
  scene.kills += 1;
  line(scene, "", "… and restarted");
  await until("the visitor's last message", () => inInbox(scene, "thing"));
  await until("the agent's last message", () => inChat(scene, "Still there?"));
  line(scene, "visitor", before.join(" | "));
  line(scene, "agent", "Still there?");
}

async function farewell(scene: Scene): Promise<void> {
  await visitorSays(scene, "Thank you, goodbye!");
  await agentSays(scene, "Fair winds! ⛵");
}

/** Every message is in the inbox once, and in the chat with at most one duplicate a kill; both in order. */
async function check(scene: Scene): Promise<string[]> {
  const faults: string[] = [];
  const inbox = await scene.agent.messages(await scene.chat());
  const got = inbox.filter((m) => m.from === "customer").map((m) => m.text);
  if (JSON.stringify(got) !== JSON.stringify(scene.said.visitor))
    faults.push(`the inbox has ${JSON.stringify(got)} instead of ${JSON.stringify(scene.said.visitor)}`);
  const shown = scene.visitor
    .messages()
    .filter((m) => m.from === "agent")
    .map((m) => m.text ?? "");
  const once = shown.filter((text, n) => shown.indexOf(text) === n);
  if (JSON.stringify(once) !== JSON.stringify(scene.said.agent))
    faults.push(`the chat has ${JSON.stringify(shown)} instead of ${JSON.stringify(scene.said.agent)}`);
  const extra = shown.length - once.length + scene.visitor.repeats();
  if (extra > scene.kills) faults.push(`${extra} duplicates in the chat after ${scene.kills} kills`);
  const failed = inbox.filter((m) => m.status === "failed");
  if (failed.length > 0)
    faults.push(`${failed.length} messages are marked as failed: ${failed.map((m) => m.error?.code)}`);
  line(
    scene,
    "",
    `${got.length} messages to the agent, ${shown.length} to the visitor, ${scene.kills} kills, ${extra} repeats`,
  );
  return faults;
}

async function contractFaults({ crm, print }: ScriptParts): Promise<string[]> {
  const log = (await (await fetch(`${crm}/calls.json?faults=1`)).json()) as {
    total: number;
    faults: number;
    entries: { operation: string; faults: string[] }[];
  };
  print(`${"".padEnd(9)} ${log.total} calls checked against the contract, ${log.faults} faults`);
  return log.entries.map((entry) => `${entry.operation}: ${entry.faults.join("; ")}`);
}

function killing(scene: Scene) {
  const { server, killEveryMs = 1000, random } = scene.parts;
  let going = true;
  let startMs = 0;
  const run = async () => {
    while (going) {
      await new Promise((resolve) => setTimeout(resolve, random() * 2 * Math.max(killEveryMs, startMs)));
      if (!going) break;
      await server.kill("SIGKILL");
      scene.kills += 1;
      const began = Date.now();
      await server.start();
      startMs = Date.now() - began;
    }
  };
  const done = run();
  return {
    stop: () => {
      going = false;
      return done;
    },
  };
}
