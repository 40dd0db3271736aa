import { randomInt } from "node:crypto";
import type { EmulatorOptions } from "gangway-messenger/kit/emulator";
import type { Clock } from "gangway-messenger/kit/emulator/clock";
import type { Journal } from "gangway-messenger/kit/emulator/journal";
import type { Webhook } from "./apps.ts";
import { HANDSHAKE, type MetaFaults } from "./faults.ts";
import { plainRefusal, refusal } from "./graph-error.ts";

interface HandshakeParts {
  clock: Pick<Clock, "now">;
  deliver: EmulatorOptions["deliver"];
  faults: MetaFaults;
  journal: Journal;
}

const ANSWER_WITHIN_MS = 10_000;
/** Longest answer worth reading, bytes. */
const MAX_ANSWER = 4_096;

/** Asks the address to echo a challenge. Throws GraphRefusal 2200 unless it does. */
export async function handshake(parts: HandshakeParts, { url, verifyToken }: Webhook): Promise<void> {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw refusal(100, "Invalid parameter");
  const challenge = String(randomInt(100_000_000, 2_000_000_000));
  const asked = new URL(url);
  asked.searchParams.set("hub.mode", "subscribe");
  asked.searchParams.set("hub.challenge", challenge);
  asked.searchParams.set("hub.verify_token", verifyToken);
  const { status, text } = await answerOf(parts, asked);
  parts.journal.add({
    at: parts.clock.now(),
    kind: "handshake",
    operation: "handshake",
    method: "GET",
    path: asked.pathname,
    query: { "hub.mode": "subscribe", "hub.challenge": challenge, "hub.verify_token": "***" },
    status,
    request: undefined,
    answer: text,
    headers: {},
  });
  if (status !== 200)
    throw failed(`HTTP Status Code = ${status || 408}; HTTP Message = ${status ? "Error" : "Request Timeout"}`);
  if (text !== challenge)
    throw failed(`The URL couldn't be validated. Response does not match challenge, expected value="${challenge}"`);
}

async function answerOf({ deliver, faults }: HandshakeParts, url: URL): Promise<{ status: number; text: string }> {
  const fault = faults.next(HANDSHAKE);
  if (fault) return { status: fault.status ?? 0, text: "" };
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), ANSWER_WITHIN_MS);
  try {
    const answer = await deliver(new Request(url, { redirect: "manual", signal: abort.signal }));
    return { status: answer.status, text: (await answer.text()).slice(0, MAX_ANSWER) };
  } catch {
    return { status: 0, text: "" };
  } finally {
    clearTimeout(timer);
  }
}

const failed = (why: string) =>
  plainRefusal(2200, `(#2200) Callback verification failed with the following errors: ${why}`);
