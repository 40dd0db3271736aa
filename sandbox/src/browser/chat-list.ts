import { arrange, at, el } from "gangway-messenger/kit/emulator/browser/dom";
import { type ChatRow, createRow, ROW_HEIGHT } from "./chat-row.ts";
import type { Chats, Filter } from "./chats.ts";
import type { Drafts } from "./drafts.ts";

export interface ChatListParts {
  chats: Chats;
  drafts: Drafts;
  me: number;
  open(chatId: number): void;
}
/** Virtual list of chats. */
export interface ChatList {
  choose(chatId: number | undefined): void;
  refresh(): void;
  /** Focuses the roving tab stop. */
  focus(): void;
  /** The chat `by` rows away. */
  step(by: number): number | undefined;
}

/** Rows rendered above and below the viewport. */
const OVERSCAN = 6;
/** A chat that moved further does not anchor the scroll position, rows. */
const MAX_ANCHOR_SHIFT = 3;

export function createChatList({ chats, drafts, me, open }: ChatListParts): ChatList {
  const box = at("chats");
  const space = box.appendChild(el("div", { class: "space", role: "presentation" }));
  const rows = new Map<number, ChatRow>();
  let chosen: number | undefined;
  let active: number | undefined;
  let first: { id: number; index: number } | undefined;

  const rowOf = (id: number): ChatRow => {
    const row = rows.get(id) ?? createRow(id);
    rows.set(id, row);
    return row;
  };
  /** Visible rows and the roving tab stop. */
  const visible = (ids: readonly number[]): number[] => {
    const from = Math.max(0, Math.floor(box.scrollTop / ROW_HEIGHT) - OVERSCAN);
    const to = Math.ceil((box.scrollTop + box.clientHeight) / ROW_HEIGHT) + OVERSCAN;
    const tabStop = active === undefined ? -1 : ids.indexOf(active);
    const indices = Array.from({ length: Math.max(0, Math.min(to, ids.length) - from) }, (_, n) => from + n);
    if (tabStop >= 0 && tabStop < from) indices.unshift(tabStop);
    if (tabStop >= to) indices.push(tabStop);
    return indices;
  };
  const render = () => {
    const ids = chats.shown();
    if (active === undefined || !ids.includes(active))
      active = chosen !== undefined && ids.includes(chosen) ? chosen : ids[0];
    space.style.height = `${ids.length * ROW_HEIGHT}px`;
    const focused = box.contains(document.activeElement) ? document.activeElement : null;
    const indices = visible(ids);
    const elements = indices.map((index) => drawn(ids[index] as number, index, ids.length));
    arrange(space, elements);
    const kept = new Set(indices.map((index) => ids[index]));
    for (const id of rows.keys()) if (!kept.has(id)) rows.delete(id);
    if (focused && document.activeElement !== focused) focusRow();
    if (chats.total() > 0) at("invitation").hidden = true;
    at("nothing").hidden = ids.length > 0 || chats.total() === 0;
    const top = Math.floor(box.scrollTop / ROW_HEIGHT);
    first = ids[top] === undefined ? undefined : { id: ids[top] as number, index: top };
  };
  const drawn = (id: number, index: number, total: number): HTMLElement => {
    const row = rowOf(id);
    const chat = chats.get(id);
    const draft = id !== chosen && drafts.has(id) ? draftWords(drafts, id) : undefined;
    if (chat) row.update({ chat, channel: chats.channelOf(chat), me, draft, open: id === chosen });
    row.moveTo(index, total);
    row.element.tabIndex = id === active ? 0 : -1;
    return row.element;
  };
  const focusRow = () => active !== undefined && rows.get(active)?.element.focus({ preventScroll: true });
  /** Scroll anchoring: chats that come and go above must not move the view. */
  const anchorScroll = () => {
    if (!first || box.scrollTop === 0) return;
    const moved = chats.shown().indexOf(first.id) - first.index;
    if (moved !== 0 && Math.abs(moved) <= MAX_ANCHOR_SHIFT) box.scrollTop += moved * ROW_HEIGHT;
  };
  const reveal = (id: number) => {
    const top = chats.shown().indexOf(id) * ROW_HEIGHT;
    if (top < 0) return;
    if (top < box.scrollTop) box.scrollTop = top;
    const over = top + ROW_HEIGHT - box.scrollTop - box.clientHeight;
    if (over > 0) box.scrollTop += over;
  };
  const goTo = (index: number) => {
    const ids = chats.shown();
    const id = ids[Math.min(Math.max(index, 0), ids.length - 1)];
    if (id === undefined) return;
    active = id;
    reveal(id);
    render();
    focusRow();
  };
  const onKey = (event: KeyboardEvent) => {
    const ids = chats.shown();
    const step = stepOf(event.key, active === undefined ? 0 : ids.indexOf(active), ids.length, box.clientHeight);
    const opens = event.key === "Enter" || event.key === " ";
    if (event.altKey || event.ctrlKey || event.metaKey || (step === undefined && !opens)) return;
    event.preventDefault();
    if (step !== undefined) goTo(step);
    else if (active !== undefined) open(active);
  };

  box.addEventListener("scroll", render, { passive: true });
  box.addEventListener("keydown", onKey);
  box.addEventListener("click", (event) => {
    const row = event.target instanceof Element ? event.target.closest<HTMLElement>("[data-chat]") : null;
    if (row) open(Number(row.dataset.chat));
  });
  new ResizeObserver(render).observe(box);
  chats.onChange(() => {
    anchorScroll();
    render();
  });
  searching(chats, box, () => goTo(0));
  return {
    choose(chatId) {
      chosen = chatId;
      active = chatId ?? active;
      chats.pin(chatId);
      if (chatId !== undefined) reveal(chatId);
      render();
    },
    refresh: render,
    focus() {
      if (active !== undefined) reveal(active);
      render();
      focusRow();
    },
    step(by) {
      const ids = chats.shown();
      const now = chosen === undefined ? -1 : ids.indexOf(chosen);
      return ids[now < 0 ? 0 : now + by];
    },
  };
}

/** Target index of a navigation key. */
function stepOf(key: string, now: number, count: number, height: number): number | undefined {
  const page = Math.max(1, Math.floor(height / ROW_HEIGHT) - 1);
  const steps: Record<string, number> = {
    ArrowUp: now - 1,
    ArrowDown: now + 1,
    PageUp: now - page,
    PageDown: now + page,
    Home: 0,
    End: count - 1,
  };
  return steps[key];
}

const draftWords = (drafts: Drafts, id: number): string => {
  const { text, files } = drafts.of(id);
  return text.replaceAll(/\s+/g, " ").trim() || (files.length > 0 ? `${files.length} attached` : "…");
};

function searching(chats: Chats, box: HTMLElement, toList: () => void): void {
  const search = at<HTMLInputElement>("search");
  search.addEventListener("input", () => {
    box.scrollTop = 0;
    chats.search(search.value);
  });
  search.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    event.preventDefault();
    toList();
  });
  const filters = [...at("filters").querySelectorAll<HTMLElement>("[data-filter]")];
  for (const filter of filters)
    filter.addEventListener("click", () => {
      for (const each of filters) each.setAttribute("aria-pressed", String(each === filter));
      box.scrollTop = 0;
      chats.filter(filter.dataset.filter as Filter);
    });
}
