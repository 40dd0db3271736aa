import type { Clock } from "gangway-messenger/kit/emulator/clock";
import type { Callbacks } from "../crm/callbacks/callbacks.ts";
import { Refusal } from "../refusal.ts";
import type { Unknowns } from "../unknowns.ts";
import type { Feature, Message, MessageRef, Module, SandboxChannel, Settings, World } from "../world.ts";
import type { Courier } from "./courier.ts";
import type { Events } from "./events.ts";

/** State and parts of the messaging gateway that both APIs share. */
export interface Gateway {
  world: World;
  clock: Clock;
  unknowns(): Unknowns;
  /** The sandbox's own origin. */
  origin(): string;
  events: Events;
  courier: Courier;
  callbacks: Callbacks;
}

/** `send`: module to gateway; `receive`: gateway to module. */
export type Way = "send" | "receive";

/** The channel settings' block for this message type. */
export const blockOf = (type: string): string => (type === "command" ? "text" : type);

export function announces(channel: SandboxChannel, type: string, feature: Feature, way: Way): boolean {
  const value = (channel.settings[blockOf(type)] as Partial<Record<Feature, string>> | undefined)?.[feature];
  return allows(value, way);
}

const BOTH = { creating: "both", editing: "both", quoting: "both", deleting: "both", reaction: "both" } as const;
const EVERYTHING: Settings = {
  ...{ text: BOTH, image: BOTH, file: BOTH, audio: BOTH, product: BOTH, order: BOTH },
  status: { delivered: "both", read: "both" },
};

/**
 * The channel as it restricts its own module. With `unannounced: accept`, almost nothing is restricted: no source says
 * that the gateway holds a module to its settings.
 */
export function bindingModule({ unknowns }: Gateway, channel: SandboxChannel): SandboxChannel {
  if (unknowns().unannounced === "refuse") return channel;
  return { ...channel, settings: { ...EVERYTHING, reactions: { max_count: channel.settings.reactions?.max_count } } };
}

/** What a module needs in the account: a transport module the gateway, a bot module chats. */
export function isPossible(world: World, { registration }: Module): boolean {
  const { mgTransport, mgBot } = registration.integrations;
  if (mgTransport) return world.gatewayOn;
  return !mgBot || world.chatsOn;
}

export const isWorking = (world: World, module: Module): boolean =>
  module.active && !module.freeze && isPossible(world, module);

/** Can messages leave through this channel? */
export function isOpen(world: World, channel: SandboxChannel): boolean {
  const module = world.modules.get(channel.moduleCode);
  return channel.active && module !== undefined && isWorking(world, module);
}

export function mustBeOpen(world: World, channel: SandboxChannel): void {
  if (!isOpen(world, channel)) throw new Refusal(400, "Channel is not active", "the channel and its module are active");
}

/** `any` is an older word for `both`. */
export const allows = (value: string | undefined, way: Way): boolean => ["both", "any", way].includes(value ?? "");

/** The module's own active channel. Throws Refusal. */
export function ownChannel(world: World, module: Module, id: number): SandboxChannel {
  const channel = world.channels.get(id);
  if (!channel || channel.moduleCode !== module.registration.code)
    throw new Refusal(400, "Channel not found", "the channel is the module's own");
  if (!channel.active) throw new Refusal(400, "Channel not found", "the channel is active");
  return channel;
}

/** Finds a public message; private notes and system messages do not exist for transport modules. */
export function mustFind(world: World, channel: SandboxChannel, ref: MessageRef | undefined): Message {
  const found = world.findMessage(channel.id, ref);
  if (found?.scope !== "public") throw new Refusal(400, "Message not found", "the message is known in the channel");
  return found;
}

export const channelOf = (world: World, { channelId }: { channelId: number }): SandboxChannel => {
  const channel = world.channels.get(channelId);
  if (!channel) throw new Refusal(404, "Channel not found", "the channel exists");
  return channel;
};
