import type { HostedContext } from "gangway-messenger/hosted";
import type { Uploads } from "./uploads.ts";
import type { Visitors } from "./visitor.ts";
import type { VisitorStreams } from "./visitor-streams.ts";
import type { Settings } from "./wire.ts";

/** A request of the widget, with what is needed to answer it. */
export interface WidgetRequest {
  context: HostedContext<Settings>;
  visitors: Visitors;
  limits: Limits;
  request: Request;
  address: string;
}
interface Limits {
  /** Takes from a rate limit: seconds to wait, 0 if none. */
  byVisitor(visitor: string): number;
  byAddress(address: string): number;
  /** The same for erasure requests. */
  erasures(address: string): number;
  uploads: Uploads;
  streams: VisitorStreams;
}
/** The token has proven `visitor`. */
export type VisitorRequest = WidgetRequest & { visitor: string; token: string };
