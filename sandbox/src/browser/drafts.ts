export interface KeptFile {
  id: string;
  name: string;
  size: number;
  kind: string;
}
/** Unsent input of a chat. Its files are already uploaded. */
export interface Draft {
  text: string;
  suggestions: string;
  note: boolean;
  quote?: { id: number; author: string; words: string };
  files: KeptFile[];
}
/** An agent's drafts; they survive a reload. */
export interface Drafts {
  of(chatId: number): Draft;
  has(chatId: number): boolean;
  keep(chatId: number, draft: Draft): void;
}

const MAX_DRAFTS = 200;
const SOON_MS = 300;

export const emptyDraft = (): Draft => ({ text: "", suggestions: "", note: false, files: [] });
const isEmpty = (draft: Draft) =>
  !draft.text.trim() && !draft.suggestions.trim() && !draft.quote && draft.files.length === 0;

export function createDrafts(agentId: number): Drafts {
  const name = `sandbox-inbox-drafts-${agentId}`;
  const drafts = new Map(load(name));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const save = () => {
    clearTimeout(timer);
    timer = undefined;
    try {
      localStorage.setItem(name, JSON.stringify([...drafts].slice(-MAX_DRAFTS)));
    } catch {
      // Without storage, drafts last until reload.
    }
  };
  addEventListener("pagehide", save);
  return {
    of: (chatId) => drafts.get(chatId) ?? emptyDraft(),
    has: (chatId) => drafts.has(chatId),
    keep(chatId, draft) {
      drafts.delete(chatId);
      if (!isEmpty(draft)) drafts.set(chatId, draft);
      timer ??= setTimeout(save, SOON_MS);
    },
  };
}

function load(name: string): [number, Draft][] {
  try {
    const list = JSON.parse(localStorage.getItem(name) ?? "[]") as [number, Partial<Draft>][];
    return list.map(([id, draft]) => [id, { ...emptyDraft(), ...draft }]);
  } catch {
    return [];
  }
}
