export const style = `
:host { all: initial; position: fixed; inset-block-end: 20px; inset-inline-end: 20px; z-index: 2147483000; --accent: #0f5f6b; --accent-ink: #fff;
  --ink: #1b2528; --soft: #5f6f74; --line: #e0e6e8; --paper: #fff; --ground: #f4f7f8; --bad: #a3231f; font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; color: var(--ink); }
@media (prefers-color-scheme: dark) { :host { --ink: #e8eef0; --soft: #9fb0b5; --line: #304046; --paper: #182328; --ground: #10191d; --bad: #ffb4ab; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; cursor: pointer; background: none; border: 0; padding: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.launcher { width: 60px; height: 60px; border-radius: 50%; background: var(--accent); color: var(--accent-ink); box-shadow: 0 6px 24px rgb(0 0 0 / .25); display: grid; place-items: center; position: relative; margin-inline-start: auto; transition: transform .15s; }
.launcher:hover { transform: scale(1.05); }
.launcher svg, .icon svg { width: 26px; height: 26px; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.count { position: absolute; inset-block-start: -3px; inset-inline-end: -3px; min-width: 22px; height: 22px; padding: 0 6px; border-radius: 11px; background: #c62828; color: #fff; font-size: 12px; font-weight: 700; line-height: 22px; text-align: center; }
.panel { width: 380px; height: min(620px, calc(100vh - 120px)); margin-block-end: 14px; border-radius: 18px; overflow: hidden; background: var(--paper); box-shadow: 0 12px 48px rgb(0 0 0 / .28); display: flex; flex-direction: column; border: 1px solid var(--line); }
.head { background: var(--accent); color: var(--accent-ink); padding: 14px 16px; display: flex; align-items: center; gap: 10px; }
.head h2 { font-size: 16px; font-weight: 650; margin: 0; flex: 1; }
.icon { width: 36px; height: 36px; border-radius: 10px; display: grid; place-items: center; flex: none; }
.icon svg { width: 20px; height: 20px; }
.icon:hover { background: rgb(128 128 128 / .18); }
.offline { background: #fff3d1; color: #5c4300; font-size: 13px; padding: 6px 16px; }
.log { flex: 1; overflow-y: auto; padding: 16px; display: flex; flex-direction: column; gap: 4px; background: var(--ground); overscroll-behavior: contain; }
.greeting { color: var(--soft); text-align: center; margin: 4px 24px 12px; white-space: pre-wrap; }
.message { max-width: 84%; align-self: flex-start; margin-block-start: 6px; }
.message[data-from=visitor] { align-self: flex-end; }
.bubble { background: var(--paper); border: 1px solid var(--line); border-radius: 16px 16px 16px 5px; padding: 8px 12px; overflow-wrap: anywhere; }
[data-from=visitor] .bubble { background: var(--accent); color: var(--accent-ink); border-color: transparent; border-radius: 16px 16px 5px 16px; }
.text { white-space: pre-wrap; margin: 0; } .text a, .file { color: inherit; }
.author, .meta { font-size: 12px; color: var(--soft); }
.author { margin: 0 4px 2px; }
.meta { display: flex; gap: 8px; margin: 2px 4px 0; align-items: center; min-height: 18px; }
[data-from=visitor] .meta { justify-content: flex-end; }
.meta button { text-decoration: underline; }
[data-from=visitor] .quote-button { order: -1; }
.quote-button { opacity: 0; } .message:hover .quote-button, .quote-button:focus-visible { opacity: 1; }
@media (hover: none) { .quote-button { opacity: 1; } }
[data-status=read] .tick { color: var(--accent); font-weight: 700; }
[data-status=refused] .meta { color: var(--bad); }
.quoted { border-inline-start: 3px solid currentColor; opacity: .8; padding-inline-start: 8px; margin-block-end: 4px; font-size: 13px; white-space: pre-wrap; max-height: 4.2em; overflow: hidden; }
.gone { font-style: italic; opacity: .75; }
.picture { display: block; max-width: 100%; max-height: 220px; border-radius: 10px; margin-block: 3px; background: rgb(128 128 128 / .15); }
.file { display: flex; gap: 8px; align-items: center; padding: 6px 0; }
.file svg { width: 22px; height: 22px; fill: none; stroke: currentColor; stroke-width: 1.8; flex: none; }
.suggestions { display: flex; flex-wrap: wrap; gap: 8px; padding: 8px 16px 4px; background: var(--ground); }
.suggestions button { border: 1.5px solid var(--accent); border-radius: 99px; padding: 6px 14px; background: var(--paper); color: var(--ink); font-weight: 550; }
.suggestions button:hover { background: var(--accent); color: var(--accent-ink); }
.foot { border-block-start: 1px solid var(--line); padding: 8px 10px 10px; }
.extra { display: flex; flex-wrap: wrap; gap: 6px; font-size: 13px; padding: 0 6px 6px; align-items: center; }
.chip { border: 1px solid var(--line); border-radius: 8px; padding: 2px 8px; display: inline-flex; gap: 6px; max-width: 100%; }
.chip span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.problem { color: var(--bad); font-size: 13px; padding: 0 6px 6px; margin: 0; }
.row { display: flex; align-items: flex-end; gap: 2px; }
.input { flex: 1; font: inherit; color: inherit; background: transparent; border: 0; resize: none; padding: 8px; max-height: 130px; min-width: 0; outline-offset: 0; border-radius: 10px; }
.input::placeholder { color: var(--soft); opacity: 1; }
.send { background: var(--accent); color: var(--accent-ink); } .send:hover { background: var(--accent); filter: brightness(1.1); }
.emojis { display: grid; grid-template-columns: repeat(8, 1fr); padding: 4px; }
.emojis button { font-size: 21px; padding: 3px; border-radius: 8px; } .emojis button:hover { background: rgb(128 128 128 / .18); }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 480px) { :host(.open) { inset: 0; } :host(.open) .panel { width: 100%; height: 100%; margin: 0; border-radius: 0; border: 0; } :host(.open) .launcher { display: none; } }
@media (prefers-reduced-motion: reduce) { * { transition: none !important; scroll-behavior: auto !important; } }
`;

export const icons = {
  chat: "M21 12a8 8 0 0 1-8 8H4l2-3.2A8 8 0 1 1 21 12Z",
  down: "M6 9l6 6 6-6",
  close: "M6 6l12 12M18 6L6 18",
  send: "M4 12l16-8-6 16-3-6-7-2Z",
  clip: "M20 11l-8.5 8.5a5 5 0 0 1-7-7L13 4a3.3 3.3 0 0 1 4.7 4.7l-8.4 8.4a1.7 1.7 0 0 1-2.4-2.4L14.5 7",
  smile: "M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18ZM8 14c1 1.7 2.4 2.5 4 2.5s3-.8 4-2.5M9 9.5v.1M15 9.5v.1",
  file: "M14 3H6v18h12V7l-4-4Zm0 0v4h4",
};
