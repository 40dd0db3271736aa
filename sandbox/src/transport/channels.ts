import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import type { Hono } from "hono";
import { bodyOf, type Env, moduleOf } from "../exchange.ts";
import { type Gateway, ownChannel } from "../gateway/gateway.ts";
import { botChannel, nullable } from "../gateway/wire.ts";
import { matching, page, several } from "../lists.ts";
import type { SandboxChannel, Settings } from "../world.ts";

interface ChannelBody {
  id?: number;
  type?: string;
  name?: string;
  avatar_url?: string;
  external_id?: string;
  settings?: Settings;
}

export function channelRoutes(site: Hono<Env>, gateway: Gateway): void {
  const { world, clock } = gateway;
  site.get("/channels", (c) => {
    const { code } = moduleOf(c).registration;
    const types = several(c, "types");
    const matches = matching(c, { active: (channel: SandboxChannel) => channel.active });
    const own = page(
      c,
      world.channels.values(),
      (channel) =>
        channel.moduleCode === code && matches(channel) && (types === undefined || types.includes(channel.type)),
    );
    return c.json(own.map(channelRecord));
  });
  site.post("/channels", (c) => {
    const { channel, isNew } = activate(gateway, moduleOf(c).registration.code, bodyOf<ChannelBody>(c));
    const answer = { id: channel.id, activated_at: toMicroseconds(channel.activatedAt) };
    return c.json(answer, isNew ? gateway.unknowns().channelStatus : 200);
  });
  site.put("/channels/:id", (c) => {
    const body = bodyOf<ChannelBody>(c);
    const channel = ownChannel(world, moduleOf(c), Number(c.req.param("id")));
    Object.assign(channel, fieldsOf(body, channel), { updatedAt: clock.now() });
    emitChannel(gateway, channel);
    return c.json({ id: channel.id, updated_at: toMicroseconds(clock.now()) });
  });
  site.delete("/channels/:id", (c) => {
    const channel = ownChannel(world, moduleOf(c), Number(c.req.param("id")));
    Object.assign(channel, { active: false, deactivatedAt: clock.now() });
    emitChannel(gateway, channel);
    return c.json({ id: channel.id, deactivated_at: toMicroseconds(clock.now()) });
  });
}

export const channelRecord = (channel: SandboxChannel) => ({
  id: channel.id,
  type: channel.type,
  name: channel.name,
  external_id: channel.externalId,
  settings: channel.settings,
  is_active: channel.active,
  created_at: toMicroseconds(channel.createdAt),
  activated_at: toMicroseconds(channel.activatedAt),
  updated_at: nullable(channel.updatedAt),
  deactivated_at: nullable(channel.deactivatedAt),
});

const fieldsOf = (body: ChannelBody, before: Partial<SandboxChannel>) => ({
  type: body.type ?? before.type ?? "custom",
  name: body.name ?? before.name ?? "",
  avatarUrl: body.avatar_url ?? before.avatarUrl ?? "",
  externalId: body.external_id || (before.externalId ?? null),
  settings: body.settings ?? before.settings ?? {},
});

/** Reactivates the module's channel by id or external id, or creates one. */
function activate(gateway: Gateway, moduleCode: string, body: ChannelBody) {
  const { world, clock } = gateway;
  const known = [...world.channels.values()].find(
    (channel) =>
      channel.moduleCode === moduleCode &&
      (channel.id === body.id || (body.external_id && channel.externalId === body.external_id)),
  );
  const at = clock.now();
  const id = known?.id ?? world.nextId();
  const channel: SandboxChannel = {
    id,
    moduleCode,
    ...fieldsOf(body, known ?? {}),
    active: true,
    createdAt: known?.createdAt ?? at,
    activatedAt: at,
    updatedAt: known ? at : null,
    deactivatedAt: null,
  };
  world.channels.set(id, channel);
  emitChannel(gateway, channel);
  return { channel, isNew: !known };
}

export function emitChannel(gateway: Gateway, channel: SandboxChannel): void {
  gateway.events.emit("channel_updated", () => ({ channel: botChannel(channel, gateway) }));
}
