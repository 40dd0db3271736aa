import { type Reply, send } from "gangway-messenger/kit/emulator/corrupted-request";
import type { Fault } from "gangway-messenger/kit/emulator/faults";

export interface Result {
  /** 0: no answer. */
  status: number;
  answer: string;
}
const TIMEOUT_MS = 10_000;

/** The address of a path that a module gave beside its base address. */
export const addressOf = (baseUrl: string, path: string): string =>
  `${baseUrl.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;

export async function post(
  url: string,
  fields: Record<string, string>,
  { fault, ms = TIMEOUT_MS }: { fault?: Fault; ms?: number } = {},
): Promise<Result> {
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const body = new URLSearchParams(fields).toString();
  try {
    const { status, answer }: Reply = await send({ url, headers, body, signal: AbortSignal.timeout(ms) }, fault);
    return { status, answer };
  } catch (error) {
    return { status: 0, answer: `(no answer: ${error instanceof Error ? error.name : "?"})` };
  }
}
