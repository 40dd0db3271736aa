import { toMicroseconds, toSeconds } from "gangway-messenger/kit/emulator/clock";
import type { Hono } from "hono";
import { bodyOf, type Env, lastInPath } from "../exchange.ts";
import type { Gateway } from "../gateway/gateway.ts";
import { nullable, speakerRef } from "../gateway/wire.ts";
import { matching, page } from "../lists.ts";
import { Refusal } from "../refusal.ts";
import type { Command } from "../world.ts";
import { callingBot } from "./speaker.ts";

const NAME = /^[^\s/]{1,32}$/;

export function ownRoutes(site: Hono<Env>, gateway: Gateway): void {
  commandRoutes(site, gateway);
  infoRoute(site, gateway);
}

function commandRoutes(site: Hono<Env>, { world, clock }: Gateway): void {
  site.get("/my/commands", (c) => {
    const list = page(
      c,
      callingBot(world, c).commands.values(),
      matching(c, { name: (command: Command) => command.name }),
    );
    return c.json(
      list.map(({ id, name, description, createdAt, updatedAt }) => ({
        id,
        name,
        description,
        created_at: toMicroseconds(createdAt),
        updated_at: nullable(updatedAt),
      })),
    );
  });
  site.put("/my/commands/:name", (c) => {
    const { commands } = callingBot(world, c);
    const name = lastInPath(c);
    const body = bodyOf<{ name?: string; description?: string }>(c);
    const renamed = body.name || name;
    const known = commands.get(name);
    if (![name, renamed].every((each) => NAME.test(each)))
      throw new Refusal(400, "Command name is not valid", "a command's name has 1 to 32 characters without spaces");
    if (renamed !== name && commands.has(renamed))
      throw new Refusal(400, "Command with this name already exists", "command names are unique");
    const description = body.description || known?.description;
    if (!description) throw new Refusal(400, "Description is required", "a new command has a description");
    const at = clock.now();
    const command: Command = known
      ? Object.assign(known, { name: renamed, description, updatedAt: at })
      : { id: world.nextId(), name: renamed, description, createdAt: at, updatedAt: null };
    commands.delete(name);
    commands.set(renamed, command);
    return c.json({
      id: command.id,
      name: renamed,
      description,
      created_at: toSeconds(command.createdAt),
      ...(command.updatedAt !== null && { updated_at: toSeconds(command.updatedAt) }),
    });
  });
  site.delete("/my/commands/:name", (c) => {
    if (!callingBot(world, c).commands.delete(lastInPath(c)))
      throw new Refusal(404, "Command not found", "the command exists");
    return c.json({});
  });
}

function infoRoute(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  site.patch("/my/info", (c) => {
    const bot = callingBot(world, c);
    const body = bodyOf<{ name?: string; avatar_url?: string | null; roles?: string[] }>(c);
    Object.assign(bot, {
      name: body.name || bot.name,
      avatarUrl: body.avatar_url === undefined ? bot.avatarUrl : (body.avatar_url ?? ""),
      roles: body.roles ?? bot.roles,
      updatedAt: clock.now(),
    });
    gateway.events.emit("bot_updated", () => speakerRef(gateway, { type: "bot", id: bot.id }));
    return c.json({});
  });
}
