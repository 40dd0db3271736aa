import "./form-check.ts";

// Sends a page's forms without leaving it: a refusal keeps what was typed, secrets included. Keeps its figures fresh. Without
// this script the browser sends the forms itself, and a reload shows new figures.

/** Shows the answer in place of the page's content. Throws when it is not one of our pages. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value));
  const answer = await fetch(form.action, { method: "POST", body });
  if (answer.redirected) return location.assign(answer.url);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  const main = document.querySelector("main");
  if (!page || !main) throw new Error("not a page of ours");
  const secrets = [...form.querySelectorAll<HTMLInputElement>("input[type=password]")];
  main.replaceWith(page);
  for (const { id, value } of secrets) {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement) field.value = value;
  }
  document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-live]")) return;
  event.preventDefault();
  // A second click must not send it twice.
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  send(form, event.submitter)
    // The browser then shows what is wrong.
    .catch(() => form.submit())
    .finally(() => form.removeAttribute("aria-busy"));
});

/** How often figures are read again, ms: while somebody waits for them, and otherwise. */
const SOON_MS = 2_000;
const FRESH_MS = 10_000;

/** Replaces the figures on the page with those of now; everything else, a form in use too, stays. False: never again. */
async function refresh(): Promise<boolean> {
  const figures = [...document.querySelectorAll("[data-fresh]")];
  if (figures.length === 0 || document.visibilityState !== "visible") return true;
  // Looking on is no use of the visit: it may end meanwhile.
  const answer = await fetch(location.href, { headers: { "x-fresh": "1" } });
  // Signed out, or the page is over.
  if (!answer.ok || answer.redirected) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of figures) {
    const now = page.querySelector(`[data-fresh="${old.getAttribute("data-fresh")}"]`);
    if (now && now.innerHTML !== old.innerHTML) old.replaceWith(now);
  }
  return true;
}

async function keepFresh(): Promise<void> {
  for (;;) {
    const isSoon = document.querySelector("[data-soon]") !== null;
    await new Promise((wake) => setTimeout(wake, isSoon ? SOON_MS : FRESH_MS));
    // Without a connection the next time may have one.
    if ((await refresh().catch(() => true)) === false) return;
  }
}

void keepFresh();
