import type { HostedContext } from "../hosted.ts";
import type { Uploads } from "./uploads.ts";
import type { Visitors } from "./visitor.ts";
import type { VisitorStreams } from "./visitor-streams.ts";
import type { Settings } from "./wire.ts";

/** A widget's request, and what it takes to answer it. */
export interface Ask {
  context: HostedContext<Settings>;
  known: Visitors;
  limits: Limits;
  request: Request;
  address: string;
}
/** How fast may be asked, and how much brought. */
interface Limits {
  byVisitor(visitor: string): number;
  byAddress(address: string): number;
  uploads: Uploads;
  streams: VisitorStreams;
}
/** `visitor` is proven by the token. */
export type VisitorAsk = Ask & { visitor: string };
