import type { z } from "zod";
import type { App } from "../apps.ts";
import type { Core } from "../core.ts";
import type { GraphRefusal } from "../graph-error.ts";
import type { Token } from "../tokens.ts";
import type { SendBody } from "./send-shape.ts";
import type { MessagingSwitches } from "./switches.ts";
import type { Account, Chat, Message, World } from "./world.ts";

/** What a file is allowed to be. */
export interface FileRule {
  maxBytes: number;
  /** Absent: any type. */
  types?: readonly string[];
}

/** Fields of the subscription that carry each event; absent: the network has no such event. */
export interface EventFields {
  message: string;
  echo: string;
  edit: string;
  reaction: string;
  postback: string;
  referral: string;
  read: string;
  delivery?: string;
  handover: string;
  policy?: string;
}

/** Where Messenger and Instagram differ. */
export interface Network {
  /** For people. */
  title: string;
  object: "page" | "instagram";
  /** Type of the account's node in Graph's words. */
  nodeType: string;
  events: EventFields;
  knownFields: readonly string[];
  /** Permissions: any of them lets a call pass. */
  rights: { message: string[]; subscribe: string[]; humanAgent: string };
  shape: z.ZodType<SendBody>;
  files: Record<"image" | "video" | "audio" | "file", FileRule>;
  /** Beyond the shape's limits. */
  fault(body: SendBody): GraphRefusal | undefined;
  windowClosed(): GraphRefusal;
  unknownRecipient(): GraphRefusal;
  newMid(random: () => number): string;
  newScopedId(random: () => number): string;
  /** Of an echo's `message`; `app` absent: the staff's. */
  echo(message: Message, app: App | undefined): { app_id?: string; metadata?: string };
  /** What a read event names: the last message read, or its time. */
  readsName: "mid" | "watermark";
  accountView(account: Account, token: Token, platform: Platform): Record<string, unknown>;
  profileView(chat: Chat, platform: Platform): Record<string, unknown>;
}

/** A network's emulator without its site. */
export interface Platform {
  core: Core;
  network: Network;
  world: World;
  values(): MessagingSwitches;
}
