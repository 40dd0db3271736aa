import { toMicroseconds } from "gangway-messenger/kit/emulator/clock";
import { nullable } from "../gateway/wire.ts";
import { channelRecord } from "../transport/channels.ts";
import type { Bot, Customer, SandboxChannel, User, World } from "../world.ts";

export const botRecord = (world: World, bot: Bot, self: number) => ({
  id: bot.id,
  name: bot.name,
  ...(bot.avatarUrl && { avatar_url: bot.avatarUrl }),
  client_id: world.modules.get(bot.moduleCode)?.registration.clientId ?? "",
  is_active: bot.active,
  is_self: bot.id === self,
  is_system: false,
  roles: bot.roles,
  created_at: toMicroseconds(bot.createdAt),
  updated_at: nullable(bot.updatedAt),
  deactivated_at: nullable(bot.deactivatedAt),
});

export function transportChannel(channel: SandboxChannel) {
  const { external_id: _, ...record } = channelRecord(channel);
  return record;
}

const given = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value));

export const customerRecord = (customer: Customer) => ({
  id: customer.id,
  channel_id: customer.channelId,
  external_id: customer.externalId,
  username: customer.nickname,
  ...given({
    first_name: customer.firstName,
    last_name: customer.lastName,
    avatar_url: customer.avatar,
    phone: customer.phone,
    email: customer.email,
    country: customer.country,
    language: customer.language,
    profile_url: customer.profileUrl,
  }),
  is_blocked: customer.blocked,
  utm: customer.utm,
  created_at: toMicroseconds(customer.createdAt),
  updated_at: nullable(customer.updatedAt),
  revoked_at: null,
});

export const userRecord = (user: User) => ({
  id: user.id,
  external_id: user.externalId,
  username: user.username,
  first_name: user.firstName,
  last_name: user.lastName,
  available: user.available,
  connected: user.connected,
  is_active: user.active,
  is_online: user.online,
  is_technical_account: user.technical,
  created_at: toMicroseconds(user.createdAt),
  updated_at: nullable(user.updatedAt),
  revoked_at: nullable(user.revokedAt),
});
