import { Alert } from "gangway-ui/alert";
import { BarChart } from "gangway-ui/bar-chart";
import { Checklist } from "gangway-ui/checklist";
import { Ask, DialogLink } from "gangway-ui/dialog";
import { Empty } from "gangway-ui/empty";
import { Glyph } from "gangway-ui/glyph";
import { ICONS, Icon } from "gangway-ui/icon";
import { PageHead } from "gangway-ui/page-head";
import { Segments } from "gangway-ui/segments";
import { Sparkline } from "gangway-ui/sparkline";
import { State } from "gangway-ui/state";
import { Stepper } from "gangway-ui/stepper";
import { Tabs } from "gangway-ui/tabs";
import { Tile } from "gangway-ui/tile";
import { Timeline } from "gangway-ui/timeline";
import { Toast } from "gangway-ui/toast";
import { html } from "hono/html";
import type { Child } from "hono/jsx";

const COLORS = [
  ...["ground", "paper", "raised", "ink", "soft", "line", "edge", "brand", "on-brand", "brand-hover", "brand-tint"],
  ...["success", "success-tint", "warning", "warning-tint", "danger", "danger-tint", "info", "info-tint"],
];
const SIZES = [30, 24, 20, 16, 14, 13, 12];
const TONES = ["success", "info", "warning", "danger"] as const;

const Shelf = ({ title, children }: { title: string; children: Child }) => (
  <section class="card">
    <h2>{title}</h2>
    {children}
  </section>
);

/** Every token and component of gangway-ui, in its states. */
export const StylesPage = () => (
  <>
    {html`<!doctype html>`}
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Styles · Sandbox CRM</title>
        <link rel="stylesheet" href="/ui.css" />
      </head>
      <body>
        <main>
          <PageHead
            label="Pages above"
            crumbs={[{ text: "Sandbox CRM", href: "/" }]}
            title="Styles"
            glyph={<Glyph />}
            lead="Tokens and components of all pages"
            actions={
              <a class="button primary" href="/">
                <Icon name="plus" />
                One primary action
              </a>
            }
          />
          <Tokens />
          <Controls />
          <Messages />
          <Acts />
          <Figures />
        </main>
      </body>
    </html>
  </>
);

const Tokens = () => (
  <>
    <Shelf title="Colours">
      <ul class="swatches">
        {COLORS.map((color) => (
          <li class="hint">
            <svg aria-hidden="true">
              <rect class={`swatch-${color}`} width="100%" height="100%" />
            </svg>
            {color}
          </li>
        ))}
      </ul>
    </Shelf>
    <Shelf title="Type">
      {SIZES.map((size) => (
        <p class={`type-${size}`}>{size}: Nothing is answered before it is stored, 0123456789</p>
      ))}
    </Shelf>
    <Shelf title="Icons">
      <div class="shelf">
        {ICONS.map((name) => (
          <span class="shelf">
            <Icon name={name} /> {name}
          </span>
        ))}
      </div>
    </Shelf>
  </>
);

const Controls = () => (
  <>
    <Shelf title="Button">
      <div class="shelf">
        {["", "primary", "ghost", "danger", "slim"].map((style) => (
          <button type="button" class={`button ${style}`}>
            {style || "secondary"}
          </button>
        ))}
      </div>
    </Shelf>
    <Shelf title="Field">
      <div>
        <label for="field">Label</label>
        <input id="field" value="Typed" />
        <label for="refused">Refused</label>
        <input id="refused" value="Typed" aria-invalid="true" />
        <label for="choice">Choice</label>
        <select id="choice">
          <option>One of several</option>
        </select>
      </div>
    </Shelf>
    <Shelf title="Segments, tabs">
      <Segments
        label="Views"
        segments={["Not delivered: 12", "Waiting for you: 3", "Find a message"].map((text, n) => ({
          text,
          href: "#segments",
          isCurrent: n === 0,
        }))}
      />
      <Tabs
        label="Parts"
        tabs={["Overview", "Set-up", "Settings"].map((text) => ({
          id: text.toLowerCase(),
          text,
          content: <p>{text}</p>,
        }))}
      />
    </Shelf>
    <Shelf title="Tile">
      <ul class="tiles">
        <li>
          <Tile href="#tile" glyph={<Glyph />} title="Web chat" promise="A chat on your shop's pages" />
        </li>
      </ul>
    </Shelf>
  </>
);

const Messages = () => (
  <>
    <Shelf title="State">
      <div class="shelf">
        {[...TONES, "neutral" as const].map((tone) => (
          <State tone={tone}>{tone}</State>
        ))}
      </div>
    </Shelf>
    <Shelf title="Alert">
      {TONES.map((tone) => (
        <Alert tone={tone} title={`What it is: ${tone}`}>
          <p>What can be done about it.</p>
        </Alert>
      ))}
    </Shelf>
    <Shelf title="Empty">
      <Empty icon="inbox" title="Nothing yet">
        <p>Why, and what to do.</p>
      </Empty>
    </Shelf>
    <Shelf title="Checklist, timeline">
      <Checklist
        done="done"
        steps={[
          { text: "Connected", isDone: true },
          { text: "First answer", isDone: false },
        ]}
      />
      <Timeline
        moments={[
          { tone: "neutral", text: "It came from the CRM and was stored.", time: <time>14:13</time> },
          { tone: "warning", text: "It could not be delivered: messenger answered 502.", time: <time>14:14</time> },
          { tone: "success", text: "The messenger accepted it.", time: <time>14:15</time> },
        ]}
      />
    </Shelf>
  </>
);

const Acts = () => (
  <>
    <Shelf title="Toast, at the page's top without a script">
      <Toast
        action={
          <button type="button" class="button slim">
            Undo
          </button>
        }
      >
        What was done.
      </Toast>
    </Shelf>
    <Shelf title="Dialog">
      <dialog open aria-label="Remove Shop chat?">
        <Ask
          title="Remove Shop chat?"
          action="/styles"
          fields={{}}
          cancel={{ text: "Cancel", href: "/styles" }}
          answers={
            <button type="button" class="button danger">
              Remove this channel
            </button>
          }
        >
          <p>What will happen.</p>
        </Ask>
      </dialog>
      <DialogLink href="/styles" style="danger">
        What opens it
      </DialogLink>
    </Shelf>
    <Shelf title="Stepper">
      <Stepper
        steps={[
          { title: "Get your credentials", content: <p>What to do at the messenger.</p> },
          { title: "Paste them here", content: <input aria-label="Token" /> },
          { title: "Try it", content: <p class="hint">What comes then.</p>, isLater: true },
        ]}
      />
    </Shelf>
  </>
);

const DAYS = Array.from({ length: 14 }, (_, n) => ({ name: `${n + 8} Sep`, delivered: (n * 37) % 60, failed: n % 5 }));

const Figures = () => (
  <Shelf title="Sparkline, chart">
    <Sparkline values={DAYS.map(({ delivered }) => delivered)} failures={DAYS.map(({ failed }) => failed)} />
    <BarChart
      label="Messages of two weeks"
      days={DAYS}
      words={{ delivered: "Delivered", failed: "Failed" }}
      format={String}
    />
  </Shelf>
);
