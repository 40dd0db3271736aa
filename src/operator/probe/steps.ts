import { answerText } from "gangway-messenger/call";
import type { GatewayFileId } from "gangway-messenger/ids";
import { toSendRequest } from "../../gateway/client.ts";
import { int64 } from "../../gateway/wire.ts";
import { AGENT_STEPS } from "./agent-steps.ts";
import { RATE_STEPS } from "./rate-steps.ts";
import {
  answerTo,
  askCrm,
  askGateway,
  bodyOf,
  type Chat,
  channelOf,
  eventOf,
  FEATURES,
  isTaken,
  MODULE_NAME,
  openChats,
  PREFIX,
  register,
  type Stage,
  say,
} from "./stage.ts";
import { type Step, see } from "./step.ts";
import type { Unknown, Value } from "./unknowns.ts";

/** Registers the module and opens the channel, on which all other steps stand. */
async function connect(stage: Stage): Promise<void> {
  const { trace, gateway, crm, module, channel, signal } = stage;
  await refuseOthers(stage);
  await register(stage);
  await deactivateLeft(stage);
  const edit = trace.list().find(({ what }) => what.endsWith("/edit"));
  const { info } = Object(edit?.answer);
  const { endpointUrl } = Object(Object(info).mgTransport);
  if (edit) see(stage, "moduleStatus", edit.status);
  if (typeof endpointUrl === "string") {
    see(stage, "endpointPath", /\/api\/transport\/v1\/?$/.test(endpointUrl));
    see(stage, "endpointSlash", endpointUrl.endsWith("/"));
  }
  await answerTo(stage, crm.readModule(module.code));
  const read = Object(Object(bodyOf(trace.newest()).integrationModule).integrations);
  if (isTaken(trace.newest())) see(stage, "endpointInModule", Object(read.mgTransport).endpointUrl !== undefined);
  const made = gateway.activateChannel(
    { name: MODULE_NAME, features: FEATURES, externalId: channel.externalId },
    signal,
  );
  channel.id = (await made).id;
  const { status } = trace.newest() ?? {};
  if (status !== undefined) see(stage, "channelStatus", status);
}

/** A module of that code that no probe has made stays as it is. */
async function refuseOthers(stage: Stage): Promise<void> {
  const { code } = stage.module;
  const found = await askCrm(stage, `/api/v5/integration-modules/${code}`);
  const { name } = Object(bodyOf(found).integrationModule);
  if (isTaken(found) && name !== MODULE_NAME)
    throw new Error(`the account has another module of the code ${code}: choose one by --module-code`);
}

/** Of an earlier probe that could not end. */
export async function deactivateLeft(stage: Stage): Promise<void> {
  const listed = await askGateway(stage, "GET", "/channels?active=true&limit=1000");
  const channels: unknown = listed && bodyOf(listed);
  for (const each of Array.isArray(channels) ? channels : []) {
    const { id, external_id: externalId } = Object(each);
    if (String(externalId).startsWith(PREFIX)) await askGateway(stage, "DELETE", `/channels/${id}`);
  }
}

const ODD = "  <b> probe & co  ";
const TRIMMED = ODD.trim();
const ESCAPED = "&lt;b&gt; probe &amp; co";
const KEPT: Record<string, Value> = { [ODD]: "none", [TRIMMED]: "trim", [ESCAPED]: "trim+escape" };

async function messages(stage: Stage): Promise<void> {
  const { gateway, signal, also, own } = stage;
  for (const text of [TRIMMED, ESCAPED]) own.add(text);
  await openChats(stage, "A", "B");
  const before = "The message before";
  await say(stage, "A", "m-before", before);
  await say(stage, "A", "m-odd", ODD);
  const again = await say(stage, "A", "m-odd", ODD);
  const [error] = (bodyOf(again).errors as string[] | undefined) ?? [];
  see(stage, "duplicateText", error ?? `status ${again?.status}`);
  const elsewhere = await say(stage, "B", "m-odd", ODD);
  also.push({
    about: "an external_id is known",
    seen: isTaken(elsewhere) ? "in its chat only" : `in the whole channel: another chat's answers ${elsewhere?.status}`,
  });
  const event = { ...eventOf(stage, "A", "m-before", before), type: "edited" as const, text: before };
  const edited = await answerTo(stage, gateway.editMessage(channelOf(stage), event, signal));
  if (isTaken(edited) && edited) see(stage, "emptySuccess", EMPTY[answerText(edited).trim()] ?? "another body");
  await removed(stage, before);
}

const EMPTY: Record<string, Value> = { "{}": "object", "": "nothing" };

/** The answers to a deletion and to its undoing carry a message. */
async function removed(stage: Stage, before: string): Promise<void> {
  const { gateway, signal } = stage;
  const odd = eventOf(stage, "A", "m-odd", ODD).messengerMessageId;
  const gone = await answerTo(stage, gateway.deleteMessage(channelOf(stage), { messengerMessageId: odd }, signal));
  const { content } = bodyOf(gone);
  if (typeof content === "string" && isTaken(gone))
    see(stage, "deleteAnswer", content in KEPT ? "deleted" : content === before ? "previous" : "another");
  const body = { channel_id: int64(channelOf(stage)), message: { external_id: odd } };
  const back = await askGateway(stage, "POST", "/messages/restore", body);
  const texts = [bodyOf(back).content, content].filter((text) => typeof text === "string");
  const kept = texts.find((text) => text in KEPT) ?? texts.find((text) => text.includes("probe"));
  if (kept !== undefined) see(stage, "normalize", KEPT[kept] ?? "otherwise");
}

async function templates(stage: Stage): Promise<void> {
  const { gateway, signal, own } = stage;
  const template = { code: "gangway_probe", name: "gangway_probe", language: "en", category: "utility", buttons: [] };
  const words = "Of the Gangway probe";
  for (const text of [template.code, words]) own.add(text);
  const made = await answerTo(
    stage,
    gateway.templates.create(channelOf(stage), { ...template, body: words, status: "approved" }, signal),
  );
  if (isTaken(made) && made) see(stage, "templateStatus", made.status);
  if (isTaken(made)) await answerTo(stage, gateway.templates.delete(channelOf(stage), template.code, signal));
}

const MIB = 1024 ** 2;

async function limits(stage: Stage): Promise<void> {
  const { gateway, signal, also } = stage;
  const id = channelOf(stage);
  const narrow = { ...FEATURES, text: { ...FEATURES.text, maxLength: 5 } };
  await openChats(stage, "A");
  await gateway.updateChannel(id, { name: MODULE_NAME, features: narrow }, signal);
  const long = await say(stage, "A", "l-long", "Longer than five");
  see(stage, "unannounced", isTaken(long) ? "accept" : "refuse");
  await gateway.updateChannel(id, { name: MODULE_NAME, features: FEATURES }, signal);
  const small = (await gateway.uploadFile(bytes(5), signal).catch(() => undefined)) as GatewayFileId | undefined;
  const tried: [what: string, message: object][] = [
    ...[65_535, 65_536].map((n): [string, object] => [
      `a text of ${n} characters`,
      { type: "text", text: "x".repeat(n) },
    ]),
    ...[255, 256].map((n): [string, object] => [
      `an external_id of ${n} characters`,
      { type: "text", text: "The id is long", external_id: "i".repeat(n) },
    ]),
    ...(small ? [20, 21] : []).map((n): [string, object] => [
      `${n} items`,
      { type: "file", items: Array.from({ length: n }, () => ({ id: small })) },
    ]),
    ...(small ? [64_000, 64_001] : []).map((n): [string, object] => [
      `a note of ${n} characters`,
      { type: "file", items: [{ id: small }], note: "x".repeat(n) },
    ]),
  ];
  for (const [n, [about, message]] of tried.entries())
    also.push({ about, seen: takenOrNot(await posted(stage, "A", `l-${n}`, message)) });
}

async function files(stage: Stage): Promise<void> {
  const { gateway, signal, also } = stage;
  for (const size of [20 * MIB, 20 * MIB + 1]) {
    const answer = await answerTo(stage, gateway.uploadFile(bytes(size), signal));
    also.push({ about: `a file of ${size} bytes`, seen: takenOrNot(answer) });
  }
}

const bytes = (size: number) => ({
  ...{ name: "probe.txt", mediaType: "text/plain", size },
  body: new Blob(["x".repeat(size)]).stream(),
});

const takenOrNot = (answer: { status: number } | undefined): string =>
  answer === undefined ? "no answer" : `${isTaken(answer as never) ? "taken" : "refused"} (${answer.status})`;

/** As the client writes it, but for the message itself: the client would cut it to what the contract allows. */
function posted(stage: Stage, chat: Chat, id: string, message: object) {
  const event = eventOf(stage, chat, id, "");
  const { message: _, ...rest } = toSendRequest(channelOf(stage), { event, files: [] }, { quote: false });
  return askGateway(stage, "POST", "/messages", { ...rest, message: { external_id: id, ...message } });
}

async function crm(stage: Stage): Promise<void> {
  const { module } = stage;
  const path = `/api/v5/integration-modules/${module.code}/edit`;
  const body = JSON.stringify({ integrationModule: JSON.stringify(module) });
  const asJson = await askCrm(stage, path, { type: "application/json", body });
  if (asJson && asJson.status < 500) see(stage, "crmJson", isTaken(asJson) ? "read" : "ignore");
  const filter = new URLSearchParams({ limit: "20", "filter[orderTypes][]": "gangway-probe-none" });
  const listed = await askCrm(stage, `/api/v5/orders?${filter}`);
  if (listed?.status === 403) stage.person.tell("The key may not read orders: how their list filters stays unseen.");
  else if (listed && listed.status < 500)
    see(stage, "filterEntries", isTaken(listed) ? (isNothing(bodyOf(listed)) ? "nothing" : "everything") : "refuse");
}

const isNothing = ({ orders }: Record<string, unknown>): boolean => !Array.isArray(orders) || orders.length === 0;

/** Last: the module is off for a moment. */
async function disabled(stage: Stage): Promise<void> {
  await stage.crm.switchOff(stage.module);
  const answer = await askGateway(stage, "GET", "/channels?limit=1");
  if (isTaken(answer)) see(stage, "disabledModule", "accept");
  else if (answer && [401, 403].includes(answer.status)) see(stage, "disabledModule", "refuse");
  await register(stage);
}

const CONNECTED: readonly Unknown[] = [
  "moduleStatus",
  "endpointPath",
  "endpointSlash",
  "endpointInModule",
  "channelStatus",
];

/** What connecting shows, before all other steps. */
export const CONNECT: Step = {
  name: "connect",
  does: "register a module of its own in the account, and open a channel of its own in it",
  sees: CONNECTED,
  run: connect,
};

/** In the order in which they are made. */
export const STEPS: readonly Step[] = [
  {
    name: "messages",
    does: "write as a customer in two chats of its channel; send one message twice, edit, delete and restore another",
    sees: ["duplicateText", "emptySuccess", "deleteAnswer", "normalize"],
    run: messages,
  },
  {
    name: "templates",
    does: "make a template in its channel and delete it",
    sees: ["templateStatus"],
    run: templates,
  },
  {
    name: "limits",
    does: "send messages up to the known limits and beyond them",
    sees: ["unannounced"],
    run: limits,
  },
  { name: "files", does: "upload two files of 20 MiB, one of them a byte larger", sees: [], run: files },
  ...RATE_STEPS,
  {
    name: "crm",
    does: "register its module once more as JSON, and read the list of orders by a type that does not exist",
    sees: ["crmJson", "filterEntries"],
    run: crm,
  },
  ...AGENT_STEPS,
  {
    name: "disabled",
    does: "switch its module off, call the gateway once, and switch it on",
    sees: ["disabledModule"],
    run: disabled,
  },
];
