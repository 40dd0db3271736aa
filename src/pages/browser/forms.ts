import "./dialog.ts";
import "./form-check.ts";
import "./toast.ts";

// Sends a page's forms without leaving it: a refusal keeps what was typed, secrets included. Keeps its figures fresh. Without
// this script the browser sends the forms itself, and a reload shows new figures.

/** Shows the answer in place of the page's content. Throws when it is not one of our pages. */
async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form, submitter)) body.append(name, String(value));
  const answer = await fetch(form.action, { method: "POST", body });
  // An answer's address has lost its fragment, which says what part of the page is open.
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

/** Longest value that its button names. */
const MAX_NAMED = 40;

/** A button beside each value to copy. Without this script, or over plain http, the value is selected by hand. */
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

/** The box that ticks all of a list. Without this script each is ticked by itself. */
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

/** Says which of a page's tabs is open: the style sheet only shows it. */
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
  // A second click must not send it twice.
  if (form.getAttribute("aria-busy") === "true") return;
  form.setAttribute("aria-busy", "true");
  send(form, event.submitter)
    // The browser then shows what is wrong.
    .catch(() => form.submit())
    .finally(() => form.removeAttribute("aria-busy"));
});

/** Of a question: a second click would replace the answer to the first, and with it what could be undone. */
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.closest("[data-ask]")) return;
  if (form.getAttribute("aria-busy") === "true") event.preventDefault();
  form.setAttribute("aria-busy", "true");
});

/** How often figures are read again, ms: while somebody waits for them, without a stream, and with one: a message becomes late just because time passes. */
const SOON_MS = 2_000;
const POLL_MS = 10_000;
const RARELY_MS = 60_000;
/** The stream beats every 20 s; after this without a word, ms, a proxy is taken to hold it back. */
const SILENCE_MS = 30_000;

/** Without the form tokens, which each answer masks anew. */
const bare = ({ innerHTML }: Element) => innerHTML.replace(/ value="[^"]*"/g, "");

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
    if (now && bare(now) !== bare(old) && !old.contains(document.activeElement)) old.replaceWith(now);
  }
  const [main, seen] = [document, page].map((each) => each.querySelector<HTMLElement>("main[data-stream]"));
  if (main && seen) main.dataset.stream = seen.dataset.stream;
  return true;
}

/** What has just been done is said once: after a reload it may not be so any more. */
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

/** The visit has ended, or the page is over, when there is nothing more to read. */
async function readAgain(): Promise<boolean> {
  readAt = Date.now();
  // Without a connection the next time may have one.
  const goesOn = await refresh().catch(() => true);
  if (!goesOn) stop();
  return goesOn;
}

/** Only a page in sight holds a stream: a browser has six connections to a server. */
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
