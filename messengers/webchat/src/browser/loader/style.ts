/** Backgrounds on which the accent colour must be readable. */
export const PAPER = { light: "#ffffff", dark: "#131c1f" };

const DARK = `--accent: var(--accent-dark); --accent-ink: var(--ink-dark); --accent-text: var(--accent-dark); color-scheme: dark;
  --ink: #e8eef0; --soft: #9db0b5; --line: #263237; --edge: #5b6d72; --paper: ${PAPER.dark}; --ground: #0b1214; --raised: #1a2529; --field: #1a2529; --bad: #ff8f88; --warn: #2a2210; --warn-ink: #e9c46a; --good: #6fd0a0;`;

/** Styles of host and launcher; the window's come with it. */
export const style = `
:host { all: initial !important; position: fixed !important; inset-block-end: 0 !important; inset-inline-end: 0 !important; z-index: 2147483000 !important; }
@media print { :host { display: none !important; } }
.root { all: initial; display: block; position: fixed; bottom: max(var(--y), env(safe-area-inset-bottom)); right: max(var(--x), env(safe-area-inset-right));
  --x: 24px; --y: 24px; --accent: var(--accent-light); --accent-ink: var(--ink-light); --accent-text: var(--accent-on-light);
  --ink: #0f1c1f; --soft: #56666b; --line: #e4e9ea; --edge: #84969b; --paper: ${PAPER.light}; --ground: #f6f7f7; --raised: #fff; --field: #f6f7f7; --bad: #a3231f; --warn: #fff6df; --warn-ink: #6b4e00; --good: #1c6b45;
  color: var(--ink); color-scheme: light; font: 400 15px/21px Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; -webkit-font-smoothing: antialiased; -webkit-tap-highlight-color: transparent; -webkit-text-size-adjust: 100%; }
.root.left { right: auto; left: max(var(--x), env(safe-area-inset-left)); }
.root[data-scheme=dark] { ${DARK} }
@media (prefers-color-scheme: dark) { .root[data-scheme=auto] { ${DARK} } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; cursor: pointer; background: none; border: 0; padding: 0; margin: 0; letter-spacing: inherit; }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; flex: none; display: block; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.launcher { min-width: 56px; height: 56px; border-radius: 28px; background: var(--accent); color: var(--accent-ink); box-shadow: 0 1px 2px rgb(0 0 0 / .12), 0 8px 24px rgb(0 0 0 / .2); display: flex; align-items: center; justify-content: center; position: relative; margin-left: auto; transition: transform .14s ease-out, box-shadow .14s ease-out; }
.left .launcher { margin-left: 0; margin-right: auto; }
.launcher:hover { transform: translateY(-2px); box-shadow: 0 2px 4px rgb(0 0 0 / .14), 0 12px 32px rgb(0 0 0 / .24); }
.launcher:active { transform: scale(.96); }
.launcher .words { font-weight: 600; padding-inline: 0 22px; max-width: 220px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.launcher .words:empty, .open .launcher .words { display: none; }
.signs { display: grid; width: 56px; place-items: center; } .signs svg { grid-area: 1 / 1; width: 26px; height: 26px; transition: opacity .14s, transform .14s; }
.signs svg + svg, .open .signs svg { opacity: 0; transform: rotate(-40deg) scale(.6); }
.open .signs svg + svg { opacity: 1; transform: none; }
.count { position: absolute; inset-block-start: -4px; inset-inline-end: -4px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px; background: #c62828; color: #fff; font-size: 12px; font-weight: 700; line-height: 22px; text-align: center; box-shadow: 0 0 0 2px #fff; font-variant-numeric: tabular-nums; }
@media (prefers-reduced-motion: reduce) { .launcher, .signs svg { transition: none; } .launcher:hover { transform: none; } }
@media (forced-colors: active) { .launcher { border: 1px solid; } }
`;
