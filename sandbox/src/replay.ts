import { parse } from "./exchange.ts";
import { contractJudge } from "./judge.ts";
import { withoutNulls } from "./normalize.ts";
import type { TraceLine } from "./record.ts";

export interface ReplayOptions {
  /** The trace's lines, without its head. */
  lines: string[];
  webhookUrl: string;
  clientId: string;
  print(line: string): void;
}
const TIMEOUT_MS = 30_000;

/** Resends a trace's webhooks in order; resolves with the number of answers that differ. */
export async function replay({ lines, webhookUrl, clientId, print }: ReplayOptions): Promise<number> {
  const judge = contractJudge();
  let wrong = 0;
  for (const line of lines.map((text) => JSON.parse(text || "{}") as TraceLine)) {
    if (line.side !== "webhook" || line.status === 0) continue;
    const { type } = line.request as { type: string };
    const operation = judge.operation("webhook", "POST", type);
    const response = await post(webhookUrl, clientId, line.request);
    if (!response) {
      wrong += 1;
      print(`${type.padEnd(16)} -    no answer`);
      continue;
    }
    const text = await response.text();
    const faults = operation
      ? judge.answer(operation, response.status, withoutNulls(parse(text || "{}")))
      : ["the contract has no such webhook"];
    if (response.status !== line.status) faults.push(`the recorded status was ${line.status}`);
    if (faults.length > 0) wrong += 1;
    print(`${type.padEnd(16)} ${response.status}  ${faults.join("; ") || "as recorded"}`);
  }
  return wrong;
}

function post(url: string, clientId: string, hook: unknown): Promise<Response | undefined> {
  return fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/json", clientid: clientId },
    body: JSON.stringify(hook),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
}
