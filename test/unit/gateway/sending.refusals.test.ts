import type { Call } from "gangway-messenger/call";
import { systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { ChatId, GatewayFileId, MessengerMessageId } from "gangway-messenger/ids";
import type { Template } from "gangway-messenger/template";
import { describe, expect, it } from "vitest";
import { loadSpec } from "../../../sandbox/src/spec.ts";
import type { GatewayChannelId } from "../../../src/domain/ids.ts";
import type { ChannelCard } from "../../../src/gateway/channels.ts";
import { createGateway, type Gateway, type InboundPost } from "../../../src/gateway/client.ts";
import { createPermits } from "../../../src/gateway/limiter.ts";
import { emptyAnswers, type Operation, REFUSALS } from "../../../src/gateway/sending.ts";
import { customerSays } from "../../support/events.ts";
import { answer } from "../../support/gateway.ts";

const { signal } = new AbortController();
const channel = "7" as GatewayChannelId;
const said = customerSays("m1", "hello") as InboundPost["event"];
const change = { chat: "c" as ChatId, messengerMessageId: "m1" as MessengerMessageId, key: "k", at: 0 };
const card: ChannelCard = {
  name: "Shop",
  features: {
    type: "custom",
    text: { creating: "both", maxLength: 10 },
    firstContact: "no",
    afterReplyTimeout: "no",
    delivered: "both",
    read: "both",
  },
};
const template = {
  code: "t",
  name: "T",
  language: "en",
  category: "utility",
  body: "x",
  buttons: [],
  status: "approved",
} as unknown as Template;
const file = () => ({ mediaType: "text/plain", body: new Blob(["x"]).stream() as ReadableStream<Uint8Array> });

const ACTS: Record<Operation, (gateway: Gateway) => Promise<unknown>> = {
  listChannels: (g) => g.check(signal),
  activateChannel: (g) => g.activateChannel({ ...card, externalId: "x" }, signal),
  updateChannel: (g) => g.updateChannel(channel, card, signal),
  deactivateChannel: (g) => g.deactivateChannel(channel, signal),
  getTemplates: (g) => g.templates.list(channel, signal),
  activateTemplate: (g) => g.templates.create(channel, template, signal),
  updateTemplate: (g) => g.templates.update(channel, template, signal),
  deactivateTemplate: (g) => g.templates.delete(channel, "t", signal),
  uploadFile: (g) => g.uploadFile(file(), signal),
  getFileUrl: (g) => g.file("f" as GatewayFileId, signal),
  sendMessage: (g) => g.sendMessage(channel, { event: said, files: [] }, signal),
  sendHistoryMessage: (g) => g.sendMessage(channel, { event: { ...said, past: true }, files: [] }, signal),
  editMessage: (g) => g.editMessage(channel, { ...change, type: "edited", text: "x" }, signal),
  deleteMessage: (g) => g.deleteMessage(channel, change, signal),
  ackMessage: (g) => g.ack(channel, { gatewayMessageId: "7" as never }, signal),
  markMessageRead: (g) => g.markRead(channel, change, signal),
  markMessagesReadUntil: (g) =>
    g.markReadUntil(channel, { type: "read-until", customer: "c", chat: "c", key: "r", at: 0 } as never, signal),
  addMessageReaction: (g) => g.setReaction(channel, { ...change, type: "reaction", reaction: "x" }, signal),
  deleteMessageReaction: (g) => g.setReaction(channel, { ...change, type: "reaction", reaction: null }, signal),
  downloadFile: async (g) => (await g.file("f" as GatewayFileId, signal)).open(signal),
};

/** The path and operation of each request in the published contract. */
const PATHS = new Map(
  Object.entries(
    loadSpec<{ paths: Record<string, Record<string, { operationId?: string }>> }>("transport-api.openapi.json").paths,
  ).flatMap(([path, methods]) => Object.values(methods).map(({ operationId = "" }) => [operationId, path] as const)),
);

async function outcomeOf(operation: Operation, status: number): Promise<string> {
  const call: Call = async ({ url }) =>
    operation === "downloadFile" && !url.endsWith("/bytes")
      ? answer(200, { id: "f", type: "file", size: 1, url: "https://gateway.example/bytes" })
      : answer(status, { errors: ["Not found"] });
  const access = { url: () => "https://gateway.example", token: () => "token", renew: async () => undefined };
  const parts = { call, clock: systemClock, permits: createPermits(systemClock), account: "one", access };
  const gateway = createGateway({ ...parts, isDone: emptyAnswers() });
  return ACTS[operation](gateway).then(
    () => "done",
    (error) => (error instanceof DeliveryError ? error.verdict.type : Promise.reject(error)),
  );
}

describe("the gateway's own error", () => {
  it.each(Object.keys(ACTS) as Operation[])(
    "to %s refuses it by 400 and 422, and by 404 only if the path names what can be gone",
    async (operation) => {
      const path = operation === "downloadFile" ? "/{file}" : PATHS.get(operation);
      expect(path).toBeDefined();
      const final = (outcome: string) => outcome === "reject" || outcome === "done";
      const outcomes: [number, boolean][] = [];
      for (const status of [400, 402, 404, 405, 409, 410, 413, 415, 422, 451])
        outcomes.push([status, final(await outcomeOf(operation, status))]);
      const refusals = path?.includes("{") ? [400, 404, 422] : [400, 422];
      expect(outcomes.flatMap(([status, ends]) => (ends ? [status] : []))).toEqual(refusals);
      expect([...REFUSALS[operation]].sort()).toEqual(refusals);
    },
  );

  it("of a file's bytes says nothing about the token, which they do not take", async () => {
    for (const status of [401, 403]) expect(await outcomeOf("downloadFile", status)).toBe("retry");
  });
});
