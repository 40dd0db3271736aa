import { type Answer, answerText } from "gangway-messenger/call";
import { pause } from "gangway-messenger/clock";
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
  isEvidence,
  isRefusal,
  isTaken,
  MIB,
  MODULE_NAME,
  openChats,
  outcomeOf,
  PREFIX,
  register,
  type Stage,
  say,
} from "./stage.ts";
import { type Step, see } from "./step.ts";
import type { Unknown, Value } from "./unknowns.ts";

/** Registers the module and opens the channel, on which all other steps depend. */
async function connect(stage: Stage): Promise<void> {
  const { trace, gateway, crm, module, channel, signal } = stage;
  const isNew = await refuseOthers(stage);
  await register(stage);
  await deactivateLeft(stage);
  const edit = trace.list().find(({ what }) => what.endsWith("/edit"));
  const { info } = Object(edit?.answer);
  const { endpointUrl } = Object(Object(info).mgTransport);
  if (edit && isNew) see(stage, "moduleStatus", edit.status);
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

/** Refuses to replace a module of this code that no probe made. Resolves with whether there is none yet. */
async function refuseOthers(stage: Stage): Promise<boolean> {
  const { code } = stage.module;
  const found = await askCrm(stage, `/api/v5/integration-modules/${code}`);
  if (found?.status === 404 && isRefusal(found)) return true;
  const { name } = Object(bodyOf(found).integrationModule);
  if (!isTaken(found) || name === undefined)
    throw new Error(`the account did not say whether it has a module of the code ${code}: ${outcomeOf(found)}`);
  if (name !== MODULE_NAME)
    throw new Error(`the account has another module of the code ${code}: choose one by --module-code`);
  return false;
}

/** Deactivates channels left by an interrupted probe. Throws unless all are known to be off. */
export async function deactivateLeft(stage: Stage): Promise<void> {
  const listed = await askGateway(stage, "GET", "/channels?active=true&limit=1000");
  const channels: unknown = bodyOf(listed);
  if (!isTaken(listed) || !Array.isArray(channels))
    throw new Error(`the gateway did not list the channels: ${outcomeOf(listed)}`);
  for (const each of channels) {
    const { id, external_id: externalId } = Object(each);
    if (!String(externalId).startsWith(PREFIX)) continue;
    const gone = await askGateway(stage, "DELETE", `/channels/${id}`);
    if (!isTaken(gone) && gone?.status !== 404)
      throw new Error(`the gateway did not deactivate the probe's channel: ${outcomeOf(gone)}`);
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
  const first = await say(stage, "A", "m-odd", ODD);
  const again = await say(stage, "A", "m-odd", ODD);
  if (isTaken(first) && isEvidence(again, signal)) see(stage, "duplicateText", wordsOf(again));
  const elsewhere = await say(stage, "B", "m-odd", ODD);
  if (isEvidence(elsewhere, signal))
    also.push({
      about: "an external_id is known",
      seen: isTaken(elsewhere)
        ? "in its chat only"
        : `in the whole channel: another chat's answers ${elsewhere.status}`,
    });
  const event = { ...eventOf(stage, "A", "m-before", before), type: "edited" as const, text: before };
  const edited = await answerTo(stage, gateway.editMessage(channelOf(stage), event, signal));
  if (isEvidence(edited, signal) && isTaken(edited))
    see(stage, "emptySuccess", EMPTY[answerText(edited).trim()] ?? "another body");
  await removed(stage, before);
}

function wordsOf(answer: Answer): string {
  const { errors } = bodyOf(answer);
  const [error] = Array.isArray(errors) ? errors : [];
  return typeof error === "string" ? error : `status ${answer.status}`;
}

const EMPTY: Record<string, Value> = { "{}": "object", "": "nothing" };

/** The responses to deleting and restoring a message contain a message. */
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

async function limits(stage: Stage): Promise<void> {
  const { gateway, signal, also } = stage;
  const id = channelOf(stage);
  const narrow = { ...FEATURES, text: { ...FEATURES.text, maxLength: 5 } };
  await openChats(stage, "A");
  const widen = () => gateway.updateChannel(id, { name: MODULE_NAME, features: FEATURES }, signal);
  try {
    await gateway.updateChannel(id, { name: MODULE_NAME, features: narrow }, signal);
    const long = await say(stage, "A", "l-long", "Longer than five");
    if (isEvidence(long, signal)) see(stage, "unannounced", isTaken(long) ? "accept" : "refuse");
  } finally {
    await widen().catch(widen);
  }
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

/** Like the client's request, except for the message itself, which the client would cut to the contract's limits. */
function posted(stage: Stage, chat: Chat, id: string, message: object) {
  const event = eventOf(stage, chat, id, "");
  const { message: _, ...rest } = toSendRequest(channelOf(stage), { event, files: [] }, { quote: false });
  return askGateway(stage, "POST", "/messages", { ...rest, message: { external_id: id, ...message } });
}

async function crm(stage: Stage): Promise<void> {
  const { module, signal } = stage;
  const path = `/api/v5/integration-modules/${module.code}/edit`;
  const body = JSON.stringify({ integrationModule: JSON.stringify(module) });
  const asJson = await askCrm(stage, path, { type: "application/json", body });
  if (isEvidence(asJson, signal)) see(stage, "crmJson", isTaken(asJson) ? "read" : "ignore");
  const all = await askCrm(stage, "/api/v5/orders?limit=20");
  if (!isTaken(all) || !ordersIn(all))
    return stage.person.tell("The key reads no orders here: how their list filters stays unseen.");
  const filter = new URLSearchParams({ limit: "20", "filter[orderTypes][]": "gangway-probe-none" });
  const listed = await askCrm(stage, `/api/v5/orders?${filter}`);
  if (!isEvidence(listed, signal)) return;
  const count = ordersIn(listed);
  if (!isTaken(listed)) see(stage, "filterEntries", "refuse");
  else if (count !== undefined) see(stage, "filterEntries", count === 0 ? "nothing" : "everything");
}

/** Number of orders; undefined if the answer is no list of orders. */
function ordersIn(answer: Answer | undefined): number | undefined {
  const { orders } = bodyOf(answer);
  return Array.isArray(orders) ? orders.length : undefined;
}

/** The gateway may learn of the change late: polling interval, and the time after which it must know; ms. */
const [LOOK_MS, HEARD_MS] = [5_000, 30_000];

/** Runs last, since the module is off for a moment. */
async function disabled(stage: Stage): Promise<void> {
  const { clock, signal } = stage;
  await stage.crm.switchOff(stage.module);
  try {
    const until = clock.monotonic() + HEARD_MS;
    for (;;) {
      const answer = await askGateway(stage, "GET", "/channels?limit=1");
      if (signal.aborted) return;
      if (answer && [401, 403].includes(answer.status) && isRefusal(answer)) see(stage, "disabledModule", "refuse");
      else if (isTaken(answer) && clock.monotonic() >= until) see(stage, "disabledModule", "accept");
      else if (isTaken(answer)) {
        await pause(clock, LOOK_MS, signal);
        continue;
      }
      return;
    }
  } finally {
    await register(stage);
  }
}

const CONNECTED: readonly Unknown[] = [
  "moduleStatus",
  "endpointPath",
  "endpointSlash",
  "endpointInModule",
  "channelStatus",
];

/** The connect step, which precedes all others. */
export const CONNECT: Step = {
  name: "connect",
  does: "register a module of its own in the account, and open a channel of its own in it",
  sees: CONNECTED,
  run: connect,
};

/** The other steps, in order. */
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
    does: "register its module once more as JSON, and list up to 20 orders: all, and those of a type that does not exist",
    sees: ["crmJson", "filterEntries"],
    run: crm,
  },
  ...AGENT_STEPS,
  {
    name: "disabled",
    does: "switch its module off, call the gateway for half a minute, and switch it on",
    sees: ["disabledModule"],
    run: disabled,
  },
];
