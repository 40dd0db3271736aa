import { el } from "gangway-messenger/kit/emulator/browser/dom";
import type { Api } from "../api.ts";
import { openBox } from "../box.ts";
import { fullTime } from "../names.ts";
import { wordsOfError } from "../notice.ts";
import { nameOfUser, type References } from "./references.ts";
import { msOf } from "./times.ts";
import type { Change } from "./wire.ts";

/** The customer's history: what changed, and by whom. */
export async function openHistory(api: Api, chatId: number, references: References): Promise<void> {
  const list = el("ul", { class: "history" }, el("li", { class: "soft" }, "Loading …"));
  const box = openBox("History of the customer", list);
  try {
    const changes = await api.agent<Change[]>("GET", `/chats/${chatId}/history`);
    list.replaceChildren(...changes.map((change) => itemOf(change, references)));
  } catch (error) {
    list.replaceChildren();
    box.problem(wordsOfError(error));
  }
}

function itemOf(change: Change, references: References): HTMLElement {
  const { createdAt, source, user } = change;
  const by = source === "user" ? nameOfUser(references, user) || "user" : source;
  return el(
    "li",
    {},
    el("span", {}, wordsOf(change)),
    el("small", {}, `${fullTime(msOf(createdAt))} · `, el("span", { class: "badge", "data-source": source }, by)),
  );
}

function wordsOf({ field, oldValue, newValue, created, deleted, of, more }: Change): string {
  if (more?.combinedTo) return `Customer ${of} was combined into this one`;
  if (created) return "Created";
  if (deleted) return "Deleted";
  return `${field}: ${shown(oldValue)} → ${shown(newValue)}`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (Array.isArray(value)) return value.map(shown).join(", ") || "–";
  if (typeof value !== "object") return String(value);
  const { name, number, code, id } = value as Record<string, unknown>;
  return String(name ?? number ?? code ?? id ?? JSON.stringify(value));
}
