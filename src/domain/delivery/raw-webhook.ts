/** An incoming POST with something new, kept so that it can be replayed. */
export interface RawWebhook {
  /** Path after the messenger's door, with the query; empty for the gateway's webhook. */
  path: string;
  /** Only the headers that a session reads; never those that authenticate the messenger. */
  headers: Record<string, string>;
  body: string;
}
