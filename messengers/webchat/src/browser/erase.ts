import { button, el } from "./dom.ts";
import { strings } from "./strings/strings.ts";

/** Asks once more before the conversation is deleted. `erase` rejects if that fails. */
export function createEraseDialog(root: HTMLElement, erase: () => Promise<void>) {
  const problem = el("p", { class: "problem", role: "alert" });
  const dialog = el("dialog", { class: "sure", "aria-labelledby": "sure", "data-part": "sure" });
  const cancel = button({ class: "plain-button" }, strings.cancel, () => dialog.close(), strings.cancel);
  const yes = button(
    { class: "danger", "data-part": "erase-yes" },
    strings.eraseYes,
    () => void act(),
    strings.eraseYes,
  );
  const act = async () => {
    yes.disabled = true;
    problem.textContent = "";
    try {
      await erase();
      dialog.close();
    } catch {
      problem.textContent = strings.notErased;
    }
    yes.disabled = false;
  };
  dialog.append(
    el("h3", { id: "sure" }, strings.erase),
    el("p", {}, strings.eraseAsk),
    problem,
    el("div", { class: "sure-row" }, cancel, yes),
  );
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  root.append(dialog);
  return { element: dialog, open: () => dialog.showModal() };
}
