/** Backgrounds on which the accent colour must be readable. */
export const PAPER = { light: "#ffffff", dark: "#192227" };

export const style = `
:host { all: initial !important; position: fixed !important; inset-block-end: 0 !important; inset-inline-end: 0 !important; z-index: 2147483000 !important; }
@media print { :host { display: none !important; } }
.root { all: initial; display: block; position: fixed; inset-block-end: max(20px, env(safe-area-inset-bottom)); inset-inline-end: 20px;
  --accent: #0f5f6b; --accent-ink: #fff; --accent-on-light: #0f5f6b; --accent-on-dark: #6fa3ab; --accent-text: var(--accent-on-light);
  --ink: #17212b; --soft: #5d6b75; --line: #e2e8ec; --paper: ${PAPER.light}; --ground: #f5f7f9; --field: #f1f4f6; --bad: #b3261e; --warn: #fff4d6; --warn-ink: #5c4300;
  color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; -webkit-font-smoothing: antialiased; -webkit-tap-highlight-color: transparent; color-scheme: light dark; }
@media (prefers-color-scheme: dark) { .root { --accent-text: var(--accent-on-dark);
  --ink: #e7edf0; --soft: #9aabb4; --line: #2c3a42; --paper: ${PAPER.dark}; --ground: #10171b; --field: #222e35; --bad: #ffb4ab; --warn: #3d3214; --warn-ink: #ffe2a0; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; cursor: pointer; background: none; border: 0; padding: 0; margin: 0; }
svg { width: 20px; height: 20px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; flex: none; display: block; }
:focus-visible { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

.launcher { width: 60px; height: 60px; border-radius: 50%; background: var(--accent); color: var(--accent-ink); box-shadow: 0 2px 6px rgb(0 0 0 / .16), 0 8px 28px rgb(0 0 0 / .22); display: grid; place-items: center; position: relative; margin-inline-start: auto; transition: transform .18s, box-shadow .18s; }
.launcher:hover { transform: translateY(-2px); box-shadow: 0 4px 8px rgb(0 0 0 / .18), 0 12px 32px rgb(0 0 0 / .26); }
.launcher:active { transform: scale(.96); }
.signs { display: grid; } .signs svg { grid-area: 1 / 1; width: 28px; height: 28px; transition: opacity .18s, transform .18s; }
.signs svg + svg, .open .signs svg { opacity: 0; transform: rotate(-40deg) scale(.6); }
.open .signs svg + svg { opacity: 1; transform: none; }
.count { position: absolute; inset-block-start: -4px; inset-inline-end: -4px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px; background: #d3302f; color: #fff; font-size: 12px; font-weight: 700; line-height: 22px; text-align: center; box-shadow: 0 0 0 2px #fff; }

.panel { position: relative; width: 384px; max-width: calc(100vw - 40px); height: min(660px, calc(100vh - 120px)); margin-block-end: 16px; border-radius: 20px; overflow: hidden; background: var(--paper); box-shadow: 0 0 0 1px rgb(0 0 0 / .05), 0 8px 24px rgb(0 0 0 / .12), 0 24px 64px rgb(0 0 0 / .22); display: flex; flex-direction: column; animation: rise .2s cubic-bezier(.2, .8, .3, 1); }
@keyframes rise { from { opacity: 0; transform: translateY(12px) scale(.98); } }
.head { background: var(--accent); color: var(--accent-ink); padding: 14px 12px 14px 16px; display: flex; align-items: center; gap: 12px; }
.head :focus-visible { outline-color: currentColor; }
.sign { width: 38px; height: 38px; border-radius: 50%; display: grid; place-items: center; background: color-mix(in srgb, currentColor 16%, transparent); }
.head h2 { font: inherit; font-size: 16.5px; font-weight: 650; margin: 0; flex: 1; min-width: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.icon { width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; flex: none; transition: background .15s; }
.icon:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.offline { background: var(--warn); color: var(--warn-ink); font-size: 13px; padding: 8px 16px; animation: wait 1.5s; }
.offline.closed { animation: none; font-size: 14px; padding-block: 12px; }
@keyframes wait { 0%, 99% { visibility: hidden; height: 0; padding-block: 0; } }

.log-frame { flex: 1; min-height: 0; position: relative; display: flex; }
.log { flex: 1; min-width: 0; overflow-y: auto; padding: 16px 14px 14px; background: var(--ground); overscroll-behavior: contain; scrollbar-width: thin; display: flex; flex-direction: column; }
.log:focus-visible { outline-offset: -2px; }
.list { display: flex; flex-direction: column; }
.greeting { margin: 0; align-self: flex-start; max-width: 84%; background: var(--paper); border: 1px solid var(--line); border-radius: 18px; border-end-start-radius: 6px; padding: 9px 13px; white-space: pre-wrap; overflow-wrap: anywhere; }
.older { align-self: center; margin-block-end: 12px; padding: 6px 14px; border-radius: 99px; background: var(--paper); border: 1px solid var(--line); color: var(--accent-text); font-size: 13px; font-weight: 600; }
.day { align-self: center; margin: 16px 0 2px; font-size: 12px; color: var(--soft); font-weight: 550; }
.latest { position: absolute; inset-block-end: 12px; inset-inline-end: 14px; width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; background: var(--paper); border: 1px solid var(--line); box-shadow: 0 2px 10px rgb(0 0 0 / .16); }
.message { max-width: 86%; align-self: flex-start; margin-block-start: 12px; }
.message[data-from=visitor] { align-self: flex-end; }
.message.follows { margin-block-start: 3px; }
.follows .author { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.author { font-size: 12.5px; font-weight: 550; color: var(--soft); margin: 0 13px 3px; display: flex; gap: 6px; }
.author:empty { display: none; }
.bot { font-size: 10.5px; text-transform: uppercase; letter-spacing: .04em; border: 1px solid var(--line); border-radius: 5px; padding: 0 4px; align-self: center; }
.line { display: flex; align-items: center; gap: 4px; }
[data-from=visitor] .line { flex-direction: row-reverse; }
.bubble { background: var(--paper); border: 1px solid var(--line); border-radius: 18px; border-end-start-radius: 6px; padding: 8px 12px 6px; overflow-wrap: anywhere; min-width: 0; position: relative; }
[data-from=visitor] .bubble { background: var(--accent); color: var(--accent-ink); border-color: transparent; border-radius: 18px; border-end-end-radius: 6px; }
[data-from=visitor] :focus-visible { outline-color: var(--accent-text); }
[data-from=visitor] .bubble :focus-visible { outline-color: currentColor; }
[data-status=sending] .bubble { opacity: .72; }
[data-status=refused] .bubble { opacity: .6; }
.text { white-space: pre-wrap; margin: 0; }
.text a { color: inherit; text-underline-offset: 2px; }
[data-from=agent] .text a { color: var(--accent-text); }
.gone { font-style: italic; opacity: .7; }
.meta { display: flex; gap: 5px; justify-content: flex-end; align-items: center; font-size: 11.5px; line-height: 16px; opacity: .75; margin-block-start: 1px; white-space: nowrap; }
.tick svg { width: 16px; height: 16px; stroke-width: 2.2; }
[data-status=read] .meta { opacity: 1; } [data-status=read] .tick { color: #8fe3ff; } [data-status=read] .tick svg { stroke-width: 2.8; }
.root.dark-ink [data-status=read] .tick { color: #0b4fb3; }
.refusal { display: flex; flex-wrap: wrap; gap: 2px 10px; justify-content: flex-end; font-size: 12.5px; color: var(--bad); margin: 3px 4px 0; }
.refusal button, .link { text-decoration: underline; text-underline-offset: 2px; font-weight: 600; }
.side { flex: none; width: 30px; }
.quote-button { width: 30px; height: 30px; border-radius: 50%; display: grid; place-items: center; color: var(--soft); opacity: 0; transition: opacity .12s; }
.quote-button svg { width: 17px; height: 17px; }
.message:hover .quote-button, .quote-button:focus-visible { opacity: 1; }
.quote-button:hover { background: color-mix(in srgb, currentColor 14%, transparent); }
@media (hover: none) { .quote-button { opacity: .55; } }
.message:focus { outline: none; } .message:focus .bubble { outline: 2px solid var(--accent-text); outline-offset: 2px; }
.quoted { display: block; width: 100%; text-align: start; border-inline-start: 3px solid color-mix(in srgb, currentColor 55%, transparent); background: color-mix(in srgb, currentColor 9%, transparent); border-radius: 6px; padding: 4px 9px; margin: 2px 0 6px; font-size: 13px; }
.quoted span { white-space: pre-wrap; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden; }
.pictures { display: grid; gap: 3px; margin: -3px -7px 4px; border-radius: 13px; overflow: hidden; }
.quoted + .pictures { margin-block-start: 0; }
.pictures.several { grid-template-columns: 1fr 1fr; }
.pictures a { display: block; } .pictures :focus-visible { outline-offset: -3px; }
.picture { display: block; width: auto; height: auto; min-width: 64px; min-height: 48px; max-width: 100%; max-height: 240px; object-fit: cover; background: color-mix(in srgb, currentColor 10%, transparent); }
.several .picture { width: 100%; height: 116px; }
.picture-only { padding: 4px; } .picture-only .pictures { margin: 0; }
.picture-only .meta { position: absolute; inset-block-end: 10px; inset-inline-end: 10px; background: rgb(0 0 0 / .55); color: #fff; border-radius: 9px; padding: 1px 7px; opacity: 1; }
.file { display: flex; gap: 10px; align-items: center; padding: 4px 0; color: inherit; text-decoration: none; }
.file-icon { width: 40px; height: 40px; border-radius: 12px; display: grid; place-items: center; background: color-mix(in srgb, currentColor 11%, transparent); }
.file-about { display: flex; flex-direction: column; min-width: 0; }
.file-name { font-weight: 550; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
.file:hover .file-name { text-decoration: underline; }
.file small { font-size: 12px; opacity: .75; }
.suggestions { display: flex; flex-wrap: wrap; gap: 8px; padding-block-start: 14px; justify-content: flex-end; }
.suggestions button { display: inline-flex; gap: 6px; align-items: center; border: 1.5px solid var(--accent-text); border-radius: 99px; padding: 6px 14px; background: var(--paper); color: var(--accent-text); font-weight: 600; font-size: 14px; transition: background .15s, color .15s; }
.suggestions button:hover { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.suggestions svg { width: 15px; height: 15px; }

.foot { position: relative; min-inline-size: 0; margin: 0; border: 0; border-block-start: 1px solid var(--line); padding: 10px 12px 12px; }
.foot:disabled { opacity: .5; pointer-events: none; }
.extra { display: flex; flex-wrap: wrap; gap: 6px; padding-block-end: 8px; max-height: 148px; overflow-y: auto; }
.chip { border-radius: 10px; background: var(--field); padding: 4px 4px 4px 8px; display: inline-flex; align-items: center; gap: 8px; max-width: 100%; font-size: 13px; }
.chip canvas { width: 30px; height: 30px; border-radius: 7px; margin-inline-start: -3px; }
.chip-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 190px; }
.chip.about { border-inline-start: 3px solid var(--accent-text); width: 100%; } .about .chip-name { flex: 1; max-width: none; }
.chip.failed { color: var(--bad); }
.drop { width: 26px; height: 26px; border-radius: 50%; display: grid; place-items: center; flex: none; } .drop svg { width: 14px; height: 14px; }
.drop:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.spinner { width: 15px; height: 15px; border-radius: 50%; border: 2px solid color-mix(in srgb, currentColor 22%, transparent); border-block-start-color: currentColor; animation: turn .8s linear infinite; flex: none; }
@keyframes turn { to { transform: rotate(1turn); } }
.problem { color: var(--bad); font-size: 13px; padding: 0 4px 8px; margin: 0; } .problem:empty { display: none; }
.row { display: flex; align-items: flex-end; gap: 8px; }
.field { flex: 1; min-width: 0; display: flex; align-items: flex-end; background: var(--field); border-radius: 22px; padding: 4px; border: 1.5px solid transparent; transition: border-color .15s; }
.field:focus-within { border-color: var(--accent-text); }
.field .icon { color: var(--soft); }
.input { flex: 1; min-width: 0; font: inherit; line-height: 20px; color: inherit; background: transparent; border: 0; outline: 0; resize: none; padding: 8px 2px; margin: 0; height: 36px; max-height: 132px; scrollbar-width: thin; }
.input::placeholder { color: var(--soft); opacity: 1; }
.send { width: 44px; height: 44px; margin-block-end: 1px; border-radius: 50%; background: var(--accent); color: var(--accent-ink); display: grid; place-items: center; flex: none; transition: opacity .15s, transform .15s; }
.send svg { stroke-width: 2.4; } .send:hover { transform: scale(1.05); } .send.idle { opacity: .45; transform: none; }
.send.waiting svg { animation: breathe 1s ease-in-out infinite alternate; } @keyframes breathe { to { opacity: .25; } }
.emojis { position: absolute; inset-inline: 12px; inset-block-end: calc(100% - 4px); display: grid; grid-template-columns: repeat(8, 1fr); padding: 8px; background: var(--paper); border: 1px solid var(--line); border-radius: 16px; box-shadow: 0 8px 28px rgb(0 0 0 / .18); }
.emojis button { font-size: 22px; line-height: 1; aspect-ratio: 1; border-radius: 10px; } .emojis button:hover { background: var(--field); }
.veil { position: absolute; inset: 8px; border-radius: 14px; border: 2px dashed var(--accent-text); background: color-mix(in srgb, var(--paper) 92%, transparent); color: var(--accent-text); display: grid; place-items: center; font-weight: 600; pointer-events: none; }

@media (max-width: 480px) { .root.open { inset: 0; } .open .panel { width: 100%; max-width: none; height: 100vh; height: 100dvh; margin: 0; border-radius: 0; box-shadow: none; padding-block-end: env(safe-area-inset-bottom); } .open .launcher { display: none; }
  /* Below 16 pixels an iPhone zooms into the field. */ .input { font-size: 16px; } }
@media (prefers-reduced-motion: reduce) { *, .panel { transition: none !important; animation-duration: .01s !important; animation-iteration-count: 1 !important; } .offline { animation-duration: 1.5s !important; } }
@media (forced-colors: active) { .bubble, .launcher, .send { border: 1px solid; } }
`;
