/** After the tokens of gangway-ui, whose colours it takes. */
export const sandboxCss = `
:root { --mine:var(--brand-tint); --bad:var(--danger); }
* { box-sizing: border-box; }
body { margin:0; background:var(--ground); color:var(--ink); font:15px/1.5 var(--font); }
header { display:flex; gap:2rem; padding:.8rem 1.2rem; background:var(--paper); border-bottom:1px solid var(--line); }
header a { color:var(--brand); margin-right:1rem; }
main { max-width:70rem; margin:0 auto; padding:1rem; display:grid; gap:1rem; }
section { background:var(--paper); border:1px solid var(--line); border-radius:12px; padding:1rem 1.2rem; min-width:0; }
h1 { font-size:1.2rem; margin:0 0 .5rem; } h2 { font-size:1rem; } small { color:var(--soft); font-weight:400; }
.row { display:flex; flex-wrap:wrap; gap:.6rem; align-items:center; }
button, .button { font:inherit; font-weight:600; padding:.4rem .9rem; border:1px solid var(--line); border-radius:8px; background:var(--paper); color:var(--ink); cursor:pointer; text-decoration:none; }
button:hover, .button:hover { border-color:var(--brand); }
:focus-visible { outline:3px solid var(--brand); outline-offset:1px; }
textarea { width:100%; font:inherit; color:inherit; background:var(--ground); border:1px solid var(--line); border-radius:8px; padding:.5rem; }
table { width:100%; border-collapse:collapse; font-size:.85rem; } th, td { text-align:left; padding:.3rem .6rem .3rem 0; border-top:1px solid var(--line); vertical-align:top; }
pre { white-space:pre-wrap; overflow-wrap:anywhere; background:var(--ground); padding:.5rem; border-radius:8px; max-width:40rem; }
.fault td { color:var(--bad); }
header nav { display:flex; flex-wrap:wrap; gap:.2rem 1rem; } header a { margin:0; } header a[aria-current] { color:var(--ink); font-weight:600; text-decoration:none; }
.unknowns { display:grid; gap:1rem; } .setting { display:grid; grid-template-columns:minmax(0,1fr) 16rem; gap:.1rem 1.5rem; align-items:center; padding:.6rem 0; border-top:1px solid var(--line); } h2 + .setting { border-top:0; } .setting > input, .setting > select { grid-row:1 / 3; grid-column:2; width:100%; } .setting.changed { box-shadow:-.6rem 0 var(--paper), -.75rem 0 var(--brand); } .unknowns .bar { position:sticky; bottom:0; margin:0; padding:.8rem 0; background:var(--ground); } @media (max-width:40rem) { .setting { grid-template-columns:minmax(0,1fr); } .setting > input, .setting > select { grid-area:auto; } }
.phones { list-style:none; margin:0; padding:0; display:grid; gap:.6rem; grid-template-columns:repeat(auto-fill,minmax(11rem,1fr)); } .phones a { display:flex; justify-content:space-between; padding:.8rem 1rem; border:1px solid var(--line); border-radius:8px; font-weight:600; text-decoration:none; text-transform:capitalize; } .phones a:hover { border-color:var(--brand); }
.logins { display:grid; gap:.2rem 1.5rem; grid-template-columns:repeat(auto-fill,minmax(min(100%,20rem),1fr)); } .logins p { margin:.3rem 0; overflow-wrap:anywhere; font-size:.9rem; } h2.kind { text-transform:capitalize; margin:1.2rem 0 .2rem; border-top:1px solid var(--line); padding-top:.8rem; }
.fields { display:grid; gap:.8rem; max-width:44rem; } main a:not(.button) { color:var(--brand); } .row + .row, form + .row { margin-top:.8rem; } .fields p { margin:0; } .fields p label { display:block; } .fields p select, .fields p input { display:block; } .fields label { display:grid; gap:.2rem; } .fields .choice { display:inline-flex; gap:.4rem; margin-right:1.2rem; } .fields button { justify-self:start; }
input:not([type=checkbox]), select { font:inherit; color:inherit; background:var(--ground); border:1px solid var(--line); border-radius:8px; padding:.4rem .6rem; max-width:100%; }
main:not(.inbox) > section { overflow-x:auto; } .fields, .fields label { grid-template-columns:minmax(0,1fr); } fieldset { min-width:0; border:1px solid var(--line); border-radius:8px; } iframe { width:100%; height:34rem; border:1px solid var(--line); border-radius:8px; background:#fff; }
code { overflow-wrap:anywhere; } .bad { color:var(--bad); white-space:pre-wrap; } .hidden { position:absolute; clip-path:inset(50%); }
main { grid-template-columns:minmax(0,1fr); }
/* A phone, and beside it who holds it and what else can be done. */
.phone { max-width:56rem; } .phone:has(.device) { display:block; position:relative; padding-top:1.2rem; } .phone > * { margin:0 0 1rem; } .phone .tabs .button { max-width:100%; overflow-wrap:anywhere; }
.device { display:flex; flex-direction:column; padding:0; overflow:hidden; border-radius:1.75rem; box-shadow:var(--shadow-raised); } .device h1 { margin:0; padding:.8rem 1.2rem; font-size:1rem; border-bottom:1px solid var(--line); } .device > p { margin:0; padding:.5rem 1.2rem; border-bottom:1px solid var(--line); } .device iframe { flex:1; min-height:22rem; border:0; border-radius:0; background:var(--ground); }
.device form.row { padding:.7rem .8rem; gap:.5rem; border-top:1px solid var(--line); } .device label[for=text] { position:absolute; clip-path:inset(50%); } .device form.row > #text { flex:1 1 12rem; min-width:0; border-radius:1.2rem; padding:.5rem .9rem; } .device form:has([type=file]) > #text { flex:1 1 100%; } .device form.row > input[type=file] { flex:1 1 9rem; font-size:.8rem; padding:.25rem; border:0; background:none; }
.device form button { border-radius:1.2rem; } .device button[type=submit]:not([name]) { background:var(--brand); border-color:var(--brand); color:var(--on-brand); }
@media (min-width:52rem) { .phone:has(.device) { min-height:calc(100vh - 4rem); padding-right:30rem; } .device { position:absolute; top:1.2rem; right:1rem; width:27rem; height:calc(100vh - 6.5rem); min-height:34rem; } .phone .tabs { flex-direction:column; align-items:stretch; gap:.4rem; } .phone:not(:has(> :not(.device))) { padding-right:1rem; } .phone:not(:has(> :not(.device))) > .device { position:static; margin:0 auto; } .phone .tabs .button { border-radius:8px; } }
@media (max-width:51.99rem) { .device { height:72vh; min-height:26rem; } }
form.row > #text { flex:1 1 14rem; } form.row > input[type=file] { flex:0 1 18rem; min-width:0; }
.tabs span { color:var(--soft); min-width:5rem; } .tabs .button { padding:.2rem .8rem; border-radius:99px; font-weight:400; } .tabs [aria-current=page] { background:var(--mine); border-color:var(--brand); font-weight:600; }
/* Scrolled to its end whenever it is shown. */
.talk { height:100vh; overflow-y:auto; display:flex; flex-direction:column-reverse; } .talk > div { display:grid; gap:.6rem; margin-bottom:auto; }
.bubble { justify-self:start; max-width:min(100%,36rem); background:var(--paper); border:1px solid var(--line); border-radius:12px; padding:.5rem .8rem; overflow-wrap:anywhere; } .bubble.own { justify-self:end; background:var(--mine); }
.said { white-space:pre-wrap; } .note { color:var(--soft); text-align:center; margin:0; } .bubble q { color:var(--soft); display:block; } .acts { gap:.3rem .6rem; margin-top:.3rem; font-size:.85rem; } .acts button { padding:.1rem .6rem; font-weight:400; } .acts:empty { display:none; }
`;

export const shopCss = `
body { margin:0; font:17px/1.6 Georgia,serif; color:#22302f; background:#f7f4ee; }
header { display:flex; justify-content:space-between; padding:1.2rem 6vw; border-bottom:1px solid #d9d2c3; }
main { padding:3rem 6vw; max-width:70rem; margin:auto; } h1 { font-size:2.6rem; margin:0; }
ul { list-style:none; padding:0; display:grid; grid-template-columns:repeat(auto-fill,minmax(13rem,1fr)); gap:1.5rem; } h2 { font-size:1.05rem; font-weight:400; }
.picture { height:9rem; border-radius:6px; background:linear-gradient(135deg,#c9bfa8,#8fa6a0); }
`;
