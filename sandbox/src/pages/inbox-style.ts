import { customerCss } from "./customer-style.ts";

/** Agents' inbox: frame, chats, conversation, details, dialogs. */
const frame = `
body:has(#inbox) { --soft-ground:var(--ground); --hover:var(--ground); --chosen:var(--brand-tint); --mine:var(--brand-tint); --note:#fff5d1; --note-line:#ecd48a; --note-ink:#6b5200; --warn:#9a5b00; --warn-soft:#fdefd8; --bad-soft:#fde8e6; --good:#1a7f4b; --shadow:0 10px 40px rgb(16 24 48 / .18); --on-brand:#fff;
  display:grid; grid-template:auto minmax(0,1fr) / minmax(0,1fr); height:100dvh; overflow:hidden; }
@media (prefers-color-scheme: dark) { body:has(#inbox) { --soft-ground:var(--ground); --hover:#1c2432; --chosen:var(--brand-tint); --mine:var(--brand-tint); --note:#362f17; --note-line:#5d5124; --note-ink:#f1dc9a; --warn:#ffc46b; --warn-soft:#3b2e17; --bad-soft:#43211f; --good:#6ed7a0; --shadow:0 10px 40px rgb(0 0 0 / .6); --on-brand:#0f1524; } }
.sr { position:absolute; width:1px; height:1px; margin:-1px; overflow:hidden; clip-path:inset(50%); white-space:nowrap; }
.inbox { max-width:none; margin:0; padding:0; gap:0; min-height:0; width:100%; grid-template-columns:20rem minmax(0,1fr); grid-template-rows:minmax(0,1fr); }
.inbox[data-aside] { grid-template-columns:20rem minmax(0,1fr) 19rem; }
.inbox [hidden], .box [hidden], #problem[hidden] { display:none !important; }
.inbox > section { border:0; border-radius:0; padding:0; min-height:0; }
.inbox svg, .box svg, .popover svg, #problem svg { width:1.15em; height:1.15em; fill:none; stroke:currentColor; stroke-width:1.8; stroke-linecap:round; stroke-linejoin:round; flex:none; }
.inbox button, .box button, .popover button { display:inline-flex; align-items:center; justify-content:center; gap:.4rem; font-weight:500; font-size:.87rem; padding:.38rem .75rem; transition:background .12s,border-color .12s; }
.inbox button:hover:not(:disabled), .box button:hover:not(:disabled) { background:var(--hover); }
.inbox button:disabled, .box button:disabled { opacity:.5; cursor:default; }
button.primary, .inbox button.primary, .box button.primary { background:var(--brand); border-color:var(--brand); color:var(--on-brand); font-weight:600; }
.inbox button.primary:hover:not(:disabled), .box button.primary:hover:not(:disabled) { background:color-mix(in srgb, var(--brand) 88%, var(--ink)); }
.inbox button.danger { color:var(--bad); }
.inbox .icon, .box .icon, #problem .icon { border:0; background:none; padding:0; width:2.1rem; height:2.1rem; min-width:2.1rem; border-radius:8px; color:var(--soft); font-size:1.05rem; cursor:pointer; display:inline-flex; align-items:center; justify-content:center; }
.inbox .icon:hover, .box .icon:hover { background:var(--hover); color:var(--ink); }
.inbox select, .inbox input, .box input:not([type=file]), .box textarea { font:inherit; font-size:.9rem; color:inherit; background:var(--ground); border:1px solid var(--line); border-radius:8px; padding:.4rem .6rem; min-width:0; }
:is(.inbox,.box,.popover) :focus-visible { outline:2px solid var(--brand); outline-offset:1px; } :is(.thread,.aside):focus-visible { outline-offset:-2px !important; }
.avatar { display:inline-grid; place-items:center; width:2.4rem; height:2.4rem; border-radius:50%; font-size:.82rem; font-weight:600; letter-spacing:.02em; background:hsl(var(--tone) 60% 90%); color:hsl(var(--tone) 55% 28%); flex:none; user-select:none; }
.avatar.small { width:1.7rem; height:1.7rem; font-size:.65rem; }
[data-tone="0"] { --tone:222; } [data-tone="1"] { --tone:158; } [data-tone="2"] { --tone:28; } [data-tone="3"] { --tone:330; } [data-tone="4"] { --tone:268; } [data-tone="5"] { --tone:192; }
@media (prefers-color-scheme: dark) { .avatar { background:hsl(var(--tone) 35% 26%); color:hsl(var(--tone) 75% 84%); } }
.badge { display:inline-flex; align-items:center; gap:.25rem; font-size:.72rem; font-weight:600; padding:.05rem .45rem; border-radius:99px; background:var(--hover); color:var(--soft); }
.badge.private { background:none; color:var(--note-ink); padding:0; }
.soft { color:var(--soft); margin:.3rem 0; }
.chips { list-style:none; margin:0; padding:0; display:flex; flex-wrap:wrap; gap:.4rem; }
.chip { display:inline-flex; align-items:center; gap:.35rem; background:var(--hover); border-radius:8px; padding:.15rem .15rem .15rem .55rem; font-size:.85rem; max-width:100%; }
.chip .icon { width:1.5rem; height:1.5rem; min-width:1.5rem; font-size:.85rem; }
.chip[aria-busy=true] { opacity:.6; } .file-name { overflow:hidden; text-overflow:ellipsis; white-space:nowrap; }
`;

const chats = `
.inbox > .chats { display:grid; grid-template:auto auto minmax(0,1fr) auto / minmax(0,1fr); border-right:1px solid var(--line); }
.chats-head { display:flex; align-items:center; gap:.6rem; padding:.6rem .6rem .3rem .9rem; }
.chats-head select { flex:1 1 auto; font-weight:600; background:none; border-color:transparent; padding-left:.2rem; max-width:11rem; text-overflow:ellipsis; }
.chats-head select:hover { border-color:var(--line); }
#connection { display:flex; align-items:center; gap:.35rem; font-size:.75rem; color:var(--soft); margin-left:auto; white-space:nowrap; }
#connection::before { content:""; width:.55rem; height:.55rem; border-radius:50%; background:var(--warn); }
#connection[data-state=open]::before { background:var(--good); }
#connection[data-state=waiting] { color:var(--warn); font-weight:600; } #connection[data-state=waiting]::before { animation:pulse 1s infinite alternate; }
@keyframes pulse { to { opacity:.25; } }
.chats-search { padding:.2rem .9rem .6rem; display:grid; grid-template-columns:minmax(0,1fr); gap:.5rem; border-bottom:1px solid var(--line); }
#filters { display:flex; gap:.25rem; }
#filters button { padding:.16rem .6rem; border-radius:99px; border-color:transparent; background:none; font-size:.82rem; color:var(--soft); }
#filters button[aria-pressed=true] { background:var(--chosen); color:var(--brand); font-weight:600; }
#chats { overflow-y:auto; position:relative; overscroll-behavior:contain; display:block; }
#chats .space { position:relative; }
#chats .chat { position:absolute; inset:0 0 auto; height:78px; padding:.55rem .9rem; display:grid; grid-template-columns:2.4rem minmax(0,1fr); column-gap:.7rem; align-content:center; cursor:pointer; border-bottom:1px solid var(--line); contain:strict; }
.chat:hover { background:var(--hover); } .chat[aria-selected=true] { background:var(--chosen); box-shadow:inset 3px 0 var(--brand); }
#chats .chat:focus-visible { outline-offset:-3px; }
.chat .avatar { grid-row:1 / span 3; align-self:center; }
.chat-line { display:flex; align-items:center; gap:.5rem; min-width:0; } .chat-line > :first-child { flex:1 1 auto; min-width:0; }
.chat-name { font-weight:500; overflow:hidden; text-overflow:ellipsis; white-space:nowrap; line-height:1.35; }
.chat[data-unread] .chat-name, .chat[data-unread] .chat-last { font-weight:650; color:var(--ink); }
.chat time { font-size:.75rem; color:var(--soft); flex:none; }
.chat .chat-last { color:var(--soft); font-size:.86rem; line-height:1.35; overflow:hidden; text-overflow:ellipsis; white-space:nowrap; }
.draft { color:var(--bad); font-weight:600; }
.chat .unread { background:var(--brand); color:var(--on-brand); border-radius:99px; min-width:1.25rem; padding:0 .4rem; font-size:.72rem; font-weight:700; line-height:1.25rem; text-align:center; flex:none; }
.chat-marks { display:flex; gap:.5rem; font-size:.74rem; color:var(--soft); line-height:1.3; overflow:hidden; white-space:nowrap; }
.chat-marks .channel { overflow:hidden; text-overflow:ellipsis; flex:0 1 auto; }
.mark { display:inline-flex; align-items:center; gap:.2rem; flex:none; } .mark::before { content:none; }
.chat-marks .mark { padding-left:.5rem; border-left:1px solid var(--line); }
.mark.blocked, [data-mark=blocked] { color:var(--bad); } .mark[data-waiting=warning], [data-mark=warning] { color:var(--warn); font-weight:600; } .mark[data-waiting=danger], [data-mark=danger] { color:var(--bad); font-weight:600; }
#invitation { grid-row:3; grid-column:1; overflow-y:auto; border:0; border-radius:0; z-index:1; padding:1.2rem .9rem; color:var(--soft); } #invitation h2 { margin:0 0 .6rem; font-size:1rem; color:var(--ink); } #invitation ul { padding-left:1.1rem; } #invitation li { margin:.5rem 0; } #invitation[hidden] { display:none; }
#nothing { grid-row:3; text-align:center; color:var(--soft); padding:2rem 1rem; margin:0; pointer-events:none; grid-column:1; }
#chats { grid-row:3; grid-column:1; }
#count { grid-row:4; margin:0; padding:.35rem .9rem; font-size:.75rem; color:var(--soft); border-top:1px solid var(--line); }
`;

const conversation = `
.inbox > .thread { display:grid; grid-template:auto minmax(0,1fr) auto / minmax(0,1fr); background:var(--soft-ground); }
#unopened { position:absolute; inset:0; display:grid; place-content:center; justify-items:center; gap:.3rem; padding:1rem; text-align:center; color:var(--soft); } #unopened p { margin:0; max-width:22rem; } #unopened strong { color:var(--ink); } #unopened svg { width:2.4rem; height:2.4rem; fill:none; stroke:var(--brand); stroke-width:1.5; margin-bottom:.4rem; } #unopened kbd { border:1px solid var(--line); border-radius:4px; padding:0 .35rem; background:var(--paper); } .thread:has(#composer:not([hidden])) #unopened { display:none; }
.thread-head { display:flex; align-items:center; gap:.7rem; padding:.55rem 1rem; background:var(--paper); border-bottom:1px solid var(--line); min-height:3.6rem; }
.thread-title { flex:1 1 auto; min-width:0; } .thread-title h2 { margin:0; font-size:1rem; overflow:hidden; text-overflow:ellipsis; white-space:nowrap; }
#about { margin:0; font-size:.8rem; color:var(--soft); display:flex; gap:.6rem; white-space:nowrap; overflow:hidden; } #about > :first-child { overflow:hidden; text-overflow:ellipsis; } #about > * + *::before { content:"·"; margin-right:.6rem; color:var(--soft); }
#acts { flex:none; flex-wrap:nowrap; gap:.4rem; } .inbox #back { display:none; }
.log-frame { position:relative; min-height:0; display:grid; grid-template:minmax(0,1fr) / minmax(0,1fr); }
#messages { overflow-y:auto; overflow-x:hidden; overflow-anchor:none; overscroll-behavior:contain; padding:1rem clamp(.6rem,2.5vw,1.6rem); display:flex; flex-direction:column; gap:0; }
.log-note { text-align:center; color:var(--soft); font-size:.82rem; margin:.4rem 0; }
.day { display:flex; align-items:center; gap:.8rem; color:var(--soft); font-size:.78rem; font-weight:600; margin:1rem 0 .4rem; } .day::before, .day::after { content:""; flex:1; height:1px; background:var(--line); }
.message { display:grid; grid-template-columns:2.1rem minmax(0,max-content) auto; column-gap:.55rem; max-width:100%; border:0; background:none; padding:0; margin-top:.75rem; white-space:normal; border-radius:14px; align-self:stretch; justify-content:start; scroll-margin:1rem; }
.message[data-follows] { margin-top:.2rem; } .message[data-follows] .face > *, .message[data-follows] .author { position:absolute; width:1px; height:1px; overflow:hidden; clip-path:inset(50%); }
.message .face { align-self:start; } .message .face .avatar { width:2.1rem; height:2.1rem; font-size:.72rem; }
.message .bubble { background:var(--paper); border:1px solid var(--line); border-radius:4px 14px 14px 14px; padding:.45rem .75rem .35rem; max-width:min(36rem,100%); min-width:4.5rem; overflow-wrap:anywhere; }
.message[data-from=user], .message[data-from=bot] { background:none; align-self:stretch; grid-template-columns:auto minmax(0,max-content); justify-content:end; }
.message[data-from=user] .face, .message[data-from=bot] .face { display:none; }
.message[data-from=user] .bubble, .message[data-from=bot] .bubble { grid-column:2; grid-row:1; justify-self:end; background:var(--mine); border-color:transparent; border-radius:14px 4px 14px 14px; }
.message[data-from=bot] .bubble { background:color-mix(in srgb, var(--mine) 45%, var(--paper)); border:1px dashed color-mix(in srgb, var(--brand) 45%, transparent); }
.message[data-from=user] .tools, .message[data-from=bot] .tools { grid-column:1; grid-row:1; } .message[data-from=user] .reactions, .message[data-from=bot] .reactions { grid-column:2; justify-content:flex-end; }
.message[data-scope=private] .bubble { background:var(--note); border:1px solid var(--note-line); } .message[data-status=failed] .bubble { border:1px solid var(--bad); }
.message[data-from=system] { display:block; text-align:center; margin:.35rem 0; } .message[data-from=system] .bubble { background:none; border:0; padding:0; max-width:none; color:var(--soft); font-size:.8rem; }
.message[data-from=system] time { margin-left:.5rem; } .message[data-from=system] > :not(.bubble) { display:none; } .message[data-from=system] .bubble > :empty { display:none; }
.author { display:flex; align-items:center; gap:.4rem; font-size:.78rem; font-weight:600; color:var(--soft); margin-bottom:.1rem; flex-wrap:wrap; }
.message .text { white-space:pre-wrap; } .message .text :is(pre, code) { margin:0; font:.92em ui-monospace, monospace; white-space:pre-wrap; overflow-wrap:anywhere; } .message .text a { color:var(--brand); } .content > * + * { margin-top:.35rem; }
.message .meta { display:flex; justify-content:flex-end; align-items:center; gap:.45rem; font-size:.72rem; color:var(--soft); margin-top:.1rem; }
.tick { display:inline-flex; align-items:center; gap:.2rem; } .tick svg { width:1.05rem; height:1.05rem; } [data-tick=seen] { color:var(--brand); } [data-tick=failed], .fault-words { color:var(--bad); } .fault-words { margin-right:auto; font-size:.78rem; text-align:left; }
.message .content em { color:var(--soft); }
.tools { display:flex; align-items:center; gap:0; opacity:0; transition:opacity .12s; align-self:center; min-width:0; } .message:is(:hover,:focus-within) .tools { opacity:1; }
.message .tools .icon { width:1.9rem; height:1.9rem; min-width:1.9rem; font-size:.95rem; }
.message:focus-visible { outline-offset:4px; }
.reactions { grid-column:2; display:flex; gap:.25rem; flex-wrap:wrap; margin-top:-.25rem; padding-left:.5rem; z-index:1; } .reactions:empty { display:none; }
.inbox .reaction { padding:.02rem .5rem; font-size:.82rem; border-radius:99px; background:var(--paper); min-height:1.6rem; } .inbox .reaction[aria-pressed=true] { border-color:var(--brand); background:var(--chosen); } .inbox .reaction:disabled { opacity:1; }
.quoted { display:block; border-left:3px solid var(--brand); padding:.1rem .55rem; border-radius:3px; background:color-mix(in srgb, var(--brand) 8%, transparent); color:var(--soft); font-size:.86rem; max-height:4.4rem; overflow:hidden; white-space:pre-wrap; } .quoted strong { display:block; font-size:.78rem; color:var(--ink); }
.picture { display:block; } .message .picture img { display:block; max-width:min(20rem,100%); max-height:15rem; border-radius:8px; background:var(--hover); }
.file audio, .file video { display:block; width:min(19rem,62vw); max-width:100%; border-radius:8px; } .file video { max-height:16rem; }
.file-line { display:flex; align-items:center; gap:.5rem; color:inherit; text-decoration:none; background:color-mix(in srgb, var(--ink) 5%, transparent); padding:.4rem .6rem; border-radius:8px; max-width:22rem; } a.file-line:hover .file-name { text-decoration:underline; } .file-line small { margin-left:auto; white-space:nowrap; } .file audio + .file-line { background:none; padding:.2rem .1rem 0; font-size:.85rem; }
.transcription { margin:.3rem 0 0; font-size:.86rem; color:var(--soft); font-style:italic; }
.card { display:flex; gap:.7rem; min-width:min(15rem,100%); max-width:22rem; text-align:left; white-space:normal; } .card-picture { width:3.6rem; height:3.6rem; border-radius:8px; background:color-mix(in srgb, var(--ink) 7%, transparent); display:grid; place-items:center; overflow:hidden; flex:none; color:var(--soft); font-size:1.4rem; } .card-picture img { width:100%; height:100%; object-fit:cover; }
.card-words { display:grid; align-content:center; gap:.05rem; min-width:0; text-align:left; } .card a { color:inherit; } .price { font-weight:600; font-variant-numeric:tabular-nums; }
.card.order { display:grid; gap:.3rem; } .card-head { display:flex; align-items:center; gap:.45rem; } .order ul { list-style:none; margin:0; padding:0; font-size:.86rem; } .order li { display:flex; justify-content:space-between; gap:1rem; padding:.12rem 0; } .quantity { white-space:nowrap; color:var(--soft); } .order > .price { border-top:1px solid var(--line); padding-top:.25rem; text-align:right; }
.badge[data-order=complete] { color:var(--good); } .badge[data-order=cancel] { color:var(--bad); }
.message .suggestions { list-style:none; margin:.45rem 0 .1rem; padding:0; display:flex; flex-wrap:wrap; gap:.3rem; } .suggestions li { display:inline-flex; align-items:center; gap:.3rem; border:1px solid color-mix(in srgb, var(--brand) 45%, transparent); color:var(--brand); border-radius:99px; padding:.05rem .65rem; font-size:.83rem; background:var(--paper); }
.inbox #newer { position:absolute; bottom:.7rem; left:50%; transform:translateX(-50%); border-radius:99px; box-shadow:var(--shadow); background:var(--paper); color:var(--brand); z-index:2; }
`;

const writing = `
#composer { border-top:1px solid var(--line); padding:.6rem 1rem .7rem; background:var(--paper); display:grid; grid-template-columns:minmax(0,1fr); gap:.45rem; } #quick { min-width:0; } #composer[data-note] { background:var(--note); }
#hindrance { margin:0; padding:.4rem .7rem; border-radius:8px; background:var(--warn-soft); color:var(--warn); font-size:.87rem; }
#quote { display:flex; align-items:center; gap:.4rem; } #quote .quoted { flex:1; max-height:2.9rem; }
#composer textarea { font:inherit; padding:.5rem .7rem; border-radius:10px; resize:none; display:block; background:var(--soft-ground); color:inherit; border:1px solid var(--line); width:100%; } #composer[data-note] textarea { background:var(--paper); border-color:var(--note-line); }
#composer #reply { min-height:3.3rem; max-height:35vh; field-sizing:content; } #composer #suggestions { font-size:.86rem; padding:.3rem .7rem; border-style:dashed; max-height:6rem; field-sizing:content; } #suggestions::placeholder { white-space:nowrap; overflow:hidden; text-overflow:ellipsis; }
#composer .row.tools { opacity:1; gap:.15rem; } #attach-label { position:relative; } #attach { position:absolute; inset:0; width:100%; height:100%; opacity:0; cursor:pointer; padding:0; } #attach-label:focus-within { outline:2px solid var(--brand); outline-offset:1px; }
.inbox #note { border-color:transparent; background:none; color:var(--soft); padding:.3rem .55rem; } .inbox #note:hover { background:var(--hover); } .inbox #note[aria-pressed=true] { background:var(--paper); border-color:var(--note-line); color:var(--note-ink); font-weight:600; }
#attached, #counter { font-size:.8rem; color:var(--soft); padding:0 .4rem; } #counter[data-over] { color:var(--bad); font-weight:600; } .inbox #send { margin-left:auto; padding:.45rem 1rem; }
`;

const aside = `
.aside { border-left:1px solid var(--line); background:var(--paper); overflow-y:auto; min-width:0; font-size:.9rem; } .details-head { display:flex; align-items:center; justify-content:space-between; padding:.55rem .6rem .55rem 1rem; border-bottom:1px solid var(--line); min-height:3.6rem; position:sticky; top:0; background:var(--paper); } .details-head h2 { margin:0; font-size:1rem; }
.aside section { border:0; border-bottom:1px solid var(--line); border-radius:0; padding:.8rem 1rem; background:none; display:grid; gap:.55rem; } .aside section > div { display:grid; gap:.55rem; justify-items:start; } .aside h3 { margin:0; font-size:.74rem; text-transform:uppercase; letter-spacing:.06em; color:var(--soft); }
.aside dl { margin:0; display:grid; grid-template-columns:auto minmax(0,1fr); gap:.2rem .8rem; width:100%; } .aside dt { color:var(--soft); } .aside dd { margin:0; overflow-wrap:anywhere; text-align:right; } .aside dd a { color:var(--brand); }
.aside ul { list-style:none; margin:0; padding:0; } .aside #members li { display:flex; gap:.5rem; align-items:center; padding:.2rem 0; } .aside form.row { display:flex; flex-wrap:nowrap; gap:.4rem; } .aside form.row > :is(select,input) { flex:1 1 auto; width:4rem; } .aside #tag-colour { flex:0 1 6.6rem; } #members:empty::before { content:"Nobody yet"; color:var(--soft); } .aside #leave { justify-self:start; }
.warning { margin:0; color:var(--bad); display:flex; gap:.4rem; align-items:center; }
.tag { --dot:#98a2b3; } .tag::before { content:""; width:.6rem; height:.6rem; border-radius:50%; background:var(--dot); } .tag[data-colour$=blue] { --dot:#4674e8; } .tag[data-colour$=green] { --dot:#2ea36b; } .tag[data-colour$=orange] { --dot:#ee8b2c; } .tag[data-colour$=red] { --dot:#e0473c; }
#problem { position:fixed; z-index:20; left:50%; bottom:11rem; transform:translateX(-50%); display:flex; align-items:center; gap:.5rem; max-width:min(36rem,calc(100vw - 1.5rem)); padding:.45rem .45rem .45rem 1rem; border-radius:10px; background:var(--bad-soft); color:var(--bad); border:1px solid color-mix(in srgb, var(--bad) 40%, transparent); box-shadow:var(--shadow); font-size:.9rem; overflow-wrap:anywhere; } #problem .icon { color:inherit; }
.box { border:1px solid var(--line); border-radius:14px; padding:0; width:min(34rem,calc(100vw - 1.5rem)); max-height:min(40rem,88dvh); background:var(--paper); color:var(--ink); box-shadow:var(--shadow); } .box[open] { display:flex; flex-direction:column; } .box::backdrop { background:rgb(12 18 32 / .45); }
.box-head { display:flex; justify-content:space-between; align-items:center; padding:.7rem .7rem .5rem 1.1rem; } .box-head h2 { margin:0; font-size:1.05rem; } .box-problem { margin:0 1.1rem; color:var(--bad); } .box-body { padding:.3rem 1.1rem 1.1rem; overflow-y:auto; display:grid; gap:.7rem; }
.choices { display:grid; gap:.45rem; } .box .choice { justify-content:flex-start; padding:.6rem .7rem; font-weight:400; width:100%; } .choice .card { width:100%; max-width:none; } .box .choice .text { color:var(--soft); white-space:pre-wrap; font-size:.85rem; }
.stack { display:grid; gap:.7rem; justify-items:stretch; } .stack > .primary { justify-self:end; } .stack > .quiet { justify-self:start; } .field { display:grid; gap:.2rem; font-size:.85rem; color:var(--soft); } .preview { border-radius:4px 14px 14px 14px; background:var(--mine); padding:.6rem .8rem; display:grid; gap:.3rem; justify-items:start; white-space:pre-wrap; overflow-wrap:anywhere; }
.keys { display:grid; grid-template-columns:auto 1fr; gap:.5rem 1.2rem; margin:0; align-items:center; } .keys dt { white-space:nowrap; } .keys dd { margin:0; } kbd { font:inherit; font-size:.82rem; border:1px solid var(--line); border-bottom-width:2px; border-radius:6px; padding:.05rem .4rem; background:var(--ground); margin-right:.2rem; }
.popover { position:fixed; inset:auto; margin:0; border:1px solid var(--line); border-radius:16px; padding:.25rem; background:var(--paper); box-shadow:var(--shadow); max-width:min(18rem,calc(100vw - 1rem)); max-height:min(14rem,60dvh); overflow-y:auto; overscroll-behavior:contain; } .popover:popover-open { display:flex; flex-wrap:wrap; gap:.1rem; } .popover .emoji { border:0; background:none; font-size:1.25rem; padding:.2rem .45rem; border-radius:99px; } .popover .emoji:hover { background:var(--hover); }
`;

const narrow = `
@media (max-width:75rem) { .inbox[data-aside] { grid-template-columns:18rem minmax(0,1fr) 17rem; } .inbox { grid-template-columns:18rem minmax(0,1fr); } }
@media (max-width:64rem) { .inbox, .inbox[data-aside] { grid-template-columns:17rem minmax(0,1fr); } .inbox[data-aside] .aside { position:fixed; inset:auto 0 0 auto; top:0; height:100dvh; width:min(21rem,100vw); z-index:10; box-shadow:var(--shadow); } }
@media (max-width:46rem) {
  body:has(#inbox) > header { padding:.5rem .8rem; gap:.8rem; font-size:.9rem; } body:has(#inbox) > header strong { display:none; } body:has(#inbox) > header nav { gap:.1rem .8rem; }
  .inbox, .inbox[data-aside] { grid-template-columns:minmax(0,1fr); } .inbox[data-view=list] > .thread, .inbox[data-view=chat] > .chats { display:none; } .inbox > .chats { border-right:0; } .inbox #back { display:inline-flex; }
  .thread-head { padding:.4rem .5rem; gap:.45rem; } #acts button { padding:.35rem .5rem; font-size:.8rem; } #acts [data-action=close] { display:none; } #face { display:none; } #composer { padding:.5rem .6rem; }
  .message { grid-template-columns:minmax(0,max-content); position:relative; } .message .face { display:none; } .message .bubble { max-width:86vw; } .message[data-from=user], .message[data-from=bot] { grid-template-columns:minmax(0,max-content); } .message[data-from=user] .bubble, .message[data-from=bot] .bubble, .reactions, .message[data-from=user] .reactions, .message[data-from=bot] .reactions { grid-column:1; }
  .message .tools, .message[data-from=user] .tools, .message[data-from=bot] .tools { position:absolute; top:-1.1rem; right:.4rem; left:auto; grid-column:1; background:var(--paper); border:1px solid var(--line); border-radius:10px; box-shadow:var(--shadow); z-index:3; visibility:hidden; } .message .tools:empty { display:none; } .message:is(:focus-within,:hover) .tools { visibility:visible; }
  .message:not([data-from=user],[data-from=bot]) .tools { right:auto; left:.4rem; } #note { font-size:.8rem !important; } .inbox #send { padding:.45rem .8rem; }
}
@media (prefers-reduced-motion: reduce) { .inbox *, .box * { transition:none !important; animation:none !important; } }
`;

export const inboxCss = [frame, chats, conversation, writing, aside, customerCss, narrow].join("");
