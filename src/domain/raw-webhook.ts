/** A POST that brought something new: what is needed to read it once more. */
export interface RawWebhook {
  /** Behind the messenger's door, with its query; empty for the gateway's webhook. */
  path: string;
  /** The few that a session reads; what proves the messenger itself is not among them. */
  headers: Record<string, string>;
  body: string;
}
