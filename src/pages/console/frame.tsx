import { Icon, type IconName } from "gangway-ui/icon";
import { State, type Tone } from "gangway-ui/state";
import { html } from "hono/html";
import type { Child } from "hono/jsx";
import { isSlow } from "../../domain/account.ts";

// The console is in English, for the vendor's staff. Times are in UTC.

export interface ConsoleFrame {
  moduleName: string;
  /** Token for forms; absent before sign-in. */
  formToken?: string;
  path: string;
}

const SECTIONS: [href: string, text: string, icon: IconName][] = [
  ["/accounts", "Accounts", "list"],
  ["/messages", "Messages", "search"],
  ["/undelivered", "Undelivered", "triangle-alert"],
  ["/events", "Events", "zap"],
  ["/features", "Features", "settings"],
  ["/audit", "Audit", "activity"],
];

export function Console({ title, children, ...frame }: ConsoleFrame & { title: string; children: Child }) {
  const { moduleName, formToken } = frame;
  return (
    <>
      {html`<!doctype html>`}
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>{`${title} · ${moduleName} console`}</title>
          <link rel="icon" href="/logo.svg" />
          <link rel="stylesheet" href="/style.css" />
          <script src="/forms.js" defer></script>
        </head>
        <body class={formToken === undefined ? undefined : "with-side"}>
          <a class="skip" href="#main">
            Skip to the content
          </a>
          <header>
            <a class="logo" href="/">
              <img src="/logo.svg" alt="" width="28" height="28" />
              <span>{moduleName} console</span>
            </a>
            {formToken !== undefined && (
              <button type="button" class="button ghost menu" popovertarget="side">
                <Icon name="menu" />
                Menu
              </button>
            )}
          </header>
          {formToken !== undefined && <Side {...frame} />}
          <main id="main" tabindex={-1}>
            {children}
          </main>
        </body>
      </html>
    </>
  );
}

const Side = ({ path, formToken }: ConsoleFrame) => (
  <aside class="side" id="side" popover="auto">
    <button type="button" class="button ghost menu" popovertarget="side" popovertargetaction="hide">
      Close
    </button>
    <nav aria-label="Pages">
      {SECTIONS.map(([href, text, icon]) => (
        <a href={href} aria-current={path.startsWith(href) ? "page" : undefined}>
          <Icon name={icon} />
          {text}
        </a>
      ))}
    </nav>
    <div class="foot">
      <form method="post" action="/sign-out">
        <input type="hidden" name="formToken" value={formToken} />
        <button type="submit" class="link">
          Sign out
        </button>
      </form>
    </div>
  </aside>
);

export const Time = ({ at }: { at: number }) => {
  const text = new Date(at).toISOString();
  return <time datetime={text}>{text.replace("T", " ").replace(/\..*/, "")}</time>;
};

/** Formats a duration, such as "3 min", "2 h", "5 days". */
function lasting(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return "under a minute";
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
}

const TONES: Record<string, Tone> = {
  ...{ working: "success", done: "success", ready: "info", sending: "info", waiting: "info" },
  ...{ troubled: "danger", stopped: "danger", paused: "warning", slow: "warning", dead: "danger", held: "warning" },
};
const WORDS: Record<string, string> = { dead: "undelivered", done: "delivered", ready: "on its way" };

/** Standing of an account or channel; a slow one is not shown as working. */
export const StandingNow = ({
  of: { standing, dueAt },
  now,
}: {
  of: { standing: string; dueAt?: number };
  now: number;
}) => <Standing of={standing === "working" && isSlow(dueAt, now) ? "slow" : standing} />;

/** Standing or state of an account, channel or message. */
export const Standing = ({ of }: { of: string }) => <State tone={TONES[of] ?? "neutral"}>{WORDS[of] ?? of}</State>;

export interface Sums {
  waiting: number;
  held: number;
  undelivered: number;
  /** When the first job is due that no pause or stop holds back, ms. */
  dueAt?: number;
}

export const SUMS = ["On the way", "Overdue", "Held", "Undelivered"];

/** Cells below SUMS; zeros stay empty. */
export const SumCells = ({ of: { waiting, held, undelivered, dueAt }, now }: { of: Sums; now: number }) => (
  <>
    <td data-head={SUMS[0]}>{waiting || ""}</td>
    <td data-head={SUMS[1]}>{dueAt !== undefined && dueAt < now ? lasting(now - dueAt) : ""}</td>
    <td data-head={SUMS[2]}>{held || ""}</td>
    <td data-head={SUMS[3]}>{undelivered || ""}</td>
  </>
);

export const Head = ({ names }: { names: string[] }) => (
  <thead>
    <tr>
      {names.map((name) => (
        <th scope="col">{name}</th>
      ))}
    </tr>
  </thead>
);

export const hostOf = (crmUrl: string): string => crmUrl.replace(/^https?:\/\//, "");
