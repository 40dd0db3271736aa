import { z } from "zod";
import type { Asked, Operation } from "../graph.ts";
import { refusal } from "../graph-error.ts";
import { announce, BUSINESS_SUITE, digits, fromCustomer } from "./events.ts";
import type { Platform } from "./network.ts";
import { messagingAccount, readBody } from "./reading.ts";
import { recipientOf } from "./recipient.ts";
import type { Chat } from "./world.ts";

const request = z.strictObject({
  recipient: z.strictObject({ id: z.union([z.string().min(1), z.int().transform(String)]) }),
  target_app_id: z.union([z.string(), z.int()]).transform(String).optional(),
  metadata: z.string().max(1000).optional(),
});

/** Which app writes in a thread: the handover protocol. */
export function threadOperations(platform: Platform): Operation[] {
  const operation = (id: string, path: string, run: (asked: Asked) => Promise<object>): Operation => ({
    id,
    method: "POST",
    path: `/:accountId/${path}`,
    run,
  });
  const opened = (asked: Asked) => {
    const { account, token } = messagingAccount(platform, asked);
    const body = readBody(request, asked);
    return { chat: recipientOf(platform, account, body.recipient), app: token.app, ...body };
  };
  const needOwner = ({ owner }: Chat, app: string) => {
    if (owner !== undefined && owner !== app)
      throw refusal(10, "The app is not the thread owner.", { error_subcode: 2018301 });
  };
  return [
    operation("passThread", "pass_thread_control", async (asked) => {
      const { chat, app, target_app_id: target, metadata } = opened(asked);
      if (target === undefined) throw refusal(100, "The parameter target_app_id is required.");
      needOwner(chat, app);
      await passThread(platform, chat, { from: app, to: target, metadata });
      return { success: true };
    }),
    operation("takeThread", "take_thread_control", async (asked) => {
      const { chat, app, metadata } = opened(asked);
      await takeThread(platform, chat, { to: app, metadata });
      return { success: true };
    }),
    operation("releaseThread", "release_thread_control", async (asked) => {
      const { chat, app } = opened(asked);
      needOwner(chat, app);
      chat.owner = undefined;
      return { success: true };
    }),
  ];
}

export interface Handover {
  from?: string;
  to: string;
  metadata?: string;
}

export async function passThread(platform: Platform, chat: Chat, { from, to, metadata }: Handover): Promise<void> {
  chat.owner = undefined;
  const pass_thread_control = {
    previous_owner_app_id: from === undefined ? null : digits(platform, from),
    new_owner_app_id: digits(platform, to),
    metadata: metadata ?? null,
  };
  await handed(platform, chat, { pass_thread_control });
  chat.owner = to;
}

export async function takeThread(platform: Platform, chat: Chat, { to, metadata }: Handover): Promise<void> {
  const previous = chat.owner ?? BUSINESS_SUITE;
  chat.owner = undefined;
  const take_thread_control = {
    previous_owner_app_id: digits(platform, previous),
    new_owner_app_id: digits(platform, to),
    metadata: metadata ?? null,
  };
  await handed(platform, chat, { take_thread_control });
  chat.owner = to;
}

/** The app that does not control the thread asks for it. */
export async function requestThread(platform: Platform, chat: Chat, { to, metadata }: Handover): Promise<void> {
  const request_thread_control = { requested_owner_app_id: digits(platform, to), metadata: metadata ?? null };
  await handed(platform, chat, { request_thread_control });
}

const handed = (platform: Platform, chat: Chat, content: object) =>
  announce(platform, chat, platform.network.events.handover, fromCustomer(platform, chat, content));
