import type { Context, Hono } from "hono";
import { bodyOf, type Env } from "../exchange.ts";
import { botFile, fileUrl, storeFromUrl, storeUpload } from "../gateway/files.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxFile } from "../world.ts";

export function fileRoutes(site: Hono<Env>, { world, origin }: Gateway): void {
  const found = (c: Context<Env>): SandboxFile => {
    const file = world.files.get(c.req.param("id") ?? "");
    if (!file) throw new Refusal(404, "File not found", "the file exists");
    return file;
  };
  site.post("/files/upload", async (c) => c.json(botFile(await storeUpload(world, c))));
  site.post("/files/upload_by_url", async (c) =>
    c.json(botFile(await storeFromUrl(world, bodyOf<{ url: string }>(c).url))),
  );
  site.get("/files/:id", (c) => {
    const file = found(c);
    return c.json({ ...botFile(file), url: fileUrl(file, origin()) });
  });
  site.put("/files/:id/meta", (c) => {
    const { transcription, transcription_status: status = "ready" } = bodyOf<{
      transcription: string;
      transcription_status?: string;
    }>(c);
    const file = found(c);
    Object.assign(file, { transcription, transcriptionStatus: status });
    return c.json(botFile(file));
  });
}
