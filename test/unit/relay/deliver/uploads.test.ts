import { systemClock } from "gangway-messenger/clock";
import { DeliveryError } from "gangway-messenger/errors";
import type { Content } from "gangway-messenger/message";
import type { ChannelSession } from "gangway-messenger/port";
import { describe, expect, it } from "vitest";
import type { Gateway } from "../../../../src/gateway/client.ts";
import { type UploadDeps, uploadFiles, uploadLate } from "../../../../src/relay/deliver/uploads.ts";
import { fileOf } from "../../../support/channel-context.ts";

const content: Content = {
  type: "image",
  files: ["a", "b"].map((ref) => ({ file: { at: "messenger", ref }, name: `${ref}.jpg`, size: 2_097_152 })),
  note: "two ropes",
};
const signal = new AbortController().signal;

function sides(fails: { messenger?: unknown; gateway?: unknown }) {
  const open = async (ref: string) => {
    if (ref === "b" && fails.messenger) throw fails.messenger;
    return fileOf(ref);
  };
  const uploadFile = async ({ name }: { name?: string }) => {
    if (name === "b.jpg" && fails.gateway) throw fails.gateway;
    return `at-gateway-${name}`;
  };
  const session = { files: { open } } as unknown as ChannelSession;
  const watch: UploadDeps["watch"] = (_, act) => act();
  const early = { clock: systemClock, lineAt: Date.now() + 60_000, leftOut: [] };
  return { ...early, session, gateway: { uploadFile } as unknown as Gateway, language: "en" as const, watch };
}
const refusal = new DeliveryError({ type: "reject", code: "general" }, "too big");

describe("a customer's file that cannot be fetched", () => {
  it.each([
    ["the messenger", { messenger: refusal }],
    ["the gateway", { gateway: refusal }],
  ])("becomes a line, and the text still arrives, with the other files: refused by %s", async (_, fails) => {
    const { content: kept, files, late } = await uploadFiles(sides(fails), content, signal);
    expect(files).toEqual(["at-gateway-a.jpg"]);
    // Nobody asks for it again.
    expect(late).toEqual([]);
    expect(kept).toMatchObject({
      files: [{ name: "a.jpg" }],
      note: "two ropes\n[b.jpg, 2.0 MB: the file could not be passed on]",
    });
  });

  it("makes a text of a message without other files", async () => {
    const [, only] = content.files;
    const { content: kept } = await uploadFiles(
      sides({ messenger: refusal }),
      { ...content, files: only ? [only] : [] },
      signal,
    );
    expect(kept).toEqual({ type: "text", text: "two ropes\n[b.jpg, 2.0 MB: the file could not be passed on]" });
  });

  it("keeps the text's formatting", async () => {
    const marks = [{ type: "bold" as const, offset: 0, length: 3 }];
    const sent = async (files: typeof content.files) =>
      (await uploadFiles(sides({ messenger: refusal }), { ...content, files, marks }, signal)).content.marks;
    expect(await sent(content.files)).toEqual(marks);
    expect(await sent(content.files.slice(1))).toEqual(marks);
  });

  it.each([
    ["image/jpeg", "image"],
    ["image/png; charset=binary", "image"],
    ["video/mp4", "file"],
  ])("that may be a picture is one if its bytes are: %s", async (mediaType, type) => {
    const parts = sides({});
    parts.session.files = { open: async (ref) => fileOf(ref, mediaType) };
    const story = { file: { at: "messenger" as const, ref: "s" }, name: "story", mayBePicture: true as const };
    const { content: sent } = await uploadFiles(parts, { type: "file", files: [story] }, signal);
    expect(sent.type).toBe(type);
    const plain = await uploadFiles(parts, { type: "file", files: [{ ...story, mayBePicture: undefined }] }, signal);
    expect(plain.content.type).toBe("file");
  });

  it("is retried if that may help, even if the messenger's credentials have died", async () => {
    const later = new DeliveryError({ type: "retry" }, "away");
    await expect(uploadFiles(sides({ messenger: later }), content, signal)).rejects.toMatchObject({
      ...{ message: "away", verdict: { type: "retry", afterMs: 5_000 } },
    });
    const dead = new DeliveryError({ type: "reconnect" }, "revoked");
    const verdict = uploadFiles(sides({ messenger: dead }), content, signal);
    await expect(verdict).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it.each([
    ["its bytes break off", new Error("other side closed"), true],
    ["its bytes are too few", new DeliveryError({ type: "retry" }, "too few bytes"), true],
    ["the gateway hangs up", undefined, false],
  ])("is the gateway's fault only if it is: %s", async (_, broken, fromOtherSide) => {
    const parts = sides({});
    const gone = new DeliveryError({ type: "retry" }, "gateway: source (the file could not be read)");
    parts.session.files = {
      open: async (ref) => ({ ...fileOf(ref), body: broken ? failing(broken) : fileOf(ref).body }),
    };
    parts.gateway.uploadFile = async ({ body }) => {
      await new Response(body).arrayBuffer().catch(() => {});
      throw gone;
    };
    await expect(uploadFiles(parts, content, signal)).rejects.toMatchObject({
      verdict: { type: "retry" },
      fromOtherSide,
    });
  });
});

const failing = (error: unknown) =>
  new ReadableStream<Uint8Array>({
    pull(controller) {
      controller.error(error);
    },
  });

it.each([
  ["before", true],
  ["meanwhile", false],
])("a messenger that heeds no signal does not keep the server from stopping: %s", async (_, before) => {
  const stop = new AbortController();
  const parts = sides({});
  parts.session.files = { open: () => new Promise(() => {}) };
  if (before) stop.abort();
  const upload = uploadFiles(parts, content, stop.signal);
  stop.abort();
  await expect(upload).rejects.toMatchObject({ verdict: { type: "retry" } });
});

describe("late files", () => {
  const away = Object.assign(new DeliveryError({ type: "retry" }, "no answer"), { fromOtherSide: true });
  const parts = ["a", "b"].map((ref) => ({ file: { at: "messenger" as const, ref }, name: `${ref}.jpg` }));
  const late = (fails: Parameters<typeof sides>[0], of = parts) =>
    uploadLate(sides(fails), { type: "file", files: of }, "", signal);

  it("come beside one that the gateway refuses", async () => {
    expect(await late({ gateway: refusal })).toMatchObject({ files: ["at-gateway-a.jpg"], late: [] });
  });

  it("keep their day beside one that went without, and one that is refused now", async () => {
    const both = { ...sides({ messenger: refusal }), leftOut: [0] };
    const upload = uploadLate(both, { type: "file", files: parts }, "", signal);
    await expect(upload).rejects.toMatchObject({ verdict: { type: "retry" } });
  });

  it.each([[["a", "b"]], [["b", "a"]]])("keep their day beside one that is refused: %j", async (refs) => {
    const both = sides({});
    both.session.files = { open: async (ref) => Promise.reject(ref === "a" ? away : refusal) };
    const of = refs.map((ref) => ({ file: { at: "messenger" as const, ref }, name: ref }));
    await expect(uploadLate(both, { type: "file", files: of }, "", signal)).rejects.toMatchObject({
      verdict: { type: "retry" },
    });
  });
});
