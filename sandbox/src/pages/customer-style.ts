/** The panel of a chat's customer, and its forms. */
export const customerCss = `
@media (min-width:75.01rem) { .inbox[data-aside]:has(#crm:not([hidden])) { grid-template-columns:20rem minmax(0,1fr) 22rem; } }
.aside .state { padding:1rem; margin:0; } .aside .state:empty { display:none; } .aside .badges { margin:0; display:flex; gap:.4rem; } .badge.bad { background:var(--bad-soft); color:var(--bad); }
.aside section > .row { display:flex; gap:.4rem; } .field :is(input,select,textarea) { color:var(--ink); }
.aside .lines { display:grid; justify-items:end; } .chip.label { padding:.15rem .55rem; }
.aside .quiet { border-style:dashed; justify-self:start; max-width:100%; overflow:hidden; text-overflow:ellipsis; }
.aside .records { display:grid; gap:.5rem; } .aside .records:empty::before { content:"None yet"; color:var(--soft); } .records small { color:var(--soft); font-size:.8rem; }
.record { display:grid; grid-template-columns:minmax(0,1fr) auto; gap:.1rem .5rem; align-items:center; padding:.45rem .4rem .45rem .65rem; border:1px solid var(--line); border-radius:10px; background:var(--soft-ground); overflow-wrap:anywhere; }
.record > * { grid-column:1; } .record p { margin:0; white-space:pre-wrap; } .record > .icon { grid-column:2; grid-row:1 / span 2; width:1.9rem; height:1.9rem; min-width:1.9rem; font-size:.95rem; align-self:start; }
.task { display:flex; gap:.5rem; align-items:baseline; } .task input { margin:0; accent-color:var(--brand); flex:none; } .record[data-done] .task span { text-decoration:line-through; color:var(--soft); } .late { color:var(--bad); }
.comments { list-style:none; margin:.2rem 0 0; padding:0 0 0 .6rem; display:grid; gap:.25rem; border-left:2px solid var(--line); font-size:.9rem; } .comments:empty { display:none; } .comments li { display:grid; white-space:pre-wrap; }
.order-line > .price { grid-column:2; grid-row:1; padding-right:.3rem; } .order-line small { grid-column:1 / -1; } .order-line select { padding:.2rem .4rem; font-size:.85rem; margin-top:.2rem; } .inbox .order-line > .icon { grid-row:auto; grid-column:2; align-self:end; justify-self:end; }
.badge[data-paid] { background:var(--warn-soft); color:var(--warn); } .badge[data-paid=true] { background:none; color:var(--good); padding:0; }
.aside .stack { gap:.4rem; } .aside .stack > button { justify-self:start; } .aside textarea { font-size:.9rem; min-height:2.6rem; field-sizing:content; max-height:12rem; }
.aside form.due { grid-template-columns:minmax(0,1fr) auto; } .aside form.due > input { grid-column:1 / -1; }
.grid { display:grid; grid-template-columns:repeat(auto-fill,minmax(13rem,1fr)); gap:.6rem .8rem; align-items:start; } .box .grid :is(input,select,textarea) { width:100%; } .box :is(select,textarea) { font:inherit; font-size:.9rem; color:inherit; background:var(--ground); border:1px solid var(--line); border-radius:8px; padding:.4rem .6rem; min-width:0; }
.box fieldset { margin:0; padding:.6rem .8rem .8rem; display:grid; gap:.5rem; } .box legend { color:var(--soft); font-size:.85rem; padding:0 .3rem; }
.choices.short { max-height:14rem; overflow-y:auto; padding:2px; } .choice > .card-words { flex:1 1 auto; } .choice small { color:var(--soft); } .choice .price { white-space:nowrap; }
.option { display:flex; gap:.7rem; align-items:center; border:1px solid var(--line); border-radius:8px; cursor:pointer; } .option:has(:checked) { border-color:var(--brand); background:var(--chosen); }
.basket { list-style:none; margin:0; padding:0; display:grid; gap:.35rem; } .basket li { display:grid; grid-template-columns:minmax(0,1fr) 5rem auto auto; gap:.5rem; align-items:center; font-size:.9rem; } .stack > .price { margin:0; justify-self:end; }
.history { list-style:none; margin:0; padding:0; display:grid; gap:.6rem; } .history li { display:grid; gap:.1rem; overflow-wrap:anywhere; } .history small { color:var(--soft); }
@media (max-width:30rem) { .basket li { grid-template-columns:minmax(0,1fr) 5rem auto; } .basket .quantity { grid-column:1 / span 2; grid-row:2; text-align:right; } }
`;
