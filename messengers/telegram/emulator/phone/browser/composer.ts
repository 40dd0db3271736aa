import { at, button, el } from "gangway-messenger/kit/emulator/browser/dom";
import type { MediaKind, PhoneDraft, PhoneMessage } from "../../phone-wire.ts";
import { upload } from "./api.ts";
import { drawn, tone } from "./samples.ts";

type Attachment = NonNullable<PhoneDraft["media"]>[number] & { name: string };
interface Composing {
  send(draft: PhoneDraft): Promise<unknown>;
  edit(id: number, text: string): Promise<unknown>;
  fail(error: unknown): void;
}

export interface Composer {
  answer(message: PhoneMessage, words: string): void;
  change(message: PhoneMessage): void;
  clear(): void;
}

const kindOf = (file: File): MediaKind =>
  file.type.startsWith("image/")
    ? "photo"
    : file.type.startsWith("video/")
      ? "video"
      : file.type.startsWith("audio/")
        ? "audio"
        : "document";

const TITLES = { edit: "Edit", reply: "Reply" };

export function createComposer({ send, edit, fail }: Composing): Composer {
  const text = at<HTMLTextAreaElement>("text");
  let attached: Attachment[] = [];
  let about: { act: "reply" | "edit"; message: PhoneMessage; words: string } | undefined;

  const show = () => {
    at("attachments").replaceChildren(...attached.map(({ name }) => el("span", {}, name)));
    const context = at("context");
    context.hidden = about === undefined;
    context.replaceChildren(
      el("span", {}, about ? `${TITLES[about.act]}: ${(about.words || about.message.text).slice(0, 60) || "…"}` : ""),
      button({ "aria-label": "Cancel" }, clear, "✕"),
    );
  };
  const clear = () => {
    attached = [];
    about = undefined;
    text.value = "";
    show();
  };
  const take = async (draft: PhoneDraft) => {
    const reply = about?.act === "reply" ? about : undefined;
    const quote = reply?.words ? { text: reply.words } : undefined;
    try {
      await send({ ...draft, ...(reply && { replyTo: reply.message.id }), ...(quote && { quote }) });
      clear();
    } catch (error) {
      fail(error);
    }
  };
  const submit = async () => {
    const words = text.value.trim();
    if (about?.act === "edit") {
      const { id } = about.message;
      return edit(id, words).then(clear, fail);
    }
    if (words === "" && attached.length === 0) return;
    const media = attached.map(({ name: _, ...file }) => file);
    await take({ ...(words && { text: words }), ...(media.length > 0 && { media }) });
  };
  const attach = async (file: Blob, name: string, more: Omit<Attachment, "file" | "name">) => {
    attached.push({ ...more, name, file: await upload(file, name) });
    show();
    text.focus();
  };

  at("composer").addEventListener("submit", (event) => {
    event.preventDefault();
    void submit();
  });
  text.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void submit();
  });
  fillMenu({ attach, take, fail });
  return {
    answer(message, words) {
      about = { act: "reply", message, words };
      show();
      text.focus();
    },
    change(message) {
      about = { act: "edit", message, words: "" };
      text.value = message.text;
      show();
      text.focus();
    },
    clear,
  };
}

const NEWS = { from: "Harbour News", text: "The old quay is open again" };

interface Menu {
  attach(file: Blob, name: string, more: Omit<Attachment, "file" | "name">): Promise<void>;
  take(draft: PhoneDraft): Promise<void>;
  fail(error: unknown): void;
}

function fillMenu({ attach, take, fail }: Menu): void {
  const input = el("input", { type: "file", multiple: true, id: "files", tabindex: -1 });
  input.addEventListener("change", () => {
    const chosen = [...(input.files ?? [])];
    input.value = "";
    close();
    void chosen
      .reduce((before, file) => before.then(() => attach(file, file.name, { kind: kindOf(file) })), Promise.resolve())
      .catch(fail);
  });
  const close = () => at<HTMLDetailsElement>("attach").removeAttribute("open");
  const item = (label: string, act: () => Promise<unknown>) =>
    button(
      { role: "menuitem" },
      () => {
        close();
        act().catch(fail);
      },
      label,
    );
  const sticker = async (more: { animated?: boolean }) => {
    const file = await upload(await drawn("🐙", "image/webp"), "sticker.webp");
    await take({ media: [{ kind: "sticker", file, emoji: "🐙", ...more }] });
  };
  at("menu").append(
    el("label", { for: "files" }, "Pictures and files", input),
    item("Draw a picture", async () => attach(await drawn("⛵", "image/png"), "picture.png", { kind: "photo" })),
    item("Record a voice message", async () => attach(tone(), "voice.wav", { kind: "voice", duration: 2 })),
    item("Sticker", () => sticker({})),
    item("Animated sticker", () => sticker({ animated: true })),
    item("My contact", () => take({ contact: { phone: "+34600123456", firstName: "Me" } })),
    item("Place", () => take({ place: { latitude: 36.7196, longitude: -4.42 } })),
    item("Venue", () => take({ place: { latitude: 36.7196, longitude: -4.42, title: "Old quay", address: "Pier 4" } })),
    item("Poll", () => take({ poll: { question: "Which rope?", options: ["Blue", "Red"] } })),
    item("Dice", () => take({ dice: "🎲" })),
    item("Gift", () => take({ gift: { stars: 50, text: "Thank you!" } })),
    item("Collectible gift", () => take({ uniqueGift: { name: "Ship in a Bottle", number: 77 } })),
    item("Reply to a channel", () => take({ text: "Is it true?", external: { ...NEWS, isChannel: true } })),
    item("Reply to a story", () => take({ text: "Where is that?", story: 3 })),
  );
}
