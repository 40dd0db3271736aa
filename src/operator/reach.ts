import type { Call, CallResult } from "gangway-messenger/call";
import { eachOf } from "gangway-messenger/concurrency";
import type { CommandContext } from "./command.ts";
import type { Finding } from "./remedies.ts";

// Reachability of this server and of other hosts, and the clock difference to them.

/** Timeout per host, ms. */
const ANSWER_MS = 5_000;
const AT_ONCE = 8;
/** Clock difference to warn about, and to fail on, ms. */
const [OFF_MS, FAR_OFF_MS] = [30_000, 300_000];

interface Host {
  about: string;
  origin: string;
}

const ask = (call: Call, url: string) =>
  call({ method: "GET", url, timeoutMs: ANSWER_MS, maxBytes: 256 * 1024 }).catch(
    (): CallResult => ({ type: "failure", sent: "no", reason: "refused", detail: new URL(url).host }),
  );

export async function askOwn(call: Call, publicUrl: string): Promise<Finding> {
  const about = `PUBLIC_URL ${publicUrl}`;
  const answer = await ask(call, `${publicUrl}/health/live`);
  if (answer.type === "answer" && answer.status === 200)
    return { state: "ok", about, seen: "the server answers there" };
  const seen = answer.type === "answer" ? `answers ${answer.status}` : answer.detail;
  // Inside a private network the public name may resolve to a private address, which calls never reach.
  if (answer.type === "failure" && answer.reason === "blocked")
    return { state: "warn", about, seen, todo: "this machine cannot check it: open it from outside" };
  return {
    state: "fail",
    about,
    seen,
    todo: "check the TLS proxy and the DNS entry: CRM and messengers call this address",
  };
}

/** Asks each host once; the clock finding comes first. One host down is a warning, all hosts down a failure of ours. */
export async function askAll(
  { call, clock }: Pick<CommandContext, "call" | "clock">,
  hosts: Host[],
): Promise<Finding[]> {
  const distinct = [...new Map(hosts.map((host) => [host.origin, host])).values()];
  const findings: Finding[] = [];
  const offsets: number[] = [];
  await eachOf(distinct, AT_ONCE, async ({ about, origin }) => {
    const answer = await ask(call, `${origin}/`);
    const date = answer.type === "answer" ? Date.parse(answer.headers.date ?? "") : Number.NaN;
    if (!Number.isNaN(date)) offsets.push(clock.now() - date);
    findings.push(reached(`${about} ${origin}`, answer));
  });
  const anyAnswers = findings.some(({ state }) => state === "ok");
  const judged = findings.map((finding) =>
    finding.state === "fail" && anyAnswers ? { ...finding, state: "warn" as const } : finding,
  );
  return [...clockFinding(offsets), ...judged];
}

function reached(about: string, answer: CallResult): Finding {
  if (answer.type === "answer" && answer.status < 500) return { state: "ok", about, seen: "answers" };
  // A page that is too long still proves that the host answers.
  if (answer.type === "failure" && answer.reason === "too-large") return { state: "ok", about, seen: "answers" };
  const seen = answer.type === "answer" ? `answers ${answer.status}` : answer.detail;
  return {
    state: "fail",
    about,
    seen,
    todo: "check this machine's DNS and firewall; messages wait until the host answers",
  };
}

function clockFinding(offsets: number[]): Finding[] {
  const median = [...offsets].sort((a, b) => a - b)[Math.floor(offsets.length / 2)];
  if (median === undefined) return [];
  const seconds = Math.round(Math.abs(median) / 1000);
  const seen = `${seconds} s ${median < 0 ? "behind" : "ahead of"} the hosts that answered`;
  if (Math.abs(median) < OFF_MS) return [{ state: "ok", about: "clock", seen }];
  const state = Math.abs(median) < FAR_OFF_MS ? "warn" : "fail";
  return [{ state, about: "clock", seen, todo: "synchronize this machine's clock with NTP" }];
}
