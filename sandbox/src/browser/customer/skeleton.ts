import { button, type Child, el, icon, iconButton } from "gangway-messenger/kit/emulator/browser/dom";
import { icons } from "../icons.ts";
import { noteForm } from "./notes.ts";
import { type NewTask, type TaskForm, taskForm } from "./tasks.ts";

export interface SkeletonParts {
  close(): void;
  edit(): void;
  merge(): void;
  history(): void;
  order(): void;
  addNote(text: string): Promise<boolean>;
  addTask(task: NewTask): Promise<boolean>;
}

/** Static parts of the panel: its forms keep their input while records change. */
export function skeleton(panel: HTMLElement, parts: SkeletonParts): Pick<TaskForm, "offer"> {
  const { close, edit, merge, history, order } = parts;
  const tasks = taskForm(parts.addTask);
  panel.append(
    el(
      "div",
      { class: "details-head" },
      el("h2", {}, "Customer"),
      iconButton(icons.close, "Close the customer", close),
    ),
    el("p", { class: "soft state", id: "crm-state", role: "status" }),
    el(
      "div",
      { id: "crm-records" },
      el(
        "section",
        {},
        el("div", { id: "crm-customer" }),
        el(
          "div",
          { class: "row" },
          button({}, edit, icon(icons.edit), "Edit"),
          button({}, merge, "Merge …"),
          button({}, history, icon(icons.history), "History"),
        ),
      ),
      el(
        "section",
        { id: "crm-visit-part", hidden: true },
        el("h3", {}, "On the shop’s site"),
        el("div", { id: "crm-visit" }),
      ),
      part("Orders", listOf("crm-orders", "Orders"), button({ class: "quiet" }, order, icon(icons.plus), "New order")),
      part("Tasks", listOf("crm-tasks", "Tasks"), tasks.form),
      part("Notes", listOf("crm-notes", "Notes"), noteForm(parts.addNote)),
      part("Other chats", listOf("crm-chats", "Other chats")),
    ),
  );
  return tasks;
}

const listOf = (id: string, label: string) => el("ul", { id, class: "records", "aria-label": label });

const part = (title: string, list: HTMLElement, ...more: Child[]) =>
  el("section", { id: `${list.id}-part` }, el("h3", {}, title), list, ...more);
