import { entriesOf } from "./history.ts";
import { Busy, Closed, type Draft, Refused } from "./protocol.ts";
import { heed, type Parts, type Talk, take } from "./talk.ts";

/** One after the other in the order they were written, each until the server has answered. */
export async function postDrafts(parts: Parts, talk: Talk): Promise<void> {
  if (talk.posting) return;
  talk.posting = true;
  const next = () => talk.drafts.all().find((draft) => !draft.refused);
  for (let draft = next(); draft && talk.opened && !talk.closed && !talk.left; draft = next()) {
    const error = await postDraft(parts, talk, talk.opened.visitor, draft).catch((reason: unknown) => reason);
    talk.stuck = whyStuck(error);
    heed(talk, error);
    if (!error) talk.postPause.reset();
    else if (error instanceof Refused && error.status !== 401) talk.drafts.put({ ...draft, refused: error.message });
    parts.changed();
    if (talk.stuck) await talk.postPause.wait(error instanceof Busy ? error.afterMs : 0);
  }
  talk.stuck = undefined;
  talk.posting = false;
  parts.changed();
}

/** Undefined when the message was taken, or a repeat would change nothing. */
export function whyStuck(error: unknown): Talk["stuck"] {
  if (!error || error instanceof Refused || error instanceof Closed) return undefined;
  return error instanceof Busy ? "busy" : "offline";
}

async function postDraft({ server }: Parts, talk: Talk, visitor: string, draft: Draft): Promise<void> {
  await server.post(visitor, draft);
  // The stream usually brings it first; where that is away, it is shown from here until it is back.
  for (const entry of entriesOf(visitor, draft)) take(talk, entry);
}
