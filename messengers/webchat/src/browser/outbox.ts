import { entriesOf } from "./history.ts";
import { Busy, Closed, type Draft, Refused } from "./protocol.ts";
import { applyEntry, applyError, type ChatState, type Parts } from "./state.ts";

/** Posts drafts one by one, in order; retries each until the server answers. */
export async function postDrafts(parts: Parts, state: ChatState): Promise<void> {
  if (state.posting) return;
  state.posting = true;
  const next = () => state.drafts.all().find((draft) => !draft.refused);
  for (let draft = next(); draft && state.opened && !state.closed && !state.left; draft = next()) {
    const { visitor } = state.opened;
    const error = await postDraft(parts, state, visitor, draft).catch((reason: unknown) => reason);
    state.stuck = delayReason(error);
    applyError(parts, state, error, visitor);
    if (!error) state.postBackoff.reset();
    else if (error instanceof Refused && error.status !== 401) state.drafts.put({ ...draft, refused: error.message });
    parts.changed();
    if (state.stuck) await state.postBackoff.wait(error instanceof Busy ? error.afterMs : 0);
  }
  state.stuck = undefined;
  state.posting = false;
  parts.changed();
}

/** Why a retry is needed; undefined after success, or if a retry is useless. */
export function delayReason(error: unknown): ChatState["stuck"] {
  if (!error || error instanceof Refused || error instanceof Closed) return undefined;
  return error instanceof Busy ? "busy" : "offline";
}

async function postDraft({ server }: Parts, state: ChatState, visitor: string, draft: Draft): Promise<void> {
  await server.post(visitor, draft);
  // Usually the stream is faster; without it, show the message now.
  for (const entry of entriesOf(visitor, draft)) applyEntry(state, entry);
}
