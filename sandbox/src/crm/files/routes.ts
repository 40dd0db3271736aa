import { randomUUID } from "node:crypto";
import { sniff } from "gangway-messenger/kit/emulator/sniff";
import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../../exchange.ts";
import { fileInForm } from "../../gateway/form-file.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import { Refusal } from "../../refusal.ts";
import type { SandboxFile } from "../../world.ts";
import { listed } from "../listing.ts";
import type { Entry } from "../records.ts";
import { writingOf } from "../resource/routes.ts";
import { crmTime } from "../times.ts";
import { BLANK, demand } from "../writing.ts";
import { attachedTo, attachmentOf } from "./attachment.ts";
import { fileFilters } from "./filters.ts";

/** A file as the API shows it, but for `kept`, which is the id of its bytes in `world.files`. */
interface CrmFile extends Entry {
  id: number;
  filename: string;
  kept: string;
}

/** Files of customers and orders. */
export function fileRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world } = gateway;
  const { files } = world.tables;
  const root = "/api/v5/files";
  const shown = ({ kept, ...file }: Entry): Entry => ({ ...file, attachment: attachedTo(world, file) });
  const fileIn = (c: Context<Env>): CrmFile => {
    const file = files.rows.get(Number(c.req.param("id")));
    if (!file) throw new Refusal(404, "Not Found", "the file exists");
    return file as CrmFile;
  };
  site.get(root, (c) => listed(c, { name: "files", entries: files, supported: fileFilters(world), shown }));
  site.post(`${root}/upload`, async (c) => {
    // Recorded, with this status.
    if (world.unpaid) throw new Refusal(400, "Your account doesn't have enough money to upload files.", "paid account");
    const file = uploaded(gateway, await bytesOf(c));
    return c.json({ success: true, file: { id: file.id } });
  });
  site.get(`${root}/:id`, (c) => c.json({ success: true, file: shown(fileIn(c)) }));
  site.get(`${root}/:id/download`, (c) => {
    const { filename, kept } = fileIn(c);
    return download(filename, world.files.get(kept));
  });
  site.post(`${root}/:id/edit`, (c) => {
    const before = fileIn(c);
    const { filename = before.filename, attachment } = bodyOf<{ file: Entry }>(c).file;
    demand("file", { filename }, { filename: BLANK });
    const bound =
      attachment === undefined ? {} : { attachment: attachmentOf(writingOf(c, gateway), attachment as Entry[]) };
    files.put({ ...before, filename, ...bound });
    return c.json({ success: true, file: { id: before.id } });
  });
  site.post(`${root}/:id/delete`, (c) => {
    const { id, kept } = fileIn(c);
    files.remove(id);
    world.files.delete(kept);
    return c.json({ success: true });
  });
}

/** The raw body, whatever its type, or a form's file. Throws a Refusal. */
async function bytesOf(c: Context<Env>): Promise<Uint8Array> {
  const type = c.req.header("content-type") ?? "";
  const body = Buffer.from(await c.req.raw.arrayBuffer());
  const bytes = /^multipart\/form-data/i.test(type) ? fileInForm(body, type)?.bytes : body;
  if (!bytes?.byteLength) throw new Refusal(400, "(body) is missing", "a file has bytes");
  return bytes;
}

function uploaded({ world, clock }: Gateway, bytes: Uint8Array): Entry {
  const [createdAt, type] = [crmTime(clock.now()), sniff(bytes)];
  const [, year, month, day, time] = /^(\d+)-(\d+)-(\d+) (.+)$/.exec(createdAt) ?? [];
  const kept = randomUUID();
  const filename = `API upload ${day}-${month}-${year} ${time}`;
  world.files.set(kept, { id: kept, name: filename, mediaType: type, bytes });
  const file = { id: world.nextId(), filename, type, createdAt, size: bytes.byteLength, attachment: [], kept };
  world.tables.files.put(file);
  return file;
}

function download(filename: string, file: SandboxFile | undefined): Response {
  const plain = filename.replaceAll(/[^\x20-\x7e]|["\\]/g, "_");
  const whole = plain === filename ? "" : `; filename*=UTF-8''${encodeURIComponent(filename)}`;
  return new Response(new Uint8Array(file?.bytes ?? []), {
    headers: {
      "content-type": "application/octet-stream",
      "content-disposition": `attachment; filename="${plain}"${whole}`,
      "x-content-type-options": "nosniff",
    },
  });
}
