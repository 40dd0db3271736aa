import { entriesOf } from "./history.ts";
import { Busy, Closed, type Draft, Refused, visitorIn } from "./protocol.ts";
import { applyEntry, applyError, type ChatState, type Parts } from "./state.ts";

/** Posts drafts one by one, in order; retries each until the server answers. */
export async function postDrafts(parts: Parts, state: ChatState): Promise<void> {
  if (state.posting) return;
  state.posting = true;
  const next = () => state.drafts.all().find((draft) => !draft.refused && isOf(draft, state.opened?.visitor));
  for (let draft = next(); draft && state.opened && !state.closed && !state.left; draft = next()) {
    const { visitor } = state.opened;
    draft = { ...draft, visitor: visitorIn(visitor) };
    state.drafts.put(draft);
    const post = postDraft(parts, state, visitor, draft).catch((reason: unknown) => reason);
    state.post = post;
    const error = await post;
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

/** Whether the visitor with this token may see and send the draft. */
export const isOf = ({ visitor }: Draft, token: string | undefined): boolean =>
  visitor === undefined || (token !== undefined && visitor === visitorIn(token));

/** Why a retry is needed; undefined after success, or if a retry is useless. */
export function delayReason(error: unknown): ChatState["stuck"] {
  if (!error || error instanceof Refused || error instanceof Closed) return undefined;
  return error instanceof Busy ? "busy" : "offline";
}

async function postDraft({ server }: Parts, state: ChatState, visitor: string, draft: Draft): Promise<void> {
  await server.post(visitor, draft);
  if (state.shown !== draft.visitor) return state.drafts.drop(draft.id);
  // Usually the stream is faster; without it, show the message now.
  for (const entry of entriesOf(visitor, draft)) applyEntry(state, entry);
}
