import { foreignAnswer } from "gangway-messenger/answers";
import { type Call, withBufferedBody } from "gangway-messenger/call";
import { DeliveryError } from "gangway-messenger/errors";
import { fetchedFile } from "gangway-messenger/files";
import type { OpenFile } from "gangway-messenger/message";
import { type GraphOptions, refusalIn } from "./graph.ts";
import { GraphError, refusalError } from "./verdict.ts";

const FILE_MS = 120_000;
/** In the Graph API's own shape these codes mean that the file is gone. A bare page may be a proxy's. */
const GONE = [404, 410];

interface Opening extends Pick<GraphOptions, "call" | "clock" | "network" | "secrets" | "table"> {
  /** Headers for the file's host; absent for a public address. */
  headers?: Record<string, string>;
  /** Largest file, bytes. */
  maxBytes: number;
}

/** Streams a customer's file from the address that Meta has given. Throws DeliveryError, without the address. */
export async function openMedia(
  opening: Opening,
  url: string,
  known: Pick<OpenFile, "name" | "size">,
  signal: AbortSignal,
): Promise<OpenFile> {
  const { call, network, headers, maxBytes } = opening;
  const answer = await call({ method: "GET", url, headers, timeoutMs: FILE_MS, maxBytes, stream: true, signal });
  if (answer.type === "failure" && answer.reason === "too-large") throw refused("the file is too large");
  if (answer.type === "failure" && answer.reason === "blocked") throw refused(`${network} gave no usable address`);
  if (answer.type === "failure") throw new DeliveryError({ type: "retry" }, `${network}: ${answer.reason} (a file)`);
  if (answer.status !== 200 || !answer.stream) throw await refusalOf(opening, answer);
  const file = await fetchedFile({ ...answer, stream: answer.stream }, known);
  if (!file) throw foreignAnswer(network, 200, "a file", true);
  return file;
}

async function refusalOf(opening: Opening, answer: Extract<Awaited<ReturnType<Call>>, { type: "answer" }>) {
  const { network } = opening;
  const whole = await withBufferedBody(answer);
  const refusal = refusalIn(opening, whole);
  if (!refusal) return foreignAnswer(network, answer.status, "a file", true);
  if (GONE.includes(answer.status)) return refused(`${network} no longer has the file`);
  const error = refusalError(opening, refusal, "a file", true);
  // One file does not prove a token dead.
  return error.verdict.type === "reconnect" ? new GraphError(refusal, { type: "retry" }, error.message) : error;
}

const refused = (message: string) => new DeliveryError({ type: "reject", code: "general" }, message);
