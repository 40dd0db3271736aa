import type { GangwayOptions } from "../../gangway.d.ts";
import type { Look } from "./look.ts";

/**
 * Entry point: `<script src="…/channels/webchat/design.js" data-channel="…" data-form="…" async>`. Beside a form with the
 * channel's settings: shows the widget as the form has it, before it is saved.
 */
const script = document.currentScript as HTMLScriptElement | null;

/** In a narrower window it would cover the form, pixels. */
const ROOM = 1_080;

const PREFIX = "setting.";
/** Options by the settings' names. */
const TEXTS = {
  ...{ title: "title", greeting: "greeting", awayText: "away", accent: "accent", logoAddress: "logo" },
  ...{ launcherText: "launcher", colourScheme: "scheme", windowSide: "side", consentText: "consent" },
} as const;
const NUMBERS = ["offsetX", "offsetY", "replyMinutes"];
const ASKS = { askName: "name", askEmail: "email", askPhone: "phone" } as const;

/** The form's values, as options of the widget. */
function typedIn(form: HTMLFormElement): GangwayOptions & Partial<Look> {
  const typed = new FormData(form);
  const of = (name: string) => String(typed.get(PREFIX + name) ?? "");
  const lines = (name: string) =>
    of(name)
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  const has = (name: string) => typed.has(PREFIX + name);
  return {
    ...Object.fromEntries(Object.entries(TEXTS).flatMap(([name, option]) => (has(name) ? [[option, of(name)]] : []))),
    ...Object.fromEntries(NUMBERS.flatMap((name) => (of(name) ? [[name, Number(of(name))]] : []))),
    asks: Object.entries(ASKS).flatMap(([name, asked]) => (of(name) ? [asked] : [])),
    starters: lines("starters"),
  };
}

function begin(): void {
  const { channel, form: id = "" } = script?.dataset ?? {};
  const form = document.getElementById(id)?.querySelector("form");
  if (!script || !channel || !form) return;
  const widget = document.createElement("script");
  widget.src = new URL("widget.js", script.src).href;
  widget.dataset.channel = channel;
  const show = () => window.Gangway?.update(typedIn(form));
  widget.onload = () => {
    show();
    if (window.innerWidth >= ROOM) window.Gangway?.open();
    form.addEventListener("input", show);
  };
  document.head.append(widget);
}

if (document.body) begin();
else document.addEventListener("DOMContentLoaded", begin);
