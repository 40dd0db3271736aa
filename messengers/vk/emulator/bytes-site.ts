import type { HttpBindings } from "@hono/node-server";
import { answerWithFault } from "gangway-messenger/kit/emulator/faulty-answer";
import { readMultipart } from "gangway-messenger/kit/emulator/multipart";
import { pictureSize } from "gangway-messenger/kit/emulator/picture";
import { type Context, Hono } from "hono";
import type { Core } from "./core.ts";
import type { OTHERS } from "./faults.ts";
import { hashOf } from "./methods/uploads.ts";

type Env = { Bindings: Partial<HttpBindings> };

const MEGABYTE = 1024 * 1024;
const [PHOTO_BYTES, DOC_BYTES] = [50 * MEGABYTE, 200 * MEGABYTE];
/** Kinds of documents that VK does not take. */
const BANNED = /\.(exe|bat|com|msi|apk|mp3)$/i;
const VOICE = /^OggS/;
/** Letters of a file's start. */
const HEAD = 64;

/** Uploads, and the bytes of files. */
export function bytesSite(core: Core): Hono<Env> {
  const site = new Hono<Env>();
  const faulty = (c: Context<Env>, target: (typeof OTHERS)[number], run: () => Promise<Response> | Response) => {
    const { code: _, inside: __, operation: ___, ...fault } = core.faults.next(target) ?? { operation: "" };
    const cut = () => void c.env?.incoming?.socket.destroy();
    const refusal = () => JSON.stringify({ error: "unknown error" });
    return answerWithFault(fault, { carryOut: run, cut, gone: c.req.raw.signal, refusal });
  };
  site.post("/upload/photo", (c) => faulty(c, "photoUpload", () => uploaded(c, core, "photo")));
  site.post("/upload/doc", (c) => faulty(c, "docUpload", () => uploaded(c, core, "file")));
  site.get("/doc/:id/:hop", (c) => {
    const hop = Number(c.req.param("hop"));
    const stored = core.shelf.find(Number(c.req.param("id")));
    if (!stored) return c.text("Not Found", 404);
    const isLast = hop + 1 >= core.switches.values().docRedirects;
    const next = isLast ? `/file/${stored.id}/${encodeURIComponent(stored.name)}` : `/doc/${stored.id}/${hop + 1}`;
    return c.redirect(core.origin() + next, 302);
  });
  for (const path of ["/file/:id/:name", "/thumb/:id/:name"])
    site.get(path, (c) => faulty(c, "file", () => bytesOf(c, core)));
  return site;
}

function bytesOf(c: Context<Env>, core: Core): Response {
  const stored = core.shelf.find(Number(c.req.param("id")));
  if (!stored) return c.text("Not Found", 404);
  return c.body(Uint8Array.from(stored.bytes), 200, {
    ...{ "content-type": stored.mediaType, "content-length": String(stored.size) },
    ...{ "content-security-policy": "sandbox", "x-content-type-options": "nosniff" },
  });
}

async function uploaded(c: Context<Env>, core: Core, field: "photo" | "file"): Promise<Response> {
  const raw = Buffer.from(await c.req.arrayBuffer());
  const part = readMultipart(raw, c.req.header("content-type") ?? "").find(({ name }) => name === field);
  const answer = answerFor(core, c.req.query("ticket") ?? "", field, part);
  core.journal.add({
    ...{ at: core.clock.now(), kind: "call", operation: field === "photo" ? "photoUpload" : "docUpload" },
    ...{ method: "POST", path: c.req.path, query: {}, status: 200, answer },
    ...{ request: part ? { [field]: "<bytes>" } : {}, headers: { "content-type": "multipart/form-data" } },
  });
  return c.json(answer);
}

function answerFor(
  core: Core,
  address: string,
  field: "photo" | "file",
  part: ReturnType<typeof readMultipart>[number] | undefined,
): object {
  const ticket = core.shelf.redeem(address);
  if (!ticket || (ticket.kind === "photo") !== (field === "photo")) return { error: "bad upload address" };
  const { bytes, fileName = "file", mediaType } = part ?? { bytes: new Uint8Array(), mediaType: "" };
  const head = Buffer.from(bytes.subarray(0, HEAD)).toString("latin1");
  if (field === "photo") {
    // What is no picture gives an empty list.
    const isPicture = bytes.length > 0 && bytes.length <= PHOTO_BYTES && pictureSize(bytes) !== undefined;
    if (!isPicture) return { server: 1, photo: "[]", hash: "" };
  } else if (!part || bytes.length === 0 || bytes.length > DOC_BYTES) return { error: "no_file" };
  else if (ticket.kind === "audio_message" ? !VOICE.test(head) : BANNED.test(fileName)) return { error: "wrong_file" };
  const { id } = core.shelf.add({ bytes, name: fileName, mediaType });
  const upload = core.shelf.ticket({ ...ticket, file: id });
  return field === "photo" ? { server: 1, photo: upload, hash: hashOf(upload) } : { file: upload };
}
