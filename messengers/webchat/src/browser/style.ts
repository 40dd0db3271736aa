/** Styles of window and preview; host and launcher have their own (loader/style.ts). */
export const style = `
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
h2, h3, p, dl, dd { margin: 0; } h2, h3 { font: inherit; font-weight: 600; }
.icon { width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; flex: none; color: inherit; transition: background .14s ease-out; }
.icon:hover { background: color-mix(in srgb, currentColor 12%, transparent); } .icon:disabled { opacity: .4; cursor: default; background: none; }
.plain { flex: 1; min-width: 0; width: 100%; font: inherit; color: inherit; background: var(--paper); border: 1px solid var(--edge); border-radius: 8px; padding: 0 12px; height: 40px; }
.plain::placeholder { color: var(--soft); opacity: 1; }
.main, .danger, .plain-button { height: 40px; padding: 0 16px; border-radius: 8px; font-weight: 600; } .main { background: var(--accent); color: var(--accent-ink); } .danger { background: var(--bad); color: var(--paper); } .plain-button { border: 1px solid var(--edge); }
.quiet { color: var(--soft); font-size: 13px; text-decoration: underline; text-underline-offset: 2px; justify-self: start; min-height: 24px; }
.problem { color: var(--bad); font-size: 13px; line-height: 18px; } .problem:empty { display: none; }

.panel { position: relative; width: 384px; max-width: calc(100vw - 2 * var(--x)); height: min(668px, calc(100vh - var(--y) - 96px)); height: min(668px, calc(100dvh - var(--y) - 96px)); margin-block-end: 16px; border-radius: 16px; overflow: hidden; background: var(--paper); box-shadow: 0 0 0 1px rgb(0 0 0 / .06), 0 16px 48px rgb(0 0 0 / .18); display: flex; flex-direction: column; animation: rise .18s cubic-bezier(.2, .8, .3, 1); }
[data-scheme=dark] .panel { box-shadow: 0 0 0 1px var(--line), 0 16px 48px rgb(0 0 0 / .5); }
@keyframes rise { from { opacity: 0; transform: translateY(12px) scale(.98); } }
.head { background: var(--accent); color: var(--accent-ink); padding: 16px 10px 16px 18px; display: flex; align-items: center; gap: 12px; flex: none; } [dir=rtl] .head { padding: 16px 18px 16px 10px; }
.head [data-part=menu] svg { stroke-width: 3; } .head .icon + .icon { margin-inline-start: -10px; }
.head :focus-visible { outline-color: currentColor; }
.head-words { flex: 1; min-width: 0; } .head h2 { font-size: 16px; line-height: 22px; letter-spacing: -.01em; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.about { font-size: 13px; line-height: 18px; overflow-wrap: anywhere; }
.faces { display: flex; }
.face { width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; font-weight: 600; font-size: 15px; color: #12343a; background: #f2c9b0; overflow: hidden; flex: none; }
.face > * { grid-area: 1 / 1; } .face img { width: 100%; height: 100%; object-fit: cover; z-index: 1; }
.tint-1 { background: #bfe0dc; } .tint-2 { background: #d9d2f0; } .tint-3 { background: #f4dfa8; } .tint-4 { background: #c9dff2; }
.head .face { box-shadow: 0 0 0 2px var(--accent); } .head .face + .face { margin-inline-start: -10px; } .face.sign { background: color-mix(in srgb, var(--accent-ink) 16%, var(--accent)); color: inherit; }
.menu { position: absolute; z-index: 3; inset-block-start: 58px; inset-inline-end: 10px; min-width: 240px; max-width: calc(100% - 20px); padding: 6px; border-radius: 12px; background: var(--raised); border: 1px solid var(--line); box-shadow: 0 8px 24px rgb(0 0 0 / .16); display: grid; }
.menu button { display: flex; align-items: center; gap: 12px; min-height: 40px; padding: 6px 10px; border-radius: 8px; font-size: 14px; line-height: 20px; text-align: start; } .menu button:hover { background: var(--field); } .menu svg { color: var(--soft); } .menu [data-part=erase], .menu [data-part=erase] svg { color: var(--bad); }
.switch { margin-inline-start: auto; width: 34px; height: 20px; border-radius: 10px; border: 1.5px solid var(--edge); padding: 2px; flex: none; } .switch::after { content: ""; display: block; width: 13px; height: 13px; border-radius: 50%; background: var(--edge); transition: transform .14s; }
[aria-checked=true] .switch { background: var(--accent-text); border-color: var(--accent-text); } [aria-checked=true] .switch::after { background: var(--paper); transform: translateX(14px); } [dir=rtl] [aria-checked=true] .switch::after { transform: translateX(-14px); }
.search { display: flex; align-items: center; gap: 2px; padding: 8px 8px 8px 12px; border-block-end: 1px solid var(--line); } .search .plain { height: 36px; } .search-count { font-size: 12px; color: var(--soft); white-space: nowrap; padding-inline: 6px; font-variant-numeric: tabular-nums; } .search-count:empty { display: none; } .search .icon { width: 32px; }
.offline { background: var(--warn); color: var(--warn-ink); font-size: 13px; line-height: 18px; padding: 8px 16px; animation: wait 1.5s; }
.offline.closed { animation: none; font-size: 14px; padding-block: 12px; }
@keyframes wait { 0%, 99% { visibility: hidden; height: 0; padding-block: 0; } }

.log-frame { flex: 1; min-height: 0; position: relative; display: flex; }
.log { flex: 1; min-width: 0; overflow-y: auto; padding: 16px; background: var(--ground); overscroll-behavior: contain; scrollbar-width: thin; display: flex; flex-direction: column; }
.log:focus-visible { outline-offset: -2px; }
.list { display: flex; flex-direction: column; }
.greetings { display: flex; flex-direction: column; gap: 10px; align-items: flex-start; }
.greeting, .bubble { background: var(--paper); border: 1px solid var(--line); border-radius: 16px; border-end-start-radius: 4px; padding: 9px 13px; overflow-wrap: anywhere; }
.greeting { max-width: 84%; white-space: pre-wrap; }
.older { align-self: center; margin-block-end: 12px; padding: 6px 14px; border-radius: 99px; background: var(--paper); border: 1px solid var(--line); color: var(--accent-text); font-size: 13px; font-weight: 600; }
.day { align-self: center; margin: 16px 0 2px; font-size: 12px; line-height: 16px; color: var(--soft); font-weight: 500; }
.latest { position: absolute; inset-block-end: 12px; inset-inline-end: 14px; width: 36px; height: 36px; border-radius: 50%; display: grid; place-items: center; background: var(--raised); border: 1px solid var(--line); box-shadow: 0 2px 10px rgb(0 0 0 / .16); }
.message { max-width: 88%; align-self: flex-start; margin-block-start: 12px; border-radius: 16px; }
.message[data-from=visitor] { align-self: flex-end; }
.message.follows { margin-block-start: 4px; }
.message.hit .bubble { box-shadow: 0 0 0 2px var(--accent-text); }
.follows .author { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
.author { font-size: 12px; line-height: 16px; font-weight: 500; color: var(--soft); margin: 0 13px 4px; display: flex; gap: 6px; }
.author:empty { display: none; }
.bot { font-size: 10.5px; text-transform: uppercase; letter-spacing: .04em; border: 1px solid var(--line); border-radius: 5px; padding: 0 4px; align-self: center; }
.line { display: flex; align-items: center; gap: 4px; }
[data-from=visitor] .line { flex-direction: row-reverse; }
.bubble { padding: 8px 13px 6px; min-width: 0; position: relative; }
[data-from=visitor] .bubble { background: var(--accent); color: var(--accent-ink); border-color: transparent; border-radius: 16px; border-end-end-radius: 4px; }
[data-from=visitor] :focus-visible { outline-color: var(--accent-text); }
[data-from=visitor] .bubble :focus-visible { outline-color: currentColor; }
[data-status=sending] .bubble, [data-status=refused] .bubble { outline: 1px dashed currentColor; outline-offset: -4px; }
.text { white-space: pre-wrap; }
.text a { color: inherit; text-underline-offset: 2px; }
[data-from=agent] .text a { color: var(--accent-text); }
.gone { font-style: italic; opacity: .8; }
.meta { display: flex; gap: 5px; justify-content: flex-end; align-items: center; font-size: 11.5px; line-height: 16px; margin-block-start: 1px; white-space: nowrap; font-variant-numeric: tabular-nums; }
[data-from=agent] .meta { color: var(--soft); }
.tick svg { width: 16px; height: 16px; stroke-width: 2.2; }
[data-status=sent] .tick, [data-status=delivered] .tick, [data-status=sending] .tick { opacity: .75; }
.quoted { display: block; width: 100%; text-align: start; border-inline-start: 3px solid currentColor; padding: 2px 10px; margin-block-end: 6px; font-size: 13px; line-height: 18px; } .quoted span { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; }
.side { flex: none; min-width: 28px; } .quote-button { width: 28px; height: 28px; border-radius: 50%; display: grid; place-items: center; color: var(--soft); opacity: 0; transition: opacity .14s; } .quote-button svg { width: 16px; height: 16px; }
.message:hover .quote-button, .quote-button:focus-visible { opacity: 1; } @media (hover: none) { .quote-button { opacity: .7; } }
.refusal { font-size: 13px; color: var(--bad); margin: 4px 13px 0; display: flex; flex-wrap: wrap; gap: 4px 12px; } .refusal button { font-weight: 600; text-decoration: underline; text-underline-offset: 2px; min-height: 24px; }
.pictures { display: grid; gap: 4px; margin-block-end: 4px; } .pictures.several { grid-template-columns: 1fr 1fr; } .enlarge { display: block; border-radius: 10px; overflow: hidden; cursor: zoom-in; } .picture { display: block; width: 100%; max-height: 260px; height: auto; object-fit: cover; min-width: 60px; min-height: 60px; background: var(--field); } .several .picture { aspect-ratio: 1; }
.picture-only .pictures { margin: -5px -10px 4px; } .picture-only .picture { border-radius: 10px; }
.audio { display: block; width: 250px; max-width: 100%; height: 40px; margin-block: 2px 4px; } .video { display: block; width: 100%; max-height: 260px; border-radius: 10px; background: #000; margin-block-end: 4px; }
.file { display: flex; gap: 10px; align-items: center; color: inherit; text-decoration: none; padding: 4px 0; } .file + .file { margin-block-start: 4px; } .file:hover .file-name { text-decoration: underline; }
.file-icon { width: 36px; height: 36px; border-radius: 8px; display: grid; place-items: center; background: color-mix(in srgb, currentColor 12%, transparent); flex: none; } .file-about { display: grid; min-width: 0; line-height: 18px; } .file-name { font-weight: 500; font-size: 14px; overflow-wrap: anywhere; } .file small { font-size: 12px; }
.card { margin: 0 -14px; } .text + .card { margin-block-start: 8px; border-block-start: 1px solid var(--line); } .bubble.has-card { overflow: hidden; width: 276px; max-width: 100%; padding-block-start: 0; } .has-card .text, .has-card .quoted { margin-block-start: 8px; }
.card-picture { display: block; width: 100%; height: 132px; object-fit: cover; background: var(--field); } .card-in { padding: 12px 14px 6px; display: grid; gap: 4px; } .card small { color: var(--soft); font-size: 13px; line-height: 18px; } .card-name { font-weight: 600; }
.card-foot { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: 6px 12px; margin-block-start: 6px; } .price { font-size: 16px; font-weight: 600; font-variant-numeric: tabular-nums; }
.card-link { display: inline-flex; align-items: center; justify-content: center; height: 36px; padding: 0 14px; border-radius: 8px; background: var(--accent); color: var(--accent-ink); font-weight: 600; font-size: 14px; text-decoration: none; white-space: nowrap; } .order .card-link { margin-block-start: 8px; }
.order-head { display: flex; gap: 8px; align-items: center; justify-content: space-between; } .order-status { font-size: 12px; line-height: 20px; padding: 0 8px; border-radius: 10px; background: var(--field); border: 1px solid var(--line); }
.card dl { margin: 6px 0 0; } .order-row { display: flex; gap: 12px; justify-content: space-between; padding: 5px 0; border-block-start: 1px solid var(--line); font-size: 14px; line-height: 20px; } .order-row dt { min-width: 0; overflow-wrap: anywhere; } .order-row dd { font-variant-numeric: tabular-nums; white-space: nowrap; } .order-row.total { font-weight: 600; font-size: 15px; }
.suggestions { display: flex; flex-wrap: wrap; gap: 8px; padding-block-start: 12px; justify-content: flex-end; } .starters { justify-content: flex-start; padding-block-start: 2px; }
.suggestions button { display: inline-flex; gap: 6px; align-items: center; border: 1px solid var(--accent-text); border-radius: 16px; padding: 5px 13px; background: var(--paper); color: var(--accent-text); font-weight: 500; font-size: 14px; line-height: 20px; text-align: start; transition: background .14s, color .14s; }
.suggestions button:hover { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.suggestions svg { width: 15px; height: 15px; }
.ask { margin-block-start: 14px; padding: 12px 14px; border-radius: 12px; background: var(--paper); border: 1px solid var(--line); display: grid; gap: 8px; font-size: 14px; line-height: 20px; } .ask-line { display: flex; gap: 8px; align-items: center; }

.first { padding: 16px; border-block-start: 1px solid var(--line); display: grid; gap: 10px; max-height: 60%; overflow-y: auto; font-size: 14px; line-height: 20px; flex: none; } .first label { display: grid; gap: 4px; font-weight: 500; } .first .agree { grid-template-columns: 20px 1fr; gap: 10px; align-items: start; font-weight: 400; font-size: 13px; line-height: 18px; } .agree input { width: 18px; height: 18px; margin: 0; accent-color: var(--accent-text); } .agree span { white-space: pre-wrap; overflow-wrap: anywhere; }
.foot { position: relative; min-inline-size: 0; margin: 0; border: 0; border-block-start: 1px solid var(--line); padding: 12px; flex: none; }
.foot:disabled { opacity: .5; pointer-events: none; }
.foot .problem { padding: 0 4px 8px; }
.extra { display: flex; flex-wrap: wrap; gap: 6px; padding-block-end: 8px; max-height: 148px; overflow-y: auto; }
.chip { border-radius: 8px; background: var(--field); border: 1px solid var(--line); padding: 3px 3px 3px 8px; display: inline-flex; align-items: center; gap: 8px; max-width: 100%; font-size: 13px; }
.chip canvas { width: 30px; height: 30px; border-radius: 6px; margin-inline-start: -4px; }
.chip-name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; max-width: 170px; }
.chip.about { border-inline-start: 3px solid var(--accent-text); width: 100%; } .about .chip-name { flex: 1; max-width: none; }
.chip.failed { color: var(--bad); } .chip .link { text-decoration: underline; }
.chip progress { width: 48px; height: 6px; appearance: none; border: 0; border-radius: 3px; overflow: hidden; background: var(--line); } .chip progress::-webkit-progress-bar { background: var(--line); } .chip progress::-webkit-progress-value { background: var(--accent-text); transition: width .2s; } .chip progress::-moz-progress-bar { background: var(--accent-text); }
.drop { width: 26px; height: 26px; border-radius: 50%; display: grid; place-items: center; flex: none; } .drop svg { width: 14px; height: 14px; }
.drop:hover { background: color-mix(in srgb, currentColor 12%, transparent); }
.row, .record { display: flex; align-items: flex-end; gap: 8px; } .record { align-items: center; min-height: 44px; font-size: 14px; } .record-time { margin-inline-start: auto; font-variant-numeric: tabular-nums; } .record-dot { width: 10px; height: 10px; border-radius: 50%; background: var(--bad); animation: breathe 1s ease-in-out infinite alternate; }
.field { flex: 1; min-width: 0; display: flex; align-items: flex-end; background: var(--field); border-radius: 22px; padding: 3px; border: 1px solid var(--edge); transition: border-color .14s; }
.field:focus-within { border-color: var(--accent-text); box-shadow: 0 0 0 1px var(--accent-text); }
.field .icon { color: var(--soft); }
.input { flex: 1; min-width: 0; font: inherit; line-height: 20px; color: inherit; background: transparent; border: 0; outline: 0; resize: none; padding: 8px 2px; margin: 0; height: 36px; max-height: 132px; scrollbar-width: thin; }
.input::placeholder { color: var(--soft); opacity: 1; }
.send { width: 44px; height: 44px; border-radius: 50%; background: var(--accent); color: var(--accent-ink); display: grid; place-items: center; flex: none; transition: opacity .14s, transform .14s; } .send.small { width: 40px; height: 40px; }
.send svg { stroke-width: 2.2; } .send:hover { transform: scale(1.05); } .send.idle { opacity: .5; transform: none; }
.send.waiting svg { animation: breathe 1s ease-in-out infinite alternate; } @keyframes breathe { to { opacity: .25; } }
.emojis { position: absolute; inset-inline: 12px; inset-block-end: calc(100% - 4px); display: grid; grid-template-columns: repeat(8, 1fr); padding: 8px; background: var(--raised); border: 1px solid var(--line); border-radius: 12px; box-shadow: 0 8px 24px rgb(0 0 0 / .18); }
.emojis button { font-size: 22px; line-height: 1; aspect-ratio: 1; border-radius: 8px; } .emojis button:hover { background: var(--field); }
.veil { position: absolute; inset: 8px; border-radius: 12px; border: 2px dashed var(--accent-text); background: color-mix(in srgb, var(--paper) 92%, transparent); color: var(--accent-text); display: grid; place-items: center; font-weight: 600; pointer-events: none; }

.beside { position: absolute; bottom: 72px; right: 0; width: max-content; max-width: min(300px, calc(100vw - 2 * var(--x))); display: flex; align-items: flex-start; background: var(--raised); border: 1px solid var(--line); border-radius: 16px; border-end-end-radius: 4px; box-shadow: 0 8px 24px rgb(0 0 0 / .16); animation: rise .18s cubic-bezier(.2, .8, .3, 1); } .left .beside { right: auto; left: 0; } .open .beside { display: none; }
.bubble-says { padding: 12px 0 12px 14px; text-align: start; min-width: 0; } [dir=rtl] .bubble-says { padding: 12px 14px 12px 0; } .bubble-words { display: flex; gap: 10px; align-items: flex-start; min-width: 0; } .bubble-words > :last-child { min-width: 0; display: grid; } .bubble-words b { font-size: 13px; font-weight: 600; } .bubble-text { display: -webkit-box; -webkit-line-clamp: 4; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; } .bubble-drop { width: 32px; height: 32px; margin: 5px; color: var(--soft); } .bubble-drop svg { width: 16px; height: 16px; }

dialog { color: var(--ink); font: inherit; border: 0; padding: 0; } dialog::backdrop { background: rgb(0 0 0 / .5); }
.sure { width: 360px; max-width: calc(100vw - 32px); border-radius: 16px; padding: 20px; background: var(--raised); box-shadow: 0 16px 48px rgb(0 0 0 / .3); text-align: start; } .sure h3 { font-size: 17px; margin-block-end: 8px; } .sure .problem { margin-block-start: 8px; } .sure-row { display: flex; gap: 8px; justify-content: flex-end; margin-block-start: 18px; }
.viewer { width: 100vw; height: 100vh; height: 100dvh; max-width: none; max-height: none; background: rgb(8 12 14 / .94); color: #fff; } .viewer[open] { display: grid; place-items: center; } .viewer > img { max-width: calc(100vw - 32px); max-height: calc(100dvh - 128px); object-fit: contain; } .viewer-head { position: absolute; inset-block-start: 12px; inset-inline: 16px; display: flex; gap: 4px; align-items: center; justify-content: flex-end; } .viewer-count { margin-inline-end: auto; font-variant-numeric: tabular-nums; } .viewer .icon { width: 44px; height: 44px; background: rgb(255 255 255 / .14); } .viewer :focus-visible { outline-color: #fff; } .before, .after { position: absolute; top: calc(50% - 22px); left: 12px; } .after { left: auto; right: 12px; }

@media (max-width: 480px), (max-height: 500px) { .root.open { inset: 0 !important; } .open .panel { width: 100%; max-width: none; height: 100vh; height: 100dvh; margin: 0; border-radius: 0; box-shadow: none; padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left); } .open .launcher { display: none; }
  /* Below 16 pixels an iPhone zooms into the field. */ .input, .plain { font-size: 16px; } }
@media (max-height: 500px) { .head { padding-block: 6px; } .foot { padding-block: 6px; } .first { max-height: 75%; } .emojis { grid-template-columns: repeat(12, 1fr); } .about { display: none; } }
@media (pointer: coarse) { .icon, .menu button, .plain, .main, .danger, .plain-button { min-height: 44px; } .head .icon, .field .icon { min-width: 40px; } .suggestions button { min-height: 36px; } }
@media (prefers-reduced-motion: reduce) { *, .panel { transition: none !important; animation-duration: .01s !important; animation-iteration-count: 1 !important; } .offline { animation-duration: 1.5s !important; } .send:hover { transform: none; } }
@media (forced-colors: active) { .bubble, .send, .panel, .beside, .greeting { border: 1px solid; } }
`;
