import { button, el, icon } from "./dom.ts";
import { icons } from "./icons.ts";
import { strings } from "./strings/strings.ts";

interface MenuActions {
  search(): void;
  transcript(): void;
  erase(): void;
  sound: { isOn(): boolean; set(on: boolean): void };
}

/** Actions on the conversation, behind a button of the head. */
export function createMenu({ search, transcript, erase, sound }: MenuActions) {
  const act = (name: string, act: () => void, sign: string, label: string) =>
    button(
      { "data-part": name },
      label,
      () => {
        close();
        act();
      },
      icon(sign),
      label,
    );
  const soundButton = button(
    { role: "switch", "data-part": "sound" },
    strings.sound,
    () => {
      sound.set(!sound.isOn());
      draw();
    },
    icon(icons.sound),
    strings.sound,
    el("span", { class: "switch" }),
  );
  const list = el(
    "div",
    { class: "menu", hidden: true, id: "menu" },
    act("find", search, icons.search, strings.search),
    soundButton,
    act("transcript", transcript, icons.download, strings.transcript),
    act("erase", erase, icons.trash, strings.erase),
  );
  const opener = button(
    { class: "icon", "data-part": "menu", "aria-expanded": "false", "aria-controls": "menu" },
    strings.menu,
    () => (list.hidden ? open() : close()),
    icon(icons.more),
  );
  const draw = () => soundButton.setAttribute("aria-checked", String(sound.isOn()));
  const open = () => {
    draw();
    list.hidden = false;
    opener.setAttribute("aria-expanded", "true");
  };
  const close = (): boolean => {
    if (list.hidden) return false;
    list.hidden = true;
    opener.setAttribute("aria-expanded", "false");
    return true;
  };
  const leave = () => {
    const isClosed = close();
    if (isClosed) opener.focus();
    return isClosed;
  };
  return { opener, list, close, leave };
}
