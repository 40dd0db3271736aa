import "./dialog.ts";
import "./form-check.ts";
import "./toast.ts";

// Submits forms without leaving the page, so that a refusal keeps what was typed, secrets included, and keeps figures
// fresh. Without this script the browser submits the forms, and a reload shows new figures.

/** Replaces the page's content with the response's. Throws if the response is not one of our pages. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value));
  const answer = await fetch(form.action, { method: "POST", body });
  // A response's URL lacks the fragment, which selects the open tab.
  const isHere = new URL(answer.url).pathname === location.pathname;
  if (answer.redirected) return location.assign(`${answer.url}${isHere ? location.hash : ""}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
  const main = document.querySelector("main");
  if (!page || !main) throw new Error("not a page of ours");
  const secrets = [...form.querySelectorAll<HTMLInputElement>("input[type=password]")];
  main.replaceWith(page);
  addCopyButtons();
  for (const { id, value } of secrets) {
    const field = document.getElementById(id);
    if (field instanceof HTMLInputElement) field.value = value;
  }
  document.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
}

/** Longest value that is included in the copy button's label. */
const MAX_NAMED = 40;

/** Adds a copy button to each copyable value. Without this script, or over plain http, people select the value. */
function addCopyButtons(): void {
  if (!navigator.clipboard) return;
  for (const source of document.querySelectorAll<HTMLElement>("[data-copy]")) {
    const { copy = "", copied = "" } = source.dataset;
    const value = source instanceof HTMLTextAreaElement ? source.value : (source.textContent ?? "");
    const button = document.createElement("button");
    Object.assign(button, { type: "button", className: "button slim", textContent: copy });
    if (value.length <= MAX_NAMED) button.ariaLabel = `${copy}: ${value}`;
    button.addEventListener("click", () => {
      void navigator.clipboard.writeText(value).then(() => {
        button.textContent = copied;
        if (button.ariaLabel) button.ariaLabel = `${copied}: ${value}`;
      });
    });
    source.after(" ", button);
    source.removeAttribute("data-copy");
  }
}
addCopyButtons();

/** Shows the checkbox that selects a whole list; it is useless without this script. */
function addSelectAll(): void {
  for (const all of document.querySelectorAll<HTMLInputElement>("[data-select-all]")) {
    all.closest("label")?.removeAttribute("hidden");
    all.addEventListener("change", () => {
      const boxes = all.form?.querySelectorAll<HTMLInputElement>("input[name=job]") ?? [];
      for (const box of boxes) box.checked = all.checked;
    });
  }
}
addSelectAll();

/** Marks the current tab for assistive technology: the style sheet only shows it visually. */
function markTab(): void {
  for (const tab of document.querySelectorAll<HTMLAnchorElement>(".tabs a")) {
    const panel = document.getElementById(tab.hash.slice(1));
    if (panel?.checkVisibility()) tab.setAttribute("aria-current", "true");
    else tab.removeAttribute("aria-current");
  }
}
markTab();
addEventListener("hashchange", markTab);

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.matches("[data-live]")) return;
  event.preventDefault();
  // Ignore a second click.
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  send(form, event.submitter)
    // Fall back to the browser, which then shows what is wrong.
    .catch(() => form.submit())
    .finally(() => form.removeAttribute("aria-busy"));
});

/** Blocks a second click in a confirmation: its response would replace the first one, and with it the undo. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.closest("[data-ask]")) return;
  if (form.getAttribute("aria-busy") === "true") event.preventDefault();
  form.setAttribute("aria-busy", "true");
});

/** Polling intervals, ms: while somebody waits; without a stream; with one, since lateness sends no event. */
const SOON_MS = 2_000;
const POLL_MS = 10_000;
const RARELY_MS = 60_000;
/** The stream beats every 20 s; after this silence, ms, a proxy is assumed to buffer it. */
const SILENCE_MS = 30_000;

/** Compares without form tokens, which every response masks anew. */
const bare = ({ innerHTML }: Element) => innerHTML.replace(/ value="[^"]*"/g, "");

/** Updates the page's figures; everything else, such as a form in use, stays. False if it must stop for good. */
async function refresh(): Promise<boolean> {
  const figures = [...document.querySelectorAll("[data-fresh]")];
  if (figures.length === 0 || document.visibilityState !== "visible") return true;
  // `x-fresh`: a refresh does not extend the visit.
  const answer = await fetch(location.href, { headers: { "x-fresh": "1" } });
  // Signed out, or the page no longer exists.
  if (!answer.ok || answer.redirected) return false;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const old of figures) {
    const now = page.querySelector(`[data-fresh="${old.getAttribute("data-fresh")}"]`);
    if (now && bare(now) !== bare(old) && !old.contains(document.activeElement)) old.replaceWith(now);
  }
  const [main, seen] = [document, page].map((each) => each.querySelector<HTMLElement>("main[data-stream]"));
  if (main && seen) main.dataset.stream = seen.dataset.stream;
  return true;
}

/** Removes the notice from the address, so that a reload does not repeat it. */
function sayOnce(): void {
  const here = new URL(location.href);
  if (!here.searchParams.has("done")) return;
  for (const name of ["done", "count", "undo"]) here.searchParams.delete(name);
  history.replaceState(history.state, "", here);
}
sayOnce();

let stream: EventSource | undefined;
let heardAt = 0;
let readAt = Date.now();
const heard = () => {
  heardAt = Date.now();
};

/** Stops for good when the visit has ended or the page no longer exists. */
async function readAgain(): Promise<boolean> {
  readAt = Date.now();
  // Offline: try again next time.
  const goesOn = await refresh().catch(() => true);
  if (!goesOn) stop();
  return goesOn;
}

/** Only a visible page holds a stream: browsers allow six connections per server. */
function follow(): void {
  const address = document.querySelector<HTMLElement>("main[data-stream]")?.dataset.stream;
  if (stream?.readyState === EventSource.CLOSED || document.visibilityState !== "visible") {
    stream?.close();
    stream = undefined;
  }
  if (stream || !address || document.visibilityState !== "visible") return;
  stream = new EventSource(address);
  heard();
  stream.addEventListener("beat", heard);
  stream.addEventListener("changed", () => {
    heard();
    void readAgain();
  });
}

function stop(): void {
  document.removeEventListener("visibilitychange", follow);
  stream?.close();
}

async function keepFresh(): Promise<void> {
  for (let goesOn = true; goesOn; ) {
    follow();
    const isSoon = document.querySelector("[data-soon]") !== null;
    await new Promise((wake) => setTimeout(wake, isSoon ? SOON_MS : POLL_MS));
    const now = Date.now();
    const isTold = stream?.readyState === EventSource.OPEN && now - heardAt <= SILENCE_MS;
    if (isSoon || !isTold || now - readAt >= RARELY_MS) goesOn = await readAgain();
  }
}

document.addEventListener("visibilitychange", follow);
void keepFresh();
