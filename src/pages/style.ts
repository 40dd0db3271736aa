export const styleSheet = `
:root {
  color-scheme: light dark;
  --ink: #16262b; --soft: #5a6b70; --line: #d9e1e3; --edge: #84969b; --paper: #ffffff; --ground: #f3f6f6;
  --brand: #0f5f6b; --brand-ink: #ffffff; --bad: #a3231f; --bad-ground: #fdecea; --good: #1c6b45; --good-ground: #e5f5ec;
  --note-ground: #fff6df; --note: #6b4e00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e6eef0; --soft: #9db0b5; --line: #2c3c41; --edge: #63787e; --paper: #17242a; --ground: #0e171b;
    --brand: #4fb3bf; --brand-ink: #06272c; --bad: #ffb4ab; --bad-ground: #46201d; --good: #8fe0b4; --good-ground: #14382a;
    --note-ground: #3a3011; --note: #f3dd9a;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { display: flex; align-items: center; gap: .75rem; padding: 1rem clamp(1rem, 4vw, 2.5rem); font-weight: 600; font-size: 1.1rem; }
header nav { margin-left: auto; display: flex; flex-wrap: wrap; justify-content: flex-end; gap: 1rem; font-size: .95rem; font-weight: 400; }
header img { border-radius: 8px; }
main { max-width: 50rem; margin: 0 auto; padding: .5rem clamp(1rem, 4vw, 2rem) 4rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; overflow-wrap: break-word; }
.card { background: var(--paper); border: 1px solid var(--line); border-radius: 14px; padding: clamp(1.1rem, 3vw, 2rem); box-shadow: 0 1px 2px rgb(0 0 0 / .05); }
.row h2 { margin: 0 0 .3rem; }
.gallery { list-style: none; padding: 0; margin: 0; display: grid; gap: .9rem; }
.gallery li { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: center; }
[data-fresh]:empty { display: none; }
.narrow { max-width: 34rem; width: 100%; margin: 0 auto; }
.account { display: flex; justify-content: space-between; align-items: flex-start; gap: 1rem; }
.account > div { min-width: 0; overflow-wrap: anywhere; }
.account > .small { flex: none; display: flex; flex-wrap: wrap; gap: .5rem; max-width: 100%; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 0 0 .6rem; letter-spacing: -.01em; }
h2 { font-size: 1.15rem; margin: 0 0 .6rem; }
form + h2, p + h2, .counts + h2, details + h2 { margin-top: 2rem; }
p { margin: .4rem 0; }
.lead, .hint { color: var(--soft); }
.hint { font-size: .9rem; font-weight: 400; }
ol { padding-left: 1.2rem; margin: 0; color: var(--soft); }
label { display: block; font-weight: 600; margin: 1.1rem 0 .35rem; }
input, textarea, select { width: 100%; font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--edge); border-radius: 9px; padding: .6rem .75rem; }
input[type=checkbox] { width: auto; }
input[type=color] { width: 4rem; height: 2.6rem; padding: .2rem; }
textarea { resize: vertical; }
.code { field-sizing: content; }
.code { font-family: ui-monospace, SFMono-Regular, Menlo, monospace; font-size: .85rem; word-break: break-all; }
[aria-busy=true] button { opacity: .6; cursor: progress; }
[aria-invalid=true] { border-color: var(--bad); }
:focus-visible { outline: 3px solid var(--brand); outline-offset: 2px; }
.button { display: inline-block; font: inherit; font-weight: 600; color: var(--ink); background: transparent; border: 1px solid var(--edge); border-radius: 9px; padding: .55rem 1.1rem; cursor: pointer; text-decoration: none; }
.button:hover { border-color: var(--brand); }
.primary { background: var(--brand); border-color: var(--brand); color: var(--brand-ink); margin-top: 1.4rem; }
.danger { color: var(--bad); border-color: var(--bad); }
.choices { display: flex; flex-wrap: wrap; gap: .8rem; margin-top: 1.4rem; }
.choices + table, form + table { margin-top: 1.4rem; }
.check { margin-top: 1rem; }
.chart { display: block; width: 100%; max-width: 26rem; height: auto; }
.try { display: flex; flex-wrap: wrap; gap: 1rem; align-items: center; }
.try p { flex: 1 1 14rem; }
.sites { list-style: none; padding: 0; overflow-wrap: anywhere; }
.beside { max-width: 24rem; }
.qr { width: 9rem; height: 9rem; border-radius: .5rem; }
.chart .none { fill: var(--edge); }
.chart .delivered { fill: var(--brand); }
.chart .failed { fill: var(--bad); }
.rights { list-style: none; padding: 0; margin: .6rem 0 0; font-size: .92rem; }
.rights li { display: flex; gap: .5rem; padding: .2rem 0; }
.rights li > :last-child { min-width: 0; overflow-wrap: anywhere; }
.given, .lacking { font-weight: 700; }
.given { color: var(--good); }
.lacking { color: var(--bad); }
.rows { list-style: none; padding: 0; color: var(--ink); }
.rows li { display: flex; flex-wrap: wrap; justify-content: space-between; gap: .5rem; padding: .6rem 0; border-top: 1px solid var(--edge); }
.rows .badge { align-self: flex-start; }
.legs { margin-top: .6rem; }
.legs li { flex-wrap: nowrap; }
.legs li > :last-child { flex: none; }
.rows + .done, p.done + .rows, .problem + .rows { margin-top: .6rem; }
.rows li > span { min-width: 0; overflow-wrap: anywhere; }
.check label { display: inline; font-weight: 400; }
.choices .button { margin: 0; overflow-wrap: anywhere; }
.small { display: inline; }
td .small { display: inline-block; margin: 0 .3rem .3rem 0; }
.small .button { font-size: .92rem; padding: .4rem .85rem; white-space: nowrap; }
a { color: var(--brand); }
.problem, .done, .notice { border-radius: 9px; padding: .7rem .95rem; margin: .6rem 0 0; overflow-wrap: anywhere; }
.problem { background: var(--bad-ground); color: var(--bad); }
.done { background: var(--good-ground); color: var(--good); margin: 0; }
.notice { background: var(--note-ground); color: var(--note); margin: 0; }
.problem .small { display: block; margin-top: .6rem; }
main > .problem { margin: 0; }
p:has(> .button) { margin-top: 1.3rem; }
.badge { font-size: .8rem; font-weight: 600; border-radius: 99px; padding: .15rem .6rem; background: var(--note-ground); color: var(--note); white-space: nowrap; }
.badge.working { background: var(--good-ground); color: var(--good); }
.badge.frozen, .badge.stopped, .badge.troubled { background: var(--bad-ground); color: var(--bad); }
.counts { display: flex; flex-wrap: wrap; gap: .4rem 1.4rem; list-style: none; padding: 0; margin: 0; color: var(--soft); font-size: .92rem; }
.counts strong { color: var(--ink); font-variant-numeric: tabular-nums; }
.counts .count-dead strong, .counts .count-held strong { color: var(--bad); }
details { margin-top: 1rem; }
.card > details:first-child { margin: 0; }
summary { cursor: pointer; font-weight: 600; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: .6rem .9rem .6rem 0; border-top: 1px solid var(--line); vertical-align: top; }
th { white-space: nowrap; }
td { overflow-wrap: break-word; }
td:first-child { width: 2rem; }
td:nth-child(2), td:nth-child(4) { overflow-wrap: anywhere; }
strong, q, a, span { unicode-bidi: isolate; }
td q { font-style: italic; }
.filter { display: flex; flex-wrap: wrap; gap: .4rem 1rem; align-items: end; margin: 1rem 0; }
.filter select { width: auto; max-width: 100%; }
.filter label { margin: 0; align-self: center; }
.choices details { margin: 0; align-self: center; }
.choices details .button { margin: .6rem .6rem 0 0; }
.slim { font-size: .92rem; padding: .4rem .85rem; margin: 0 .3rem .3rem 0; }
[aria-current=page] { border-color: var(--brand); color: var(--brand); }
td:last-child { padding-right: 0; }
.detail { display: block; }
.said { white-space: pre-wrap; }
.piece { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; background: var(--note-ground); border-radius: 9px; padding: .6rem .8rem; margin: .4rem 0; }
footer { padding: 0 1rem 2.5rem; text-align: center; }
footer button { font: inherit; font-size: .92rem; color: var(--soft); background: none; border: 0; padding: .5rem .8rem; cursor: pointer; }
footer button:hover, footer [aria-current] { color: var(--ink); text-decoration: underline; text-underline-offset: .25em; }
@media (max-width: 40rem) { .account { flex-wrap: wrap; } table, tbody { display: block; } td:empty { display: none; } thead { display: none; } td { display: block; border: 0; padding: .1rem 0; } tr { display: block; border-top: 1px solid var(--line); padding: .6rem 0; } }
`;
