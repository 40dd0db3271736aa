import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import type { ShownFile } from "./protocol.ts";
import { fill, strings } from "./strings/strings.ts";

/** Shows pictures one by one over the whole page. */
export function createViewer(root: HTMLElement, fileUrl: (file: ShownFile) => string) {
  const image = el("img", { alt: "" });
  const save = el("a", { class: "icon" }, icon(icons.download));
  const count = el("span", { class: "viewer-count" });
  const dialog = el("dialog", { class: "viewer", "aria-label": strings.messages, "data-part": "viewer" });
  const close = button({ class: "icon" }, strings.leave, () => dialog.close(), icon(icons.close));
  let [all, at]: [ShownFile[], number] = [[], 0];
  const show = (to: number) => {
    at = (to + all.length) % all.length;
    const file = all[at];
    if (!file) return;
    image.src = fileUrl(file);
    image.alt = file.name;
    for (const name of ["aria-label", "title"]) save.setAttribute(name, fill(strings.save, { name: file.name }));
    Object.assign(save, { href: fileUrl(file), target: "_blank", rel: "noopener noreferrer", download: file.name });
    count.textContent = fill(strings.found, { at: at + 1, count: all.length });
    for (const part of [before, after, count]) part.hidden = all.length < 2;
    dialog.setAttribute("aria-label", file.name);
  };
  const before = button({ class: "icon before" }, strings.previous, () => show(at - 1), icon(icons.back));
  const after = button({ class: "icon after" }, strings.next, () => show(at + 1), icon(icons.forth));
  dialog.append(el("div", { class: "viewer-head" }, count, save, close), before, image, after);
  dialog.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "ArrowLeft") show(at - 1);
    if (event.key === "ArrowRight") show(at + 1);
  });
  dialog.addEventListener("click", ({ target }) => {
    if (target === dialog) dialog.close();
  });
  root.append(dialog);
  return {
    element: dialog,
    open(pictures: ShownFile[], first: ShownFile) {
      all = pictures;
      show(Math.max(0, pictures.indexOf(first)));
      dialog.showModal();
    },
  };
}
