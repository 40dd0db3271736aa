// Checks a form while it is filled in: when a field is left, or a secret pasted. Submitting never waits for it.

const FORM = "form[data-check]";
let running: AbortController | undefined;
/** The values checked last: a field may lose focus unchanged. */
let checked = "";

let press = Promise.resolve();
/** Resolves when no pointer is down: inserted content would move a pressed button, which would then miss its click. */
const released = () => press.then(() => new Promise((resolve) => setTimeout(resolve)));
document.addEventListener("pointerdown", () => {
  press = new Promise((resolve) => {
    for (const end of ["pointerup", "pointercancel"]) document.addEventListener(end, () => resolve(), { once: true });
  });
});

const foundIn = (root: ParentNode) => [...root.querySelectorAll<HTMLElement>("[data-checked]")];
const fieldOf = ({ dataset }: HTMLElement) => document.getElementById(dataset.checked ?? "");
const isFilled = (found: HTMLElement) => (fieldOf(found) as HTMLInputElement | null)?.value.trim() !== "";

/** Shows the result of a check under its field. */
function show(found: HTMLElement, ...nodes: (Node | string)[]): void {
  found.replaceChildren(...nodes);
  const field = fieldOf(found);
  if (found.querySelector(".problem")) field?.setAttribute("aria-invalid", "true");
  else field?.removeAttribute("aria-invalid");
}

/** Cancels a running check, whose result would concern an older value. */
function stop(): void {
  running?.abort();
  running = undefined;
  checked = "";
}

function waiting(form: HTMLFormElement): HTMLElement {
  const hint = Object.assign(document.createElement("p"), { className: "hint" });
  hint.textContent = form.dataset.checking ?? "";
  return hint;
}

async function check(form: HTMLFormElement): Promise<void> {
  const body = new URLSearchParams();
  for (const [name, value] of new FormData(form)) body.append(name, String(value).trim());
  const founds = foundIn(form);
  if (!founds[0] || !isFilled(founds[0]) || String(body) === checked) return;
  stop();
  checked = String(body);
  const own = new AbortController();
  running = own;
  await released();
  if (running !== own) return;
  const last = founds.filter(isFilled).pop();
  if (last) show(last, waiting(form));
  const page = await answerTo(form, body, own.signal);
  await released();
  if (running !== own) return;
  running = undefined;
  const answers = foundIn(page);
  for (const found of founds) {
    const answer = answers.find(({ dataset }) => dataset.checked === found.dataset.checked);
    show(found, ...(answer?.childNodes ?? []));
  }
}

/** An empty document on failure: submitting the form will report the problem. */
async function answerTo(form: HTMLFormElement, body: URLSearchParams, signal: AbortSignal): Promise<ParentNode> {
  try {
    const answer = await fetch(form.dataset.check ?? "", { method: "POST", body, signal });
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return new DocumentFragment();
  }
}

const formOf = ({ target }: Event) => (target instanceof Element ? target.closest<HTMLFormElement>(FORM) : null);

document.addEventListener("change", (event) => {
  const form = formOf(event);
  if (form) void check(form);
});
document.addEventListener("paste", (event) => {
  const form = formOf(event);
  // The paste event comes before the field's value changes.
  if (form && (event.target as Element).matches("[type=password]")) setTimeout(() => void check(form));
});
document.addEventListener("input", (event) => {
  const form = formOf(event);
  if (!form) return;
  stop();
  // Remove the reason of the earlier refusal.
  form.querySelector(":scope > .problem")?.remove();
  // A field's result depends on the fields before it, so clear this and all later ones.
  const founds = foundIn(form);
  for (const found of founds.slice(
    Math.max(
      0,
      founds.findIndex((each) => fieldOf(each) === event.target),
    ),
  ))
    show(found);
});
document.addEventListener("submit", (event) => {
  const form = formOf(event);
  if (!form) return;
  if (running) for (const found of foundIn(form)) show(found);
  stop();
});

// Checks prefilled forms at once (marketplace cards fill the address in), except refused ones, which say why.
for (const form of document.querySelectorAll<HTMLFormElement>(FORM))
  if (!form.querySelector(".problem")) void check(form);
