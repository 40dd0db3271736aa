import { type Child, el, iconButton, linked } from "gangway-messenger/kit/emulator/browser/dom";
import { shortened } from "../../shortened.ts";
import { icons } from "../icons.ts";
import { fullTime } from "../names.ts";
import { nameOfUser, type References } from "./references.ts";
import { msOf, utcOf } from "./times.ts";
import type { Comment, Task, User } from "./wire.ts";

export interface NewTask {
  text: string;
  datetime?: string;
  performerId: number;
}
export interface TaskForm {
  form: HTMLFormElement;
  /** Those who may perform it, the agent first. */
  offer(users: User[], me: number): void;
}

/** The form's input stays while the list changes. `add` answers whether the task was taken. */
export function taskForm(add: (task: NewTask) => Promise<boolean>): TaskForm {
  const text = el("input", { id: "crm-task", required: true, placeholder: "New task", autocomplete: "off" });
  const due = el("input", { id: "crm-task-due", type: "datetime-local" });
  const performer = el("select", { id: "crm-task-performer" });
  const label = (id: string, words: string) => el("label", { class: "sr", for: id }, words);
  const form = el("form", { class: "stack due" }, label("crm-task", "Task"), text);
  form.append(label("crm-task-due", "Due"), due, label("crm-task-performer", "Performer"), performer);
  form.append(el("button", {}, "Add task"));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const datetime = due.value ? utcOf(due.value) : undefined;
    if (!(await add({ text: text.value.trim(), datetime, performerId: Number(performer.value) }))) return;
    text.value = "";
    due.value = "";
  });
  return {
    form,
    offer(users, me) {
      const first = [...users].sort((one, other) => Number(other.id === me) - Number(one.id === me));
      const nameOf = ({ id, firstName = "", lastName = "" }: User) =>
        id === me ? "Me" : `${firstName} ${lastName}`.trim();
      const options = first.map((user) => el("option", { value: user.id }, nameOf(user)));
      performer.replaceChildren(...options);
    },
  };
}

export interface TaskActs {
  complete(task: Task, complete: boolean): void;
  remove(task: Task): void;
}

export function taskItem(task: Task, references: References, now: number, acts: TaskActs): HTMLElement {
  const done = el("input", { type: "checkbox", checked: task.complete, "data-action": `done ${task.id}` });
  done.addEventListener("change", () => acts.complete(task, done.checked));
  return el(
    "li",
    { class: "record", "data-done": task.complete },
    el("label", { class: "task" }, done, el("span", { dir: "auto" }, task.text)),
    el("small", {}, ...about(task, references, now)),
    el("ul", { class: "comments" }, ...task.comments.map((comment) => commentItem(comment, references))),
    iconButton(icons.trash, `Delete the task ${shortened(task.text, 40)}`, () => acts.remove(task), {
      "data-action": `task ${task.id}`,
    }),
  );
}

const commentItem = ({ text, creator, createdAt }: Comment, references: References): HTMLElement =>
  el(
    "li",
    {},
    el("span", { dir: "auto" }, ...linked(text)),
    el("small", {}, [nameOfUser(references, creator), fullTime(msOf(createdAt))].filter(Boolean).join(", ")),
  );

function about({ datetime, performer, complete }: Task, references: References, now: number): Child[] {
  const late = datetime !== undefined && !complete && msOf(datetime) < now;
  const due = datetime && fullTime(msOf(datetime));
  return [
    due && el("span", { class: late ? "late" : "" }, late ? `Overdue since ${due}` : due),
    due && ", ",
    nameOfUser(references, performer),
  ];
}

/** Open ones first, by their time; those without one follow. */
export const inOrder = (tasks: Task[]): Task[] =>
  [...tasks].sort(
    (one, other) =>
      Number(one.complete) - Number(other.complete) || (one.datetime ?? "9").localeCompare(other.datetime ?? "9"),
  );
