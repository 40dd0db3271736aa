// Shows a confirmation page as a dialog over the page that links to it. Without this script the link opens that page.

let opening = false;

/** Throws if the page asks nothing: the caller then opens it. */
async function ask({ href }: HTMLAnchorElement): Promise<void> {
  const answer = await fetch(href);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const asked = page.querySelector<HTMLElement>("[data-ask]");
  if (!asked) throw new Error("a page that asks nothing");
  const dialog = document.createElement("dialog");
  dialog.append(asked);
  dialog.ariaLabel = asked.querySelector("h1")?.textContent ?? "";
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    const back = event.target instanceof Element && event.target.closest("[data-cancel]");
    if (!back && event.target !== dialog) return;
    event.preventDefault();
    dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector<HTMLElement>("[data-cancel]")?.focus();
}

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[data-dialog]") : null;
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  if (opening) return;
  opening = true;
  ask(link)
    .catch(() => location.assign(link.href))
    .finally(() => {
      opening = false;
    });
});
