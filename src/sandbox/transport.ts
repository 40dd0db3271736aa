import { type Context, Hono } from "hono";
import { type Env, type ExchangeParts, exchange } from "./exchange.ts";
import { fileRecord, keepFromUrl, keepUpload } from "./files.ts";
import * as messages from "./messages.ts";
import { Refusal } from "./refusal.ts";
import type { Module, Settings, World } from "./world.ts";

export type TransportParts = Pick<ExchangeParts, "judge" | "calls" | "faults" | "now"> & {
  world: World;
  origin(): string;
};
export const TRANSPORT_PATH = "/api/transport/v1";
/** Requests in any sliding second, per token (spec). */
const PER_SECOND = 30;

const fail = (c: Context<Env>, status: 400 | 401 | 404 | 429, message: string) => c.json({ errors: [message] }, status);

/** The gateway's Transport API, as far as a web chat meets it. */
export function transportApi(parts: TransportParts): Hono<Env> {
  const { world, now } = parts;
  const site = new Hono<Env>().basePath(TRANSPORT_PATH);
  const arrivals = new Map<string, number[]>();
  const tooMany = (token: string) => {
    const recent = (arrivals.get(token) ?? []).filter((at) => at > now() - 1_000);
    arrivals.set(token, [...recent, now()]);
    return recent.length >= PER_SECOND;
  };
  const moduleOf = (c: Context<Env>): Module => {
    const found = [...world.modules.values()].find((module) => module.token === c.req.header("x-transport-token"));
    if (!found) throw new Refusal(401, "Unauthorized");
    return found;
  };

  site.use(
    exchange({
      ...parts,
      side: "gateway",
      path: (c) => c.req.path.slice(TRANSPORT_PATH.length),
      readBody,
      refuse: fail,
      admit: (c) => {
        const token = c.req.header("x-transport-token") ?? "";
        if (tooMany(token)) return fail(c, 429, "Too many requests");
        const known = [...world.modules.values()].some((module) => module.token === token);
        return known ? undefined : fail(c, 401, "Unauthorized");
      },
    }),
  );
  site.onError((error, c) => {
    if (error instanceof Refusal) return fail(c, error.status, error.message);
    throw error;
  });
  channelRoutes(site, parts, moduleOf);
  messageRoutes(site, parts, moduleOf);
  site.post("/files/upload", async (c) => c.json(fileRecord(await keepUpload(world, c), parts.origin())));
  site.post("/files/upload_by_url", async (c) => {
    const { url } = c.get("body") as { url: string };
    return c.json(fileRecord(await keepFromUrl(world, url), parts.origin()));
  });
  site.get("/files/:id", (c) => {
    const file = world.files.get(c.req.param("id"));
    return file ? c.json(fileRecord(file, parts.origin())) : fail(c, 404, "File not found");
  });
  return site;
}

async function readBody(c: Context<Env>): Promise<{ body: unknown; text: string }> {
  if (!c.req.header("content-type")?.includes("json"))
    return { body: c.req.method === "POST" ? "" : undefined, text: "(bytes)" };
  const text = await c.req.raw.clone().text();
  try {
    return { body: JSON.parse(text), text };
  } catch {
    return { body: undefined, text };
  }
}

type ModuleOf = (c: Context<Env>) => Module;

export function ownChannel(world: World, module: Module, id: number) {
  const channel = world.channels.get(id);
  if (!channel?.active || channel.moduleCode !== module.registration.code) throw new Refusal(400, "Channel not found");
  return channel;
}

interface ChannelBody {
  id?: number;
  type?: string;
  name?: string;
  external_id?: string;
  settings?: Settings;
}

function channelRoutes(site: Hono<Env>, { world, now }: TransportParts, moduleOf: ModuleOf): void {
  const time = () => new Date(now()).toISOString();
  site.get("/channels", (c) => {
    const module = moduleOf(c);
    const own = [...world.channels.values()].filter((channel) => channel.moduleCode === module.registration.code);
    return c.json(
      own.map((channel) => ({
        id: channel.id,
        type: channel.type,
        name: channel.name,
        external_id: channel.externalId,
        settings: channel.settings,
        is_active: channel.active,
        created_at: channel.createdAt,
        activated_at: channel.activatedAt,
        updated_at: channel.updatedAt,
        deactivated_at: channel.deactivatedAt,
      })),
    );
  });
  site.post("/channels", (c) => {
    const body = c.get("body") as ChannelBody;
    const { code } = moduleOf(c).registration;
    const known = [...world.channels.values()].find(
      (channel) =>
        channel.moduleCode === code &&
        (channel.id === body.id || (body.external_id && channel.externalId === body.external_id)),
    );
    const id = known?.id ?? world.nextId();
    const activatedAt = time();
    world.channels.set(id, {
      id,
      moduleCode: code,
      type: body.type ?? "custom",
      name: body.name ?? "",
      externalId: body.external_id ?? null,
      settings: body.settings ?? {},
      active: true,
      createdAt: known?.createdAt ?? activatedAt,
      activatedAt,
      updatedAt: null,
      deactivatedAt: null,
    });
    world.version += 1;
    return c.json({ id, activated_at: activatedAt }, known ? 200 : 201);
  });
  site.put("/channels/:id", (c) => {
    const body = c.get("body") as ChannelBody;
    const channel = ownChannel(world, moduleOf(c), Number(c.req.param("id")));
    Object.assign(channel, {
      name: body.name ?? channel.name,
      settings: body.settings ?? channel.settings,
      updatedAt: time(),
    });
    world.version += 1;
    return c.json({ id: channel.id, updated_at: channel.updatedAt });
  });
  site.delete("/channels/:id", (c) => {
    const channel = ownChannel(world, moduleOf(c), Number(c.req.param("id")));
    Object.assign(channel, { active: false, deactivatedAt: time() });
    world.version += 1;
    return c.json({ id: channel.id, deactivated_at: channel.deactivatedAt });
  });
}

function messageRoutes(site: Hono<Env>, parts: TransportParts, moduleOf: ModuleOf): void {
  const { world, now } = parts;
  const at = (c: Context<Env>, name: "channel" | "channel_id" = "channel") => {
    const body = c.get("body") as Record<string, number>;
    return ownChannel(world, moduleOf(c), body[name] ?? 0);
  };
  const body = <T>(c: Context<Env>) => c.get("body") as T;
  site.post("/messages", (c) => {
    const message = messages.post(world, at(c), body(c), now());
    return c.json({ message_id: message.id, time: message.time });
  });
  site.put("/messages", (c) => {
    messages.edit(world, at(c), body<{ message: messages.EditBody }>(c).message);
    return c.json({});
  });
  site.delete("/messages", (c) =>
    c.json(messages.toWire(messages.remove(world, at(c), body<messages.RefBody>(c).message), world)),
  );
  site.post("/messages/ack", (c) => {
    messages.ack(world, at(c), body(c));
    return c.json({});
  });
  site.post("/messages/read", (c) => {
    messages.markSeen(world, at(c, "channel_id"), body<messages.RefBody>(c).message);
    return c.json({});
  });
  for (const method of ["POST", "DELETE"] as const)
    site.on(method, "/messages/reaction", (c) => {
      const { message, reaction } = body<messages.RefBody & { reaction?: string }>(c);
      messages.react(world, at(c), message, method === "POST" ? reaction : undefined);
      return c.json({});
    });
}
