import { at, button, type Child, el, icon, iconButton, row } from "gangway-messenger/kit/emulator/browser/dom";
import type { createAsides } from "./asides.ts";
import type { Chats } from "./chats.ts";
import type { DialogActs, Tag } from "./dialog-acts.ts";
import { fill } from "./fill.ts";
import { icons } from "./icons.ts";
import { type Channel, type Chat, type Member, openDialog } from "./model.ts";
import { channelName, fullTime, initialsOf, personWords, toneOf } from "./names.ts";
import type { People } from "./people.ts";

export interface DetailsParts {
  chats: Chats;
  people: People;
  acts: DialogActs;
  me: number;
  addAside: ReturnType<typeof createAsides>;
  problem(error: unknown): void;
}
export interface Details {
  show(chatId: number | undefined): void;
  /** Tags or members may have changed. */
  reload(): void;
  toggle(): void;
}

const COLOURS = ["light-gray", "blue", "green", "orange", "red", "gray", "light-blue", "light-green"];

export function createDetails(parts: DetailsParts): Details {
  const { chats, people, acts, me, problem } = parts;
  const [panel, opener] = [at("details"), at("details-open")];
  let chatId: number | undefined;
  let tags: Tag[] = [];
  let members: Member[] = [];
  const chat = () => chats.get(chatId);
  const run = (work: (chat: Chat) => Promise<unknown>) => {
    const now = chat();
    if (now) work(now).then(() => problem(undefined), problem);
  };
  const draw = () => {
    const now = chat();
    if (!now || panel.hidden) return;
    const channel = chats.channelOf(now);
    const dialog = openDialog(now);
    const inside = now.members ?? members;
    const assignable = people.assignable().filter(({ id }) => id !== me && id !== dialog?.responsible?.id);
    fill(at("customer"), [now.customer, now.name], () => customerPart(now, () => run(toggleBlock)));
    fill(at("channel"), [channel, now.replyDeadline], () => channelPart(now, channel));
    fill(at("responsible"), [dialog, me], () => responsiblePart(now, me, { ...acts, run }));
    at("assigning").hidden = assignable.length === 0;
    fill(at("assignee"), assignable, () => assignable.map(({ id, name, type }) => optionOf(id, name, type)));
    fill(at("tags"), [tags, dialog?.id], () =>
      tags.map((tag) => chipOf(tag, () => run((c) => acts.removeTag(c, tag.name)))),
    );
    at("tag-form").hidden = !dialog;
    const named = inside.map((member) => ({ ...people.get(member.id), ...member }));
    fill(at("members"), named, () => named.map((member) => memberOf(member, me)));
    at("leave").hidden = !inside.some(({ id }) => id === me);
  };
  const toggleBlock = (now: Chat) => acts.block(now, !now.customer?.blocked);
  const reload = async () => {
    const now = chat();
    if (!now || panel.hidden) return;
    const [freshTags, freshMembers] = await Promise.all([acts.tagsOf(now), now.members ?? acts.membersOf(now)]);
    if (now.id !== chatId) return;
    tags = freshTags;
    members = freshMembers;
    draw();
  };
  const aside = parts.addAside({
    panel,
    opener,
    changed() {
      draw();
      void reload().catch(problem);
    },
  });
  skeleton(panel, {
    close: aside.flip,
    assign: (id) => {
      const to = people.get(id);
      if (to) run((now) => acts.assign(now, to));
    },
    addTag: (tag) => run((now) => acts.addTag(now, tag)),
    leave: () => run(acts.leave),
  });
  chats.onChange((changed) => {
    if (chatId !== undefined && (changed.has(chatId) || changed.has(0))) draw();
  });
  people.onChange(draw);
  return {
    show(id) {
      chatId = id;
      tags = [];
      members = [];
      opener.hidden = id === undefined;
      if (id === undefined) aside.show(false);
      draw();
    },
    reload: () => void reload().catch(problem),
    toggle() {
      if (chatId !== undefined) aside.flip();
    },
  };
}

interface SkeletonParts {
  close(): void;
  assign(id: number): void;
  addTag(tag: Tag): void;
  leave(): void;
}

/** Static parts: their forms keep their input while chats change. */
function skeleton(panel: HTMLElement, { close, assign, addTag, leave }: SkeletonParts): void {
  const assignee = el("select", { id: "assignee" });
  const assigning = el(
    "form",
    { class: "row", id: "assigning" },
    el("label", { class: "sr", for: "assignee" }, "Assign to"),
    assignee,
  );
  assigning.append(el("button", {}, "Assign"));
  assigning.addEventListener("submit", (event) => {
    event.preventDefault();
    assign(Number(assignee.value));
  });
  const name = el("input", { id: "tag", maxlength: 255, required: true, placeholder: "New tag", autocomplete: "off" });
  const colour = el(
    "select",
    { id: "tag-colour" },
    ...COLOURS.map((code) => el("option", { value: code }, code.replace("-", " "))),
  );
  const tagging = el("form", { class: "row", id: "tag-form" }, el("label", { class: "sr", for: "tag" }, "Tag"), name);
  tagging.append(el("label", { class: "sr", for: "tag-colour" }, "Colour"), colour, el("button", {}, "Add"));
  tagging.addEventListener("submit", (event) => {
    event.preventDefault();
    addTag({ name: name.value.trim(), color_code: colour.value });
    name.value = "";
  });
  const part = (title: string, ...children: Child[]) => el("section", {}, el("h3", {}, title), ...children);
  panel.append(
    el("div", { class: "details-head" }, el("h2", {}, "Details"), iconButton(icons.close, "Close the details", close)),
    part("Customer", el("div", { id: "customer" })),
    part("Channel", el("div", { id: "channel" })),
    part("Dialog", el("div", { id: "responsible" }), assigning),
    part("Tags", el("ul", { id: "tags", class: "chips" }), tagging),
    part("Members", el("ul", { id: "members" }), button({ id: "leave" }, leave, "Leave the chat")),
  );
}

function customerPart({ customer, name }: Chat, flip: () => void): Child[] {
  const blocked = customer?.blocked === true;
  return [
    el(
      "dl",
      {},
      ...row("Name", name),
      ...row("User name", customer?.username),
      ...row("Phone", customer?.phone && el("a", { href: `tel:${customer.phone}` }, customer.phone)),
      ...row("E-mail", customer?.email && el("a", { href: `mailto:${customer.email}` }, customer.email)),
    ),
    blocked && el("p", { class: "warning" }, icon(icons.block), "Blocked: nothing can be sent."),
    customer &&
      button(
        { class: blocked ? "" : "danger", "data-action": "block" },
        flip,
        blocked ? "Unblock the customer" : "Block the customer",
      ),
  ];
}

function channelPart({ replyDeadline }: Chat, channel: Channel | undefined): Child[] {
  if (!channel) return [];
  const deadline = replyDeadline === undefined ? "" : fullTime(replyDeadline);
  return [
    el(
      "dl",
      {},
      ...row("Messenger", channelName(channel)),
      ...row("Channel", channel.name),
      ...row("State", channel.active ? "" : "Switched off"),
      ...row("Reply until", deadline),
    ),
  ];
}

type ResponsibleActs = DialogActs & { run(work: (chat: Chat) => Promise<unknown>): void };

function responsiblePart(chat: Chat, me: number, { run, ...acts }: ResponsibleActs): Child[] {
  const dialog = openDialog(chat);
  const act = (name: string, words: string, work: (chat: Chat) => Promise<unknown>) =>
    button({ "data-action": name }, () => run(work), words);
  if (!dialog) return [el("p", { class: "soft" }, "No dialog is open."), act("open", "Open a dialog", acts.open)];
  const { responsible } = dialog;
  const mine = responsible?.id === me;
  return [
    el("dl", {}, ...row("Since", fullTime(dialog.createdAt)), ...row("Responsible", personWords(responsible))),
    el(
      "div",
      { class: "row" },
      !mine && act("take", "Assign to me", (now) => acts.assign(now, { id: me, type: "user" })),
      responsible && act("unassign", "Unassign", acts.unassign),
      act("close", "Close the dialog", acts.close),
    ),
  ];
}

const optionOf = (id: number, name: string, type: string): HTMLElement =>
  el("option", { value: id }, type === "bot" ? `${name} (bot)` : name);

const chipOf = ({ name, color_code: colour }: Tag, remove: () => void): HTMLElement =>
  el(
    "li",
    { class: "chip tag", "data-colour": colour },
    el("span", {}, name),
    iconButton(icons.close, `Remove the tag ${name}`, remove, { "data-action": `tag ${name}` }),
  );

function memberOf(member: Member, me: number): HTMLElement {
  const { name = `#${member.id}`, type } = member;
  return el(
    "li",
    {},
    el("span", { class: "avatar small", "data-tone": toneOf(member.id), "aria-hidden": "true" }, initialsOf(name)),
    el("span", {}, member.id === me ? `${name} (you)` : name),
    type === "bot" && el("span", { class: "badge" }, "bot"),
  );
}
