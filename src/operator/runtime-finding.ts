import { endOfLife } from "../runtime.ts";
import type { Finding } from "./remedies.ts";

const about = "runtime";
const todo = "run the server on a Node.js with long-term support; the image of the next release has one";
/** Warn this long before the end of support, ms: time to plan an upgrade. */
const SOON_MS = 90 * 86_400_000;

/** Of the Node that runs this command: in the image it is the server's, too. */
export function runtimeFinding(version: string, now: number): Finding {
  const ends = endOfLife(version);
  if (ends === undefined)
    return { state: "ok", about, seen: `Node.js ${version}; the end of its support is not known here` };
  const day = new Date(ends).toISOString().slice(0, 10);
  if (ends <= now) return { state: "warn", about, seen: `Node.js ${version}, without support since ${day}`, todo };
  const seen = `Node.js ${version}, supported until ${day}`;
  return ends < now + SOON_MS ? { state: "warn", about, seen, todo } : { state: "ok", about, seen };
}
