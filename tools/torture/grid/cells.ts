import { FAULT_STATUSES, type Fault } from "gangway-sandbox";
import { allRows } from "../pairwise.ts";
import { LEGS, type Leg } from "./legs.ts";

export interface Cell {
  leg: string;
  /** `429+` has a Retry-After; `none` means no answer. */
  status: string;
  body: string;
  when: "before" | "after";
  span: "one" | "burst" | "outage";
}

const NO_ANSWER = "none";
const STATUSES = [...FAULT_STATUSES.map(String), "429+", NO_ANSWER];
/** Bodies of the sandbox's faults, and two without an answer. */
const BODIES = [
  ...["contract", "json", "html", "empty", "half", "large", "garbage", "drip", "redirect"],
  ...["cut", "hang"],
];
const SILENT = ["cut", "hang"];
/** Bodies worth combining with a redirect. */
const WITH_REDIRECT = ["redirect", "html", "empty", "contract"];
/** Bodies for the sandbox's own requests. */
const SPOILT = ["half", "empty", "json", "html", "garbage", "large", "drip"];

const BURST = 3;
/** Until the trial ends the fault. */
const ENDLESS = 1_000_000;
const WAIT_S = 1;

export const nameOf = ({ leg, status, body, when, span }: Cell): string => [leg, status, body, when, span].join(" ");

export const legOf = (cell: Cell): Leg => {
  const leg = LEGS.find(({ name }) => name === cell.leg);
  if (!leg) throw new Error(`unknown leg: ${cell.leg}`);
  return leg;
};

export const ALL_CELLS: Cell[] = allRows<Cell>(
  {
    leg: LEGS.map(({ name }) => name),
    status: STATUSES,
    body: BODIES,
    when: ["before", "after"],
    span: ["one", "burst", "outage"],
  },
  isPlayable,
);

function isPlayable(cell: Cell): boolean {
  const { status, body, when, span } = cell;
  const silent = SILENT.includes(body);
  if (silent !== (status === NO_ANSWER)) return false;
  // A call's deadline is half a minute, a file's two minutes.
  if (body === "hang" && (span !== "one" || legOf(cell).files)) return false;
  if (legOf(cell).sends) return isSendable(cell);
  if (status === "204") return body === "empty";
  if (status.startsWith("3")) return WITH_REDIRECT.includes(body);
  return body !== "redirect" && !(body === "cut" && when === "before" && span === "outage");
}

/** The sandbox's own request can be dropped or spoilt, or lose its answer; it has no status. */
function isSendable({ status, body, when, span }: Cell): boolean {
  if (status === NO_ANSWER) return body === "cut" ? span !== "outage" : when === "before" && span === "one";
  return (
    status === "502" && ((body === "contract" && span !== "outage") || (SPOILT.includes(body) && when === "before"))
  );
}

/** The cell as a fault plan; `words` is the refusal's text. */
export function faultOf({ status, body, when, span, leg }: Cell, words: string): Fault & { times: number } {
  const extent = { times: { one: 1, burst: BURST, outage: ENDLESS }[span] };
  if (body === "cut") return { ...extent, drop: when };
  if (body === "hang") return { ...extent, hang: true, when };
  const sends = LEGS.find(({ name }) => name === leg)?.sends;
  if (sends && body !== "contract") return { ...extent, body: body as Fault["body"] };
  return {
    ...extent,
    when,
    status: Number.parseInt(status, 10),
    body: body as Fault["body"],
    description: words,
    ...(status === "429+" && { retryAfter: WAIT_S }),
  };
}
