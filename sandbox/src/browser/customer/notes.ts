import { el, iconButton, linked } from "gangway-messenger/kit/emulator/browser/dom";
import { shortened } from "../../shortened.ts";
import { icons } from "../icons.ts";
import { fullTime } from "../names.ts";
import { nameOfUser, type References } from "./references.ts";
import { msOf } from "./times.ts";
import type { Note } from "./wire.ts";

/** The form's input stays while the list changes. `add` answers whether the note was taken. */
export function noteForm(add: (text: string) => Promise<boolean>): HTMLFormElement {
  const text = el("textarea", { id: "crm-note", rows: 2, required: true, placeholder: "New note", dir: "auto" });
  const form = el("form", { class: "stack" }, el("label", { class: "sr", for: "crm-note" }, "Note"), text);
  form.append(el("button", {}, "Add note"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (text.value.trim() && (await add(text.value.trim()))) text.value = "";
  });
  return form;
}

export const noteItem = (note: Note, references: References, remove: () => void): HTMLElement =>
  el(
    "li",
    { class: "record" },
    el("p", { dir: "auto" }, ...linked(note.text)),
    el(
      "small",
      {},
      [nameOfUser(references, note.managerId), fullTime(msOf(note.createdAt))].filter(Boolean).join(", "),
    ),
    iconButton(icons.trash, `Delete the note ${shortened(note.text, 40)}`, remove, {
      "data-action": `note ${note.id}`,
    }),
  );
